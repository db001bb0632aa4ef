"""Translation of Numba's code into that of LLVM: arguments stay in registers.

Numba stores in memory every variable that more than one block uses, and loads it at every use. For
a bundle of a thousand fields that is a thousand loads, which LLVM removes again one by one. What
the first block defines, once, is known everywhere; so it needs no memory.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from numba.core import ir
from numba.core.analysis import must_use_alloca
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering


class RegisterLower(Lower):
    """Numba's lowering, except that what the first block defines once stays in registers."""

    def _find_singly_assigned_variable(self) -> None:
        super()._find_singly_assigned_variable()
        blocks = self.func_ir.blocks
        assigns = (one for block in blocks.values() for one in block.find_insts(ir.Assign))
        assigned = Counter(assign.target.name for assign in assigns)
        in_memory = must_use_alloca(blocks)
        for assign in blocks[min(blocks)].find_insts(ir.Assign):
            name = assign.target.name
            if assigned[name] == 1 and name not in in_memory:
                self._singly_assigned_vars.add(name)


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(NativeLowering):
    """Numba's pass, with this lowering."""

    _name = "lowering_in_registers"

    @property
    def lowering_class(self) -> Any:
        """Return the class that translates a function."""
        return RegisterLower
