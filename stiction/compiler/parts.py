"""How functions that are only ever inlined are compiled: to intermediate code, and no further.

Numba optimises every function, with all that it inlines, and makes machine code of it. In a loop
that is seven functions deep the innermost goes through that eight times, and only the last counts.
So a part is merely simplified, to be small where it is inlined; the whole that Python calls is
optimised once. Measured with `Coulomb`: 54 s instead of 78 s for a step that was never compiled
before, 12 s instead of 19 s for the same with another integrator. Wholes also use vector
instructions outside of loops (SLP), which Numba leaves out: steps take 4 to 12 % less time.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler import Compiler

# What is built upon here is not a promise of Numba's; a version without it compiles as it does.
_BUILT_UPON = {
    JITCodeLibrary: ("_optimize_final_module", "_finalize_final_module", "_get_module_for_linking"),
    CPUCodegen: ("_module_pass_manager", "_create_empty_module"),
    Compiler: ("define_pipelines",),
}
AVAILABLE = all(hasattr(kind, name) for kind, names in _BUILT_UPON.items() for name in names)


class WholeLibrary(JITCodeLibrary):
    """Code of a function that Python calls."""

    def _optimize_final_module(self) -> None:
        self._simplify()
        passes, builder = self._codegen._module_pass_manager(slp_vectorize=True)
        passes.run(self._final_module, builder)

    def _simplify(self) -> None:
        passes, builder = self._codegen._module_pass_manager(
            opt=0, loop_vectorize=False, slp_vectorize=False, cost="cheap"
        )
        passes.run(self._final_module, builder)


class PartLibrary(WholeLibrary):
    """Code of a function and of what it inlines, for others to inline."""

    def _optimize_final_module(self) -> None:
        self._simplify()

    def _finalize_final_module(self) -> None:
        """Keep the code for linking; machine code is made of Numba's global variables alone."""
        self._finalized = True  # as far as linking is concerned
        self._shared_module = self._get_module_for_linking()
        variables = [
            variable.name
            for variable in self._final_module.global_variables
            if variable.name.startswith("_ZN08NumbaEnv")
        ]
        empty = str(self._codegen._create_empty_module(self.name))
        declared = [f'@"{name}" = common global i64 0' for name in variables]
        self._final_module = llvm.parse_assembly("\n".join([empty, *declared]))
        super()._finalize_final_module()


class WholeCompiler(Compiler):
    """Numba's compiler, into a WholeLibrary."""

    library = WholeLibrary

    def define_pipelines(self) -> Any:
        """Return Numba's own."""
        if self.state.library is None:
            name = self.state.func_id.func_qualname
            self.state.library = self.library(self.state.targetctx.codegen(), name)
            self.state.library.enable_object_caching()
        return super().define_pipelines()


class PartCompiler(WholeCompiler):
    """Numba's compiler, into a PartLibrary."""

    library = PartLibrary
