"""Control-flow graphs as text, emitted as they stand: the emitter trusts the annotations, the checker must not.

One block a line: ``name: ret``, ``name: stop`` (unreachable), ``name: a`` (branch), ``name: a b`` (conditional branch),
``name: switch d a b`` (default, then cases), followed by ``; merge m`` or ``; loop m c``.
"""

from __future__ import annotations

import random

from numba_vulkan.llvmir.model import Block, Instruction, LoopMerge, SelectionMerge
from numba_vulkan.llvmir.types import VOID
from unit.spirv_ir import Kernel

STRUCTURED = {
    "straight": "e: a\na: ret",
    "if": "e: a m ; merge m\na: m\nm: ret",
    "if else": "e: a b ; merge m\na: m\nb: m\nm: ret",
    "both return": "e: a b ; merge m\na: ret\nb: ret\nm: stop",
    "loop": "e: h\nh: b m ; loop m c\nb: c\nc: h\nm: ret",
    "one block": "e: h\nh: h m ; loop m h\nm: ret",
    "do while": "e: h\nh: b ; loop m c\nb: c\nc: h m\nm: ret",
    "for ever": "e: h\nh: c ; loop m c\nc: h\nm: stop",
    "break": "e: h\nh: b ; loop m c\nb: m c\nc: h\nm: ret",
    "break in if": "e: h\nh: b ; loop m c\nb: x y ; merge y\nx: m\ny: c\nc: h\nm: ret",
    "continue in if": "e: h\nh: b ; loop m c\nb: x y ; merge y\nx: c\ny: m\nc: h\nm: ret",
    "return in loop": "e: h\nh: b m ; loop m c\nb: x c\nx: ret\nc: h\nm: ret",
    "switch": "e: switch d a b ; merge m\na: m\nb: m\nd: m\nm: ret",
    "switch to merge": "e: switch m a m ; merge m\na: m\nm: ret",
    "fall through": "e: switch m a b ; merge m\na: b\nb: m\nm: ret",
    "break from switch in if": "e: switch m a ; merge m\na: x y ; merge y\nx: m\ny: m\nm: ret",
    "continue in switch": "e: h\nh: b m ; loop m c\nb: switch x y ; merge x\ny: c\nx: c\nc: h\nm: ret",
    "nested": "e: h\nh: i m ; loop m c\ni: j n ; loop n d\nj: d\nd: i\nn: c\nc: h\nm: ret",
    "merge is header": "e: a m ; merge m\na: m\nm: b n ; merge n\nb: n\nn: ret",
    "loop in continue": "e: h\nh: m c ; loop m d\nc: d\nd: x ; loop y z\nx: z y\nz: d\ny: h\nm: ret",
}


def graph(text: str) -> Kernel:
    """Build a kernel with this graph; each block stores its number."""
    kernel = Kernel("i32")
    kernel.function.blocks.clear()
    rows = [line.strip() for line in text.strip().splitlines()]
    blocks = {name: kernel.block(name) for name in (row.partition(":")[0] for row in rows)}
    entry = kernel.function.entry
    kernel.begin(entry)
    i, value = kernel.id(), kernel.load(0, kernel.id("nv.id.local"))
    b = kernel.builder
    condition = b.icmp("eq", value, b.i32(0))
    for number, row in enumerate(rows):
        name, _, rest = row.partition(":")
        ending, _, merge = rest.partition(";")
        block = kernel.begin(blocks[name])
        kernel.store(0, i, kernel.builder.i32(number))
        _end(kernel, ending.split(), blocks, condition, value)
        words = merge.split()
        if words[:1] == ["merge"]:
            block.merge = SelectionMerge(blocks[words[1]])
        elif words[:1] == ["loop"]:
            block.merge = LoopMerge(blocks[words[1]], blocks[words[2]])
    return kernel


