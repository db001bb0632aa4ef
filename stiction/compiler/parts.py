"""How functions are compiled: parts, wholes, and functions apart.

Numba optimises every function, with everything inlined into it, and generates machine code. In a
loop that is seven functions deep, the innermost is processed eight times, and only the last counts.
So a part is optimised by itself, then what it calls is inlined and only simplified; the whole that
Python calls is optimised once. Wholes also use vector instructions outside of loops (SLP), which
Numba leaves out: steps take 4 to 12 % less time. (Without optimising a part by itself, sweeps of
`GaussSeidel` take 20 % more.)

The time for a whole grows faster than its size. So a subroutine (`subroutines.py`) is compiled
apart, once for all wholes that call it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodegen, JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typed_passes import NativeLowering

from stiction.compiler.lowering import Lowering

# This relies on Numba's internals, not its public API; a version without them compiles as usual.
_BUILT_UPON = {
    JITCodeLibrary: (
        "_optimize_functions",
        "_optimize_final_module",
        "_finalize_final_module",
        "_get_module_for_linking",
    ),
    CPUCodegen: (
        "_function_pass_manager",
        "_module_pass_manager",
        "_pass_builder",
        "_create_empty_module",
    ),
    Compiler: ("define_pipelines",),
}
AVAILABLE = all(hasattr(kind, name) for kind, names in _BUILT_UPON.items() for name in names)


class WholeLibrary(JITCodeLibrary):
    """Code of a function that Python calls."""

    def _optimize_final_module(self) -> None:
        self._reload_init.update(loaders_of(self._final_module))
        for options in (
            {"opt": 0, "loop_vectorize": False, "slp_vectorize": False, "cost": "cheap"},
            {"slp_vectorize": True},
        ):
            passes, builder = self._codegen._module_pass_manager(**options)
            passes.run(self._final_module, builder)


class PartLibrary(JITCodeLibrary):
    """Code of a function, and of everything inlined into it, for inlining into others."""

    def _optimize_functions(self, module: Any) -> None:
        """Optimise the function itself, before others are inlined into it."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Inline what the function calls; clean up what is left of bundles."""
        self._reload_init.update(loaders_of(self._final_module))
        passes = llvm.create_new_module_pass_manager()
        passes.add_always_inliner_pass()
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.run(self._final_module, self._codegen._pass_builder())

    def _finalize_final_module(self) -> None:
        """Keep the code for linking; only Numba's global variables are compiled to machine code."""
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


class ApartLibrary(WholeLibrary):
    """Code of a function that is called by its name; callers link nothing of it."""

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        empty = str(self._codegen._create_empty_module(self.name))
        self._shared_module = llvm.parse_assembly(empty)


class WholeCompiler(Compiler):
    """Numba's compiler, into a WholeLibrary."""

    library: type[JITCodeLibrary] = WholeLibrary

    def define_pipelines(self) -> Any:
        """Return Numba's own pipelines, with our lowering."""
        if self.state.library is None:
            name = self.state.func_id.func_qualname
            self.state.library = self.library(self.state.targetctx.codegen(), name)
            self.state.library.enable_object_caching()
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (Lowering if one is NativeLowering else one, text) for one, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


class PartCompiler(WholeCompiler):
    """Numba's compiler, into a PartLibrary."""

    library = PartLibrary


class ApartCompiler(WholeCompiler):
    """Numba's compiler, into an ApartLibrary.

    The name of a function is the same in every process, since its cached callers refer to it.
    """

    library = ApartLibrary

    def define_pipelines(self) -> Any:
        """Return Numba's own pipelines, with our lowering."""
        identity = self.state.func_id
        whole_name = f"{identity.modname}.{identity.func_qualname}{self.state.args}"
        identity.unique_id = int(hashlib.sha256(whole_name.encode()).hexdigest()[:12], 16)
        return super().define_pipelines()


# What loads each function that is called by its name, so that cached callers find it.
LOADERS: dict[str, Callable[[], None]] = {}


def loaders_of(module: Any) -> Iterator[Callable[[], None]]:
    """What loads the functions that a module calls by their names."""
    declared = (one.name for one in module.functions if one.is_declaration)
    return (LOADERS[name] for name in declared if name in LOADERS)
