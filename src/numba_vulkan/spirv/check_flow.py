"""Structured control flow: headers, merge blocks, continue targets, and which edges may leave a construct.

After section 2.11 of the SPIR-V specification, by its definition in the structural graph. A construct is a set of
blocks that its header dominates; every block lies in one innermost construct, and constructs form a tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from ._tables import Op
from .check_blocks import Block, Graph
from .decode import Violation

__all__ = ["check_flow"]


class _Kind(Enum):
    FUNCTION = auto()
    LOOP = auto()
    CONTINUE = auto()
    SELECTION = auto()
    SWITCH = auto()
    CASE = auto()


@dataclass(eq=False)
class _Construct:
    """A construct; ``header`` is the block with its merge instruction, for a case its target."""

    kind: _Kind
    header: Block
    parent: _Construct | None
    falls_from: _Construct | None = None
    falls_to: _Construct | None = None


@dataclass
class _Roles:
    """The header of each merge block and of each continue target, by positions."""

    merge_of: dict[int, int] = field(default_factory=dict[int, int])
    continue_of: dict[int, int] = field(default_factory=dict[int, int])


def check_flow(graph: Graph) -> None:
    """Check the structure of the function.

    Raises
    ------
    Violation
        If it is not structured; drivers crash on such modules or compute something else.
    """
    roles = _read_roles(graph)
    _check_back_edges(graph)
    homes, inner = _constructs(graph, roles)
    for block in graph.blocks:
        for target in block.targets:
            _check_edge(graph, block, graph.blocks[target], homes[target], inner[block.position])
        _check_selection(graph, roles, block, homes, inner)
    _check_cases(graph, homes)


def _read_roles(graph: Graph) -> _Roles:
    """Check that headers dominate their merge blocks and continue targets, and share none."""
    roles = _Roles()
    dominates = graph.structural.dominates
    for header in graph.blocks:
        if header.merge < 0:
            continue
        merge = graph.blocks[header.merge]
        if header.merge in roles.merge_of or header.merge in roles.continue_of:
            raise Violation("shared merge block", f"{merge} of {header} serves another header")
        roles.merge_of[header.merge] = header.position
        if merge is header or not dominates(header.position, header.merge):
            raise Violation("merge dominance", f"{header} does not dominate its merge {merge}")
        if not header.is_loop_header:
            continue
        target = graph.blocks[header.continue_]
        if header.continue_ in roles.merge_of or header.continue_ in roles.continue_of:
            raise Violation("shared continue target", f"{target} of {header} serves another header")
        roles.continue_of[header.continue_] = header.position
        if not dominates(header.position, header.continue_):
            raise Violation("continue dominance", f"{header} does not dominate its continue target {target}")
    return roles


def _check_back_edges(graph: Graph) -> None:
    """Check that edges back lead to loop headers, one to each, from where the continue target dominates."""
    dominates = graph.structural.dominates
    sources: dict[int, int] = {}
    for source, target in graph.structural.retreating:
        header = graph.blocks[target]
        place = f"edge from {graph.blocks[source]} to {header}"
        if target not in graph.blocks[source].targets or not header.is_loop_header:
            raise Violation("back edge", f"the {place} leads back, but not to a loop header")
        if not dominates(target, source):
            raise Violation("back edge", f"the {place} enters the loop elsewhere than at its header")
        if target in sources:
            raise Violation("back edge", f"{header} has two")
        sources[target] = source
        if not dominates(header.continue_, source):
            raise Violation("continue dominance", f"the {place} is not in the continue construct")
    for header in graph.blocks:
        if header.is_loop_header:
            if header.position not in sources:
                raise Violation("back edge", f"{header} is a loop header without one")
            _check_continue(graph, header, sources[header.position])


def _check_continue(graph: Graph, header: Block, source: int) -> None:
    """Check that whatever enters the continue construct leaves it by the back edge."""
    pending, seen = [header.continue_], {header.continue_, source}
    while pending:
        position = pending.pop()
        if position == source:
            continue
        block = graph.blocks[position]
        outside = [t for t in block.targets if not graph.structural.dominates(header.continue_, t)]
        if outside or not block.targets:
            raise Violation("continue construct", f"{block} leaves that of {header} before its back edge")
        pending += [t for t in block.targets if t not in seen]
        seen.update(block.targets)


def _constructs(graph: Graph, roles: _Roles) -> tuple[list[_Construct], list[_Construct]]:
    """Return the construct each block lies in, and the one that its terminator leaves from."""
    root = _Construct(_Kind.FUNCTION, graph.blocks[0], None)
    homes = [root] * len(graph.blocks)
    inner = [root] * len(graph.blocks)
    parent = graph.structural.parent
    for position in graph.structural.order:
        block = graph.blocks[position]
        above = graph.blocks[parent[position]]
        loop = roles.continue_of.get(position, position)
        if position in roles.merge_of:
            home = homes[roles.merge_of[position]]
        elif loop != position:
            home = _Construct(_Kind.CONTINUE, graph.blocks[loop], inner[loop])
        elif position == 0:
            home = root
        else:
            home = inner[above.position]
            # The default target is a case too.
            if home.kind is _Kind.SWITCH and home.header is above:
                home = _Construct(_Kind.CASE, block, home)
        homes[position] = inner[position] = home
        if block.is_loop_header:
            inner[position] = _Construct(_Kind.LOOP, block, home)
        elif block.merge >= 0:
            is_switch = block.terminator.opcode == Op.Switch
            inner[position] = _Construct(_Kind.SWITCH if is_switch else _Kind.SELECTION, block, home)
    return homes, inner


def _check_edge(graph: Graph, block: Block, target: Block, home: _Construct, source: _Construct) -> None:
    """Check an edge from a block whose terminator lies in ``source`` to one that lies in ``home``."""
    if home is source:
        return
    if target.is_loop_header and graph.structural.dominates(target.position, block.position):
        return
    seen_switch = False
    construct: _Construct | None = source
    while construct is not None:
        kind, header = construct.kind, construct.header
        if kind is _Kind.CASE:
            if construct is source and home.kind is _Kind.CASE and home.parent is construct.parent:
                _fall_through(block, construct, home)
                return
        elif kind is _Kind.SWITCH:
            if (home.parent is construct and block is header) or (
                not seen_switch and target.position == header.merge
            ):
                return
            seen_switch = True
        elif kind is _Kind.SELECTION:
            if construct is source and target.position == header.merge:
                return
        else:
            exits = (header.merge, header.continue_) if kind is _Kind.LOOP else (header.merge,)
            if kind is not _Kind.FUNCTION and target.position in exits:
                return
            break
        construct = construct.parent
    raise Violation("construct", f"{block} cannot branch to {target}: that enters or leaves a construct")


def _fall_through(block: Block, source: _Construct, target: _Construct) -> None:
    """Note that a case falls through to another; each can do so once."""
    if source.falls_to not in (None, target) or target.falls_from not in (None, source):
        raise Violation("fall through", f"{block} falls through to {target.header}, and so does another case")
    source.falls_to, target.falls_from = target, source


def _check_selection(
    graph: Graph, roles: _Roles, block: Block, homes: list[_Construct], inner: list[_Construct]
) -> None:
    """Check that a conditional branch without merge instruction leaves its construct on one side at least."""
    if block.merge >= 0 or len(block.targets) < 2:
        return
    inside = [
        target
        for target in block.targets
        if homes[target] is inner[block.position]
        and target not in roles.merge_of
        and not graph.structural.dominates(target, block.position)
    ]
    if len(inside) > 1:
        raise Violation("missing merge", f"the conditional branch of {block} has no OpSelectionMerge")


def _check_cases(graph: Graph, homes: list[_Construct]) -> None:
    """Check that a case which falls through does so to the next one that the switch names."""
    for block in graph.blocks:
        if block.terminator.opcode != Op.Switch:
            continue
        default, cases = block.targets[0], block.cases
        falls = {t: f.header.position for t in block.targets if (f := homes[t].falls_to) is not None}
        for target in cases:
            after = falls.get(target)
            if after == default and default not in cases:
                # The default stands between two cases in the text of a program, and before all in OpSwitch.
                after = falls.get(default)
            if after is not None and after not in cases[cases.index(target) + 1 :][:1]:
                raise Violation(
                    "fall through", f"{graph.blocks[target]} does not fall through to the next case"
                )
