"""The verifier names what is wrong, and accepts what is right."""

from __future__ import annotations

import random

import pytest

from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.llvmir.model import (
    Argument,
    Block,
    Constant,
    Function,
    Instruction,
    LoopMerge,
    SelectionMerge,
    constant,
)
from numba_vulkan.llvmir.parse import parse_function
from numba_vulkan.llvmir.types import F32, F64, I1, I8, I32, I64, PTR, VOID, IntType, array_type, struct_type
from numba_vulkan.llvmir.verify import verify

DIAMOND = """
define i32 @f(i32 %a, i1 %c, ptr %p, float %x) {
entry:
  %v = add i32 %a, 1
  br i1 %c, label %left, label %right
left:
  %l = mul i32 %v, %v
  br label %join
right:
  br label %join
join:
  %phi = phi i32 [ %l, %left ], [ 0, %right ]
  %u = udiv i32 %phi, %v
  ret i32 %u
}
"""


def diamond() -> Function:
    return parse_function(DIAMOND, "f")


def broken(function: Function, reason: str, *places: str) -> None:
    with pytest.raises(SpirvCodegenError, match=reason) as caught:
        verify(function)
    message = str(caught.value)
    for place in ("function 'f'", *places):
        assert place in message


def test_a_right_function_passes():
    verify(diamond())


def test_uses_must_be_dominated():
    function = diamond()
    function.blocks[3].instructions[1].operands[1] = function.blocks[1].instructions[0]
    broken(function, r"operand 1 \(%l\) does not dominate its use", "%join", "%u = udiv i32 %phi, %l")


def test_uses_must_follow_the_definition_in_a_block():
    function = diamond()
    function.entry.instructions[0].operands[0] = function.entry.instructions[0]
    broken(function, "does not dominate", "%entry")


def test_phi_uses_count_at_the_end_of_the_predecessor():
    function = diamond()
    function.blocks[3].instructions[0].operands[1] = function.blocks[1].instructions[0]
    broken(function, "does not dominate", "%phi = phi i32")


def test_operands_from_elsewhere():
    function = diamond()
    function.entry.instructions[0].operands[0] = Instruction("add", I32)
    broken(function, "operand 0 is an instruction .* outside the function")
    function.entry.instructions[0].operands[0] = Argument(I32, "a")
    broken(function, "operand 0 is an argument of another function")
    function.entry.instructions[0].operands[0] = Constant(I32, 7)
    broken(function, "the constant 7 of type i32 is not interned")


def test_tables_must_be_listed():
    text = "@t = private constant i32 7\ndefine i32 @f() {\n  %v = load i32, ptr @t\n  ret i32 %v\n}"
    function = parse_function(text, "f")
    verify(function)
    function.globals.clear()
    broken(function, "table @t is not among the globals")


def test_phis_agree_with_predecessors():
    function = diamond()
    phi = function.blocks[3].instructions[0]
    phi.targets[1] = function.entry
    broken(function, "the predecessors of the block are %left, %right", "%join")
    phi.targets = [function.blocks[1]]
    broken(function, "values and blocks differ in number")
    phi.targets = [function.blocks[1], function.blocks[2], function.blocks[1]]
    phi.operands.append(constant(I32, 3))
    broken(function, "two values for predecessor %left")


def test_order_of_instructions():
    function = diamond()
    join = function.blocks[3]
    join.instructions[:2] = join.instructions[1::-1]
    broken(function, "a phi after other instructions", "%join")
    function = diamond()
    function.entry.instructions.reverse()
    broken(function, "does not end with a terminator", "%entry")
    function = diamond()
    function.entry.instructions.insert(0, Instruction("ret", VOID, [constant(I32, 1)]))
    broken(function, "a terminator before the end", "ret i32 1")
    function.entry.instructions.clear()
    broken(function, "the block is empty")


def test_blocks():
    function = diamond()
    function.blocks.append(function.blocks[1])
    broken(function, "a block stands twice")
    function = diamond()
    function.blocks[2].instructions[-1] = function.blocks[1].instructions[-1]
    broken(function, "the instruction stands twice")
    function = diamond()
    function.blocks.pop()
    broken(function, "block %join does not belong to the function")
    function = diamond()
    function.blocks[2].instructions[-1].targets = [function.entry]
    function.blocks[3].instructions[0] = function.blocks[3].instructions[0].operands[0]
    broken(function, "stands twice|entry block has a predecessor")
    with pytest.raises(SpirvCodegenError, match="function 'f' has no blocks"):
        verify(Function("f", VOID))


def test_annotations_name_blocks_of_the_function():
    function = diamond()
    function.entry.merge = SelectionMerge(function.blocks[3])
    verify(function)
    function.entry.merge = SelectionMerge(Block("away"))
    broken(function, "the merge annotation names a block outside")
    function.entry.merge = LoopMerge(function.blocks[3], Block("away"))
    broken(function, "the merge annotation names a block outside")


def test_types_are_interned():
    function = diamond()
    function.entry.instructions[0].type = IntType(32)
    broken(function, "type i32 is not interned")


def test_one_function_has_one_signature():
    text = "define void @f() {\n  call void @g(i32 1)\n  call void @g(i64 1)\n  ret void\n}"
    broken(parse_function(text, "f"), "called with other types elsewhere", "call void @g(i64 1)")


def test_unreachable_blocks_may_use_anything():
    function = diamond()
    dead = Block("dead", [Instruction("ret", VOID, [function.blocks[1].instructions[0]])])
    function.blocks.append(dead)
    verify(function)