def _end(kernel: Kernel, words: list[str], blocks: dict[str, Block], condition, value) -> None:
    """Write a terminator."""
    b = kernel.builder
    if words == ["ret"]:
        kernel.ret()
    elif words == ["stop"]:
        b.emit(Instruction("unreachable", VOID))
    elif words[0] == "switch":
        targets = [blocks[name] for name in words[1:]]
        b.emit(Instruction("switch", VOID, [value], detail=tuple(range(len(targets) - 1)), targets=targets))
    elif len(words) == 1:
        b.branch(blocks[words[0]])
    else:
        b.branch_if(condition, blocks[words[0]], blocks[words[1]])


def random_graph(seed: int, size: int) -> str:
    """A graph that may be structured or not: constructs nested at random, then perhaps one edge or merge changed."""
    source = random.Random(seed)
    rows: list[list[str]] = []

    def add(name: str, ending: str, merge: str = "") -> None:
        rows.append([name, ending, merge])

    def fresh() -> str:
        fresh.count += 1
        return f"b{fresh.count}"

    fresh.count = 0

    def exits(leave: list[str]) -> str:
        return source.choice(leave) if leave and source.random() < 0.3 else ""

    def region(name: str, after: str, budget: int, leave: list[str], switches: list[str]) -> None:
        """Blocks from ``name`` that end by branching to ``after``, or leave an enclosing construct."""
        kind = source.choice(["plain", "if", "ifelse", "loop", "switch", "leave"]) if budget > 0 else "plain"
        if kind == "plain":
            add(name, exits(leave + switches) or after)
        elif kind == "leave" and leave + switches:
            next_name = fresh()
            add(name, f"{source.choice(leave + switches)} {next_name}")
            region(next_name, after, budget - 1, leave, switches)
        elif kind in ("if", "ifelse", "leave"):
            then, merge, other = fresh(), fresh(), fresh()
            add(name, f"{then} {other if kind == 'ifelse' else merge}", f"merge {merge}")
            region(then, merge, budget - 2, leave, switches)
            if kind == "ifelse":
                region(other, merge, budget - 2, leave, switches)
            region(merge, after, budget - 2, leave, switches)
        elif kind == "switch":
            merge, cases = fresh(), [fresh() for _ in range(source.randint(1, 3))]
            ending = f"switch {source.choice([merge, cases[0]])} {' '.join(cases)}"
            add(name, ending, f"merge {merge}")
            for k, case in enumerate(cases):
                falls = k + 1 < len(cases) and source.random() < 0.2
                region(case, cases[k + 1] if falls else merge, budget - 2, leave, [merge])
            region(merge, after, budget - 2, leave, switches)
        else:
            merge, more, body = fresh(), fresh(), fresh()
            add(name, source.choice([body, f"{body} {merge}"]), f"loop {merge} {more}")
            region(body, more, budget - 2, [merge, more], [])
            add(more, source.choice([name, f"{name} {merge}"]))
            region(merge, after, budget - 2, leave, switches)

    add("entry", "first")
    region("first", "last", size, [], [])
    add("last", "ret")
    if source.random() < 0.7:
        _disturb(source, rows)
    return "\n".join(f"{name}: {ending}{' ; ' + merge if merge else ''}" for name, ending, merge in rows)


def _disturb(source: random.Random, rows: list[list[str]]) -> None:
    """Change one target, drop one merge instruction, or swap two blocks."""
    names = [row[0] for row in rows[1:]]
    row = source.choice(rows)
    change = source.choice(["target", "merge", "drop", "swap"])
    if change == "swap" and len(rows) > 3:
        a, b = source.sample(range(1, len(rows)), 2)
        rows[a], rows[b] = rows[b], rows[a]
    elif change == "drop":
        row[2] = ""
    else:
        words = row[1 if change == "target" or not row[2] else 2].split()
        changeable = [k for k, word in enumerate(words) if word in names]
        if changeable:
            words[source.choice(changeable)] = source.choice(names)
            row[1 if change == "target" or not row[2] else 2] = " ".join(words)
