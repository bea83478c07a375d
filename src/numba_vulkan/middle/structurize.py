"""Give the control flow of a function the structure that SPIR-V asks for.

The regions of the dominator tree become nested selections and loops (`structure.plan` says how), as in Ramsey,
"Beyond Relooper" (2022), with what SPIR-V lacks, jumps over several levels, replaced by a variable that holds where to
go and tests of it at merge blocks. No instruction is copied but jumps out of the function.
"""

from __future__ import annotations

from ..llvmir.model import Function
from .passes import Context
from .rewriting import drop_unreachable, unsupported
from .structure.demote import demote_loop_values, demote_moved_values, demote_phis
from .structure.emit import emit
from .structure.flatten import depth_of, depths, flatten, prepare
from .structure.flow import flow_of
from .structure.plan import make_plan

__all__ = ["run"]


def run(function: Function, context: Context | None = None) -> None:
    """Structure a function in place.

    Afterwards there are no phis, every block comes after its dominator, `Block.merge` is set where SPIR-V needs it,
    and no value is used outside of the loop that defines it.

    Parameters
    ----------
    function : Function
        Any reducible control flow.
    context : Context, optional
        Where drivers end loops early, each loop is left through its merge block, which can then notice it. Where
        they keep so many branches apart only, regions that lie deeper are moved out (`structure.flatten`).

    Raises
    ------
    SpirvCodegenError
        If the control flow is irreducible, or a pointer is chosen by control flow.
    VulkanUnsupportedError
        If more loops lie in each other than the driver keeps apart.
    """
    drop_unreachable(function)
    demote_phis(function)
    if context and context.profile.branch_depth and _flattened(function, context):
        return
    flow = flow_of(function, copy_exits=context is None or not context.profile.loop_limit)
    demote_loop_values(function, flow)
    emit(function, flow, make_plan(flow))


def _flattened(function: Function, context: Context) -> bool:
    """Structure a function in which branches lie too deep for the driver; return whether it is one."""
    deepest = context.profile.branch_depth
    # Each level takes a block.
    if len(function.blocks) <= deepest or depth_of(function) <= deepest:
        return False
    flow = prepare(function)
    plan = make_plan(flow)
    flatten(flow, plan)
    found = depths(flow, plan)
    if max(found) > deepest:
        what = (
            f"loops and branches lie {max(found)} deep in each other here, functions that it calls included, and the "
            f"driver gets more than {deepest} wrong: put inner loops into one, or choose another device"
        )
        raise unsupported(what, flow.blocks[found.index(max(found))].terminator, context)
    demote_moved_values(function, flow, plan)
    demote_loop_values(function, flow)
    emit(function, flow, plan)
    return True
