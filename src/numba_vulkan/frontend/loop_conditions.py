"""One place for the condition of a ``while`` loop in a function with barriers.

Python's compiler writes the condition of such a loop twice: in front of it and at the end of its body. ``continue``
goes to the first, so that invocations which leave a round early would begin the next one elsewhere than the others, and
where the condition votes meet them at another barrier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass

from .. import stubs

__all__ = ["UniteConditions"]

_BARRIERS = (
    *(stubs.syncthreads_or, stubs.syncthreads_and, stubs.syncthreads_count),
    *(stubs.barrier, stubs.syncthreads),
)
# Parts of a condition that are compared: blocks joined by "and" and "or".
_MOST_PARTS = 32
_NAMES = frozenset(barrier.__name__ for barrier in _BARRIERS)


@register_pass(mutates_CFG=True, analysis_only=False)
class UniteConditions(FunctionPass):
    """Let the ends of loops jump to the conditions of which they are copies."""

    _name = "vulkan_unite_conditions"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at the function's untyped Numba IR."""
        function = state.func_ir
        if not any(map(_has_barrier, function.blocks.values())):
            return False
        conditions = {
            label: block
            for label, block in function.blocks.items()
            if isinstance(block.terminator, ir.Branch)
        }
        changed = False
        for label, condition in conditions.items():
            for other, block in conditions.items():
                if other != label and _ends_as(block, condition, function.blocks):
                    _cut(function, block, len(condition.body), label)
                    changed = True
        if changed:
            for label in compute_cfg_from_blocks(function.blocks).dead_nodes():
                del function.blocks[label]
        return changed


def _has_barrier(block: Any) -> bool:
    return any(_is_barrier(statement.value) for statement in block.find_insts(ir.Assign))


def _is_barrier(value: Any) -> bool:
    """Whether a value is one of the functions, by whatever name."""
    if isinstance(value, ir.Expr):
        return value.op == "getattr" and value.attr in _NAMES
    return isinstance(value, ir.Global | ir.FreeVar) and any(value.value is barrier for barrier in _BARRIERS)


def _destination(blocks: dict[int, Any], label: int) -> int:
    """Return where a label leads, past blocks that only jump: Python 3.12 has one at the end of each loop."""
    seen: set[int] = set()
    while label not in seen and len(blocks[label].body) == 1 and isinstance(blocks[label].body[0], ir.Jump):
        seen.add(label)
        label = blocks[label].body[0].target
    return label


def _ends_as(block: Any, condition: Any, blocks: dict[int, Any]) -> bool:
    """Whether what a block does last is all that another one does, but for the names of values without a name."""
    count = len(condition.body)
    if len(block.body) < count:
        return False
    comparison = _Comparison(blocks)
    return all(map(comparison.is_copy, block.body[-count:], condition.body))


class _Comparison:
    """Compares parts of Numba's IR, and knows what the values of the one are in the other."""

    def __init__(self, blocks: dict[int, Any]) -> None:
        self.blocks = blocks
        self.names: dict[str, str] = {}
        self.parts = 0

    def is_copy(self, copy: Any, original: Any) -> bool:
        """Whether two parts are equal."""
        if type(copy) is not type(original):
            return False
        if isinstance(copy, ir.Assign):
            return self.is_copy(copy.value, original.value) and self._is_same_target(
                copy.target, original.target
            )
        if isinstance(copy, ir.Var):
            return self.names.get(copy.name, copy.name) == original.name
        if isinstance(copy, ir.Branch):
            targets = (copy.truebr, original.truebr), (copy.falsebr, original.falsebr)
            return self.is_copy(copy.cond, original.cond) and all(
                self._leads_alike(*pair) for pair in targets
            )
        if isinstance(copy, tuple | list):
            return len(copy) == len(original) and all(map(self.is_copy, copy, original))
        if isinstance(copy, ir.Inst | ir.Global | ir.FreeVar | ir.Const | ir.Arg):
            return all(map(self.is_copy, _parts(copy), _parts(original)))
        return copy is original or bool(copy == original)

    def _is_same_target(self, copy: Any, original: Any) -> bool:
        is_temporary = copy.name.startswith("$") and original.name.startswith("$")
        self.names[copy.name] = original.name if is_temporary else copy.name
        return self.names[copy.name] == original.name

    def _leads_alike(self, copy: int, original: int) -> bool:
        """Whether two labels lead to one block, or to two further parts of a condition."""
        copy, original = _destination(self.blocks, copy), _destination(self.blocks, original)
        if copy == original:
            return True
        self.parts += 1
        mine, other = self.blocks[copy].body, self.blocks[original].body
        return (
            self.parts < _MOST_PARTS
            # Behind a loop at the end of a kernel each copy has a return of its own.
            and isinstance(mine[-1], ir.Branch | ir.Return)
            and len(mine) == len(other)
            and all(map(self.is_copy, mine, other))
        )


def _parts(item: Any) -> Iterator[Any]:
    """Yield what an item of the IR is made of, but for its place."""
    fields = dict(vars(item))
    fields.update(fields.pop("_kws", {}))
    return (fields[name] for name in sorted(fields) if name != "loc")


def _cut(function: Any, block: Any, count: int, label: int) -> None:
    """Let a block jump to the condition instead of its copy."""
    copy = block.body[-count:]
    for statement in copy:
        if isinstance(statement, ir.Assign):
            known = function._definitions.get(statement.target.name, [])
            known[:] = [value for value in known if value is not statement.value]
    block.body[-count:] = [ir.Jump(label, copy[-1].loc)]
