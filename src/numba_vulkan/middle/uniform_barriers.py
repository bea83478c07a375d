"""Let every invocation of a workgroup reach the barriers.

SPIR-V leaves a barrier undefined that only some invocations of a workgroup reach. Where they part in front of one, as
after an early return, those that do not need it go along the way to it all the same, set aside: a variable says so,
what has an effect is skipped, and where control meets again they go on as themselves.

Branches are handled one at a time. Of the two ways that leave one, one leads to barriers; the other is walked first by
those that take it, and is left for the beginning of the first. On the way to the barriers an invocation that is set
aside takes part in what is uniform, so that its branches there are those of the others; where the others part for
something without a barrier, it goes on to where they meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import abi
from ..graphs.loops import NO_LOOP
from ..llvmir.build import Builder
from ..llvmir.model import Block, Function, Instruction, Undef, Value, constant
from ..llvmir.types import I1, VOID, IntType
from . import joining, rejoin
from .attendance import Attendance, may_go_on_alone
from .blocks import clone_blocks, keep_incoming, retarget_phis
from .guarding import Guard
from .passes import Context
from .rewriting import drop_unreachable, location_text, unsupported
from .uniformity import Uniformity
from .variables import Variables, keep_last_values

__all__ = ["run"]


def run(function: Function, context: Context) -> None:
    """Leave no barrier that only a part of a workgroup reaches."""
    if not any(map(_is_barrier, function.calls())):
        return
    _unite_returns(function)
    attendance = Attendance(function)
    while _change(function, context, attendance):
        pass
    attendance.finish(function)


def _change(function: Function, context: Context, attendance: Attendance) -> bool:
    """Handle a branch where invocations part in front of a barrier; return whether there was one."""
    uniformity = Uniformity(function, context)
    if joining.run(function, uniformity):
        return True
    partings = [node for node in uniformity.dominators.order if _parts_before_barrier(node, uniformity)]
    if not partings:
        return False
    obstacles = [_obstacle(node, uniformity, context) for node in partings]
    for node, obstacle in zip(partings, obstacles, strict=True):
        if (obstacle or _leaves_alone(node, uniformity)) and rejoin.run(function, node, uniformity):
            return True
        if _split_branch(function, node, uniformity):
            return True
    if obstacles[0]:
        raise _refusal(obstacles[0], uniformity.blocks[partings[0]].terminator, context)
    _set_aside(function, partings[0], context, uniformity, attendance)
    return True


def _is_barrier(instruction: Instruction) -> bool:
    return instruction.opcode == "call" and instruction.callee == abi.BARRIER


def _unite_returns(function: Function) -> None:
    """Let the kernel end in one block, so that ways that end meet."""
    drop_unreachable(function)
    ends = [block for block in function.blocks if block.terminator.opcode in ("ret", "unreachable")]
    if len(ends) < 2 and all(len(block.instructions) == 1 for block in ends):
        return
    end = Block("end", [Instruction("ret", VOID)])
    for block in ends:
        location = block.instructions.pop().location
        Builder(block.instructions, location).branch(end)
    function.blocks.append(end)


# ---- conditions


def _parts_before_barrier(node: int, uniformity: Uniformity) -> bool:
    """Whether invocations part behind a block, and meet again behind a barrier only, or in a loop that some left."""
    return uniformity.is_divergent_branch(node) and (
        not uniformity.barriers.isdisjoint(uniformity.region(node)) or _comes_back(node, uniformity)
    )


def _comes_back(node: int, uniformity: Uniformity) -> bool:
    """Whether some leave a loop with barriers in which they meet the others again."""
    loop = uniformity.loops.innermost[node]
    while loop != NO_LOOP:
        if joining.come_back(node, loop, uniformity):
            return True
        loop = uniformity.loops.parent(loop)
    return False


def _split_branch(function: Function, node: int, uniformity: Uniformity) -> bool:
    """Make several branches of a switch, and of a condition with a uniform part; return whether it was one of these.

    The uniform part is tested first, so that those who go for it do not have to go along with the others.
    """
    block = uniformity.blocks[node]
    if block.terminator.opcode == "switch":
        _test_cases(function, block)
        return True
    parts = _parts_of(block.terminator.operands[0])
    if parts is None:
        return False
    is_and, one, other = parts
    for uniform, divergent in ((one, other), (other, one)):
        if uniform not in uniformity.divergent:
            _test_first(function, block, uniform, divergent, is_and)
            return True
    return False


def _test_cases(function: Function, block: Block) -> None:
    """Branch on one case of a switch after the other."""
    switch = block.instructions.pop()
    scrutinee = switch.operands[0]
    assert isinstance(scrutinee.type, IntType)
    otherwise, *targets = switch.targets
    sources: dict[Block, list[Block]] = {}
    tests = [block, *(Block(f"{block.name}.case{k}") for k in range(1, len(targets)))]
    for k, (test, target, case) in enumerate(zip(tests, targets, switch.indices, strict=True)):
        following = tests[k + 1] if k + 1 < len(tests) else otherwise
        b = Builder(test.instructions, switch.location)
        b.branch_if(b.icmp("eq", scrutinee, constant(scrutinee.type, case)), target, following)
        sources.setdefault(target, []).append(test)
    sources.setdefault(otherwise, []).append(tests[-1])
    for target, found in sources.items():
        for phi in target.phis():
            value = phi.incoming(block)
            keep_incoming(phi, lambda source: source is not block)
            phi.operands += [value] * len(found)
            phi.targets += found
    after = function.blocks.index(block) + 1
    function.blocks[after:after] = tests[1:]


def _parts_of(condition: Value) -> tuple[bool, Value, Value] | None:
    """Return whether a condition is an "and", and its parts; None if it is neither "and" nor "or"."""
    if not isinstance(condition, Instruction) or condition.type is not I1:
        return None
    if condition.opcode in ("and", "or"):
        return condition.opcode == "and", condition.operands[0], condition.operands[1]
    if condition.opcode == "select":
        test, if_true, if_false = condition.operands
        if if_false is constant(I1, 0):
            return True, test, if_true
        if if_true is constant(I1, 1):
            return False, test, if_false
    return None


def _test_first(function: Function, block: Block, first: Value, second: Value, is_and: bool) -> None:
    """Branch on one part of a condition, and on the other in a block behind it."""
    branch = block.terminator
    if_true, if_false = branch.targets
    behind = Block(f"{block.name}.second")
    Builder(behind.instructions, branch.location).branch_if(second, if_true, if_false)
    branch.operands = [first]
    branch.targets = [behind, if_false] if is_and else [if_true, behind]
    decided, undecided = (if_false, if_true) if is_and else (if_true, if_false)
    retarget_phis(undecided, block, behind)
    for phi in decided.phis():
        position = phi.targets.index(block)
        phi.operands.append(phi.operands[position])
        phi.targets.append(behind)
    function.blocks.insert(function.blocks.index(block) + 1, behind)


# ---- one branch


@dataclass
class _Parting:
    """A branch where invocations part, of which some go to barriers.

    Attributes
    ----------
    node : int
        The block that branches.
    to_barriers, aside : int
        Where the two ways begin; ``aside`` may be where they meet.
    meeting : int
        Where they meet.
    way, detour : set of int
        The nodes of the two ways.
    """

    node: int
    to_barriers: int
    aside: int
    meeting: int
    way: set[int] = field(default_factory=set[int])
    detour: set[int] = field(default_factory=set[int])


def _set_aside(
    function: Function, node: int, context: Context, uniformity: Uniformity, attendance: Attendance
) -> None:
    """Handle one branch in front of barriers, or prepare it."""
    parting = _part(node, uniformity)
    if not _make_exclusive(function, parting, uniformity, context):
        _SettingAside(function, parting, uniformity, attendance).run()


def _part(node: int, uniformity: Uniformity) -> _Parting:
    """Return what parts at a branch."""
    meeting = uniformity.postdominators[node]
    following = uniformity.successors[node]
    ways = {s: uniformity.reach([s], {meeting}) for s in following if s != meeting}
    leading = next(s for s, way in ways.items() if not uniformity.barriers.isdisjoint(way))
    aside = next(s for s in following if s != leading)
    return _Parting(node, leading, aside, meeting, ways[leading], ways.get(aside, set()))


def _obstacle(node: int, uniformity: Uniformity, context: Context) -> str:
    """Say why those that part at a branch cannot walk along the way to the barriers; nothing if they can."""
    if _comes_back(node, uniformity):
        return "some begin its next round elsewhere than the others, in a loop with barriers"
    parting = _part(node, uniformity)
    held = (i for n in sorted(parting.way) for i in uniformity.blocks[n].instructions)
    barrier = next(i for i in held if _is_barrier(i))
    where = f"the barrier of {location_text(barrier.location, context)}"
    if parting.meeting < 0:
        return f"they never meet again, and {where} lies on one of their ways"
    if not uniformity.barriers.isdisjoint(parting.detour):
        return (
            f"both ways lead to barriers, such as {where} (where that is a vote in the condition of a while loop, "
            f"write 'while True:' and let it begin with 'if not ...: break'; where they return, let them note it, "
            f"break, and return behind the last barrier)"
        )
    return ""


def _refusal(why: str, branch: Instruction, context: Context) -> Exception:
    return unsupported(
        f"all invocations of a workgroup must reach the same barriers, but here they part: {why}; let them decide by "
        f"what is the same for all of them (sizes, arguments, group_id, shared memory behind a barrier)",
        branch,
        context,
    )


def _leaves_alone(node: int, uniformity: Uniformity) -> bool:
    """Whether an invocation can leave a loop with barriers that need not end for the others."""
    parting = _part(node, uniformity)
    return node in parting.way and may_go_on_alone(parting.way, uniformity)


def _make_exclusive(function: Function, parting: _Parting, uniformity: Uniformity, context: Context) -> bool:
    """Give the branch a copy of the detour if others walk it too; return whether they do."""
    blocks = uniformity.blocks
    if not parting.detour:
        return False
    inside = {blocks[n] for n in parting.detour}
    source = blocks[parting.node]
    entered = [
        block
        for n, block in enumerate(blocks)
        if n not in parting.detour and not inside.isdisjoint(block.successors)
    ]
    if entered == [source]:
        return False
    if any(
        i.opcode == "call" and i.callee.startswith(abi.SUBGROUP_OPERATIONS)
        for b in inside
        for i in b.instructions
    ):
        raise _refusal(
            "they share subgroup operations with others that come another way", source.terminator, context
        )
    order = [n for n in uniformity.dominators.order if n in parting.detour]
    copies = clone_blocks(function, [blocks[n] for n in order])
    first = blocks[parting.aside]
    copy = copies[first]
    for phi, copied in zip(first.phis(), copy.phis(), strict=True):
        keep_incoming(copied, lambda block: block is source or block in copies.values())
        gone = phi.targets.index(source)
        del phi.operands[gone], phi.targets[gone]
    for block in copies.values():
        if block is not copy:
            for phi in block.phis():
                keep_incoming(phi, lambda block: block in copies.values())
    source.terminator.targets = [copy if t is first else t for t in source.terminator.targets]
    return True


class _SettingAside:
    """The change for one branch."""

    def __init__(
        self, function: Function, parting: _Parting, uniformity: Uniformity, attendance: Attendance
    ) -> None:
        self.function = function
        self.attendance = attendance
        self.parting = parting
        self.uniformity = uniformity
        blocks = uniformity.blocks
        self.source, self.first = blocks[parting.node], blocks[parting.to_barriers]
        self.detour, self.meeting = blocks[parting.aside], blocks[parting.meeting]
        self.way = {blocks[n] for n in parting.way}
        self.variables = Variables()
        self.flag = self.variables.new(I1, "aside")
        self.guard = Guard(function, self.flag, uniformity, attendance)
        attendance.flags.append(self.flag)
        self.asks = may_go_on_alone(parting.way, uniformity)

    def run(self) -> None:
        """Change the function."""
        edge = self._keep_values()
        self._rewrite_branch(edge, self._guard_way())
        self.guard.finish()
        self.variables.declare(self.function, [(constant(I1, 0), self.flag)])

    def _keep_values(self) -> list[Instruction]:
        """Pass values to where control meets through variables; return the stores of the branch's own edge."""
        edge: list[Instruction] = []
        meeting = self.meeting
        loads: list[Instruction] = []
        b = Builder(loads, meeting.terminator.location)
        for phi in list(meeting.phis()):
            variable = self.variables.new(phi.type, f"{phi.name}.met")
            for source, value in zip(phi.targets, phi.operands, strict=True):
                if isinstance(value, Undef):
                    continue
                into = edge if source is self.source and self.detour is meeting else source.instructions
                store = Instruction("store", VOID, [value, variable], location=source.terminator.location)
                into.insert(len(into) if into is edge else len(into) - 1, store)
            phi.opcode, phi.targets = "load", []
            phi.operands = [variable]
            loads.append(phi)
        b.store(constant(I1, 0), self.flag)
        meeting.instructions = loads + [i for i in meeting.instructions if i not in loads]
        # Those set aside may walk the way on and compute other values.
        inside = self.way | {self.uniformity.blocks[n] for n in self.parting.detour} | {self.source}
        keep_last_values(self.function, self.way, inside, self.variables)
        return edge

    def _guard_way(self) -> Block:
        """Guard every block that those set aside walk through; return the block that now ends in the branch."""
        uniformity, parting = self.uniformity, self.parting
        walked: dict[int, None] = {parting.to_barriers: None}
        work = [parting.to_barriers]
        last = self.source
        while work:
            node = work.pop()
            block = uniformity.blocks[node]
            following = uniformity.successors[node]
            if node == parting.node:
                last = self.guard.body(block)
                following = [parting.to_barriers]
            elif not uniformity.is_divergent_branch(node):
                self.guard.uniform_block(block)
            elif any(n in uniformity.barriers for n in uniformity.region(node)):
                following = [self._follow_barriers(node)]
            else:
                following = [uniformity.postdominators[node]]
                self.guard.block_with_branch(block, uniformity.blocks[following[0]])
            for successor in following:
                if successor != parting.meeting and successor not in walked:
                    walked[successor] = None
                    work.append(successor)
        return last

    def _follow_barriers(self, node: int) -> int:
        """Let those set aside take the way of another parting that leads to its barriers; return its beginning."""
        uniformity = self.uniformity
        block = uniformity.blocks[node]
        meeting = uniformity.postdominators[node]
        leading = next(
            s
            for s in uniformity.successors[node]
            if any(n in uniformity.barriers for n in uniformity.reach([s], {meeting}))
        )
        end = self.guard.body(block)
        self.guard.lead(end, uniformity.blocks[leading])
        return leading

    def _rewrite_branch(self, edge: list[Instruction], last: Block) -> None:
        """Send those that part aside, and then along the way to the barriers."""
        branch = last.terminator
        location = branch.location
        begin = Block(f"{self.source.name}.all")
        b = Builder(begin.instructions, location)
        if self.asks:
            b.branch_if(self.attendance.ask(b), self.first, self.meeting)
        else:
            b.branch(self.first)
        retarget_phis(self.first, last, begin)
        leave = Block(f"{self.source.name}.part")
        is_true = branch.targets[0] is self.first
        b = Builder(last.instructions, location)
        last.instructions.pop()
        stays = branch.operands[0]
        if not is_true:
            stays = b.negate(stays)
        if self.source in self.way:
            stays = b.binary("or", stays, b.load(self.flag, I1))
        b.branch_if(stays, begin, leave)
        returning = leave
        b = Builder(leave.instructions, location)
        if self.detour is not self.meeting:
            returning = Block(f"{self.source.name}.aside")
            b.branch(self.detour)
            retarget_phis(self.detour, last, leave)
            for n in self.parting.detour:
                terminator = self.uniformity.blocks[n].terminator
                terminator.targets = [returning if t is self.meeting else t for t in terminator.targets]
            b = Builder(returning.instructions, location)
        returning.instructions += edge
        b.store(constant(I1, 1), self.flag)
        b.branch(begin)
        after = self.function.blocks.index(last) + 1
        self.function.blocks[after:after] = list(dict.fromkeys((leave, returning, begin)))