A, X, P = constant(I32, 5), constant(F32, 0), Argument(PTR, "p")
PAIR = Argument(struct_type((I32, F32)), "pair")
WRONG = [
    (Instruction("add", I32, [A, constant(I64, 1)]), "operand of type i64 where the result is i32"),
    (Instruction("add", F32, [X, X]), "a result of type float"),
    (Instruction("fadd", I32, [A, A]), "a result of type i32"),
    (Instruction("add", I32, [A]), "1 operands where there should be 2"),
    (Instruction("fneg", F64, [X]), "operand of type float"),
    (Instruction("icmp", I1, [A, A], detail="olt"), "predicate olt does not exist"),
    (Instruction("icmp", I1, [X, X], detail="eq"), "operands of type float"),
    (Instruction("fcmp", I1, [A, A], detail="oeq"), "operands of type i32"),
    (Instruction("icmp", I8, [A, A], detail="eq"), "a result of type i8"),
    (Instruction("select", I32, [A, A, A]), "a condition of type i32"),
    (Instruction("select", I32, [constant(I1, 1), A, X]), "values of types i32 and float"),
    (Instruction("trunc", I64, [A]), "from i32 to i64"),
    (Instruction("zext", I32, [A]), "from i32 to i32"),
    (Instruction("fpext", F32, [X]), "from float to float"),
    (Instruction("sitofp", F32, [X]), "from float to float"),
    (Instruction("bitcast", F64, [A]), "from i32 to double"),
    (Instruction("inttoptr", I32, [A]), "from i32 to i32"),
    (Instruction("load", I32, [A]), "an address of type i32"),
    (Instruction("load", VOID, [P]), "void cannot be stored"),
    (Instruction("store", VOID, [P, A]), "an address of type i32"),
    (Instruction("store", I32, [A, P]), "a result of type i32"),
    (Instruction("alloca", I32, detail=I32), "a result of type i32"),
    (Instruction("alloca", PTR), "no type to allocate"),
    (Instruction("getelementptr", PTR, [P], detail=I32), "no index"),
    (Instruction("getelementptr", PTR, [P, X], detail=I32), "an index that is no integer"),
    (Instruction("extractvalue", I32, [PAIR], detail=(1,)), "a result of type i32"),
    (Instruction("extractvalue", I32, [PAIR], detail=(2,)), "do not fit"),
    (Instruction("insertvalue", PAIR.type, [PAIR, X], detail=(0,)), "a part of type float"),
    (Instruction("call", VOID, [A]), "no function to call"),
    (Instruction("phi", I32, [A]), "values and blocks differ in number"),
    (Instruction("fma", F32, [X, X, X]), "opcode fma is unknown"),
    (Instruction("br", VOID, [A], targets=[]), "0 targets where there should be 2"),
    (Instruction("switch", VOID, [A], detail=(1, 1)), "1 operands|0 targets where there should be 3"),
    (Instruction("ret", VOID, [A]), "the function returns void"),
]


@pytest.mark.parametrize(("instruction", "reason"), WRONG, ids=[f"{i.opcode}-{r}" for i, r in WRONG])
def test_types_of_operands(instruction: Instruction, reason: str):
    body = [instruction] if instruction.is_terminator else [instruction, Instruction("ret", VOID)]
    broken(Function("f", VOID, [P, PAIR], [Block("b", body)]), reason, "block %b", instruction.opcode)


def test_switch_cases_fit_their_type():
    block, end = Block("b"), Block("e", [Instruction("ret", VOID)])
    for cases, reason in (((1, 1), "a case stands twice"), ((-1, 1), "no unsigned i8")):
        block.instructions = [
            Instruction("switch", VOID, [constant(I8, 3)], detail=cases, targets=[end, end, end])
        ]
        broken(Function("f", VOID, [], [block, end]), reason)


def test_arrays_of_everything_can_be_allocated():
    body = [
        Instruction("alloca", PTR, detail=array_type(struct_type((I32, F64)), 3)),
        Instruction("ret", VOID),
    ]
    verify(Function("f", VOID, [], [Block("b", body)]))


def random_function(rng: random.Random, count: int) -> Function:
    """A function over a random graph, irreducible ones included, with one value per block."""
    blocks = [Block(f"b{i}") for i in range(count)]
    for block in blocks:
        block.instructions.append(Instruction("add", I32, [A, A]))
        targets = [rng.choice(blocks[1:]) for _ in range(rng.randrange(3))]
        if not targets:
            block.instructions.append(Instruction("ret", VOID))
        else:
            condition = [constant(I1, 1)] if len(targets) == 2 else []
            block.instructions.append(Instruction("br", VOID, [*condition], targets=targets))
    return Function("f", VOID, [], blocks)


def dominates_by_definition(function: Function, upper: Block, lower: Block) -> bool:
    """Whether removing ``upper`` makes ``lower`` unreachable."""
    reached, pending = set(), [function.entry]
    while pending:
        block = pending.pop()
        if block not in reached and block is not upper:
            reached.add(block)
            pending += block.successors
    return lower not in reached


def test_dominance_equals_its_definition_on_random_graphs():
    rng = random.Random(5)
    refused = 0
    for _ in range(300):
        function = random_function(rng, rng.randrange(2, 12))
        upper, lower = rng.choice(function.blocks), rng.choice(function.blocks)
        user = Instruction("mul", I32, [upper.instructions[0], A])
        lower.instructions.insert(1, user)
        if dominates_by_definition(function, upper, lower):
            verify(function)
        else:
            broken(function, "does not dominate")
            refused += 1
    assert 50 < refused < 250
