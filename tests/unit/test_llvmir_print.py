"""What the printer writes is LLVM assembly, and reading it back gives the same function."""

from __future__ import annotations

import math

import llvmlite.binding as llvm
import numba
import pytest
from numba import njit, types

from numba_vulkan.errors import SpirvCodegenError
from numba_vulkan.llvmir.build import Builder
from numba_vulkan.llvmir.lexer import float_bits, float_text, quote_name, unquote
from numba_vulkan.llvmir.model import Argument, Block, Function, Instruction, Location, LoopMerge, constant
from numba_vulkan.llvmir.parse import defined_functions, parse_function
from numba_vulkan.llvmir.printing import print_function
from numba_vulkan.llvmir.types import F16, F32, F64, I1, I32, VOID, FloatType
from numba_vulkan.llvmir.verify import verify

EVERYTHING = r"""
@table = private unnamed_addr constant [3 x i32] [i32 1, i32 -2, i32 3]
@text = private unnamed_addr constant [2 x i8] [i8 1, i8 92]
define double @"odd name"(i32 %a, i64 %0, float %x, ptr %p, <4 x i32> %v, { i32, { float, i8 } } %s) {
entry:
  %1 = alloca [4 x double]
  %2 = sub nuw nsw i32 %a, -5
  %3 = trunc i64 %0 to i33
  %4 = freeze i33 %3
  switch i64 %0, label %done [ i64 0, label %"a b" i64 -1, label %loop ]
"a b":
  %5 = fcmp nnan uno float %x, 0x7FF8000020000000
  %6 = icmp samesign ult i32 %a, 7
  %7 = select i1 %5, i1 %6, i1 true
  %8 = call fast float @llvm.fabs.f32(float %x)
  %9 = fneg float %8
  br i1 %7, label %loop, label %done ; selection %done
loop:
  %phi = phi i32 [ %next, %loop ], [ 0, %entry ], [ %2, %"a b" ]
  %next = add i32 %phi, 1
  %10 = getelementptr inbounds [3 x i32], ptr @table, i64 0, i32 %phi
  %11 = load volatile i32, ptr %10
  %12 = icmp eq i32 %11, %next
  br i1 %12, label %loop, label %done ; loop %done %loop
done:
  %13 = shufflevector <4 x i32> %v, <4 x i32> <i32 3, i32 3, i32 undef, i32 0>, <2 x i32> <i32 0, i32 poison>
  %14 = extractelement <2 x i32> %13, i32 1
  %15 = insertelement <2 x i32> %13, i32 %14, i64 0
  %16 = extractvalue { i32, { float, i8 } } %s, 1, 0
  %17 = insertvalue { i32, { float, i8 } } { i32 1, { float, i8 } { float -0.0, i8 0 } }, float %16, 1, 0
  store { i32, { float, i8 } } %17, ptr %1
  store ptr null, ptr %p
  %18 = load i8, ptr @text
  %19 = zext nneg i8 %18 to i32
  call void @g(i32 %19, half 0xH7E01)
  %20 = fpext float %x to double
  %21 = fmul reassoc contract double %20, 1.0e-300
  ret double %21
}
declare float @llvm.fabs.f32(float)
declare void @g(i32, half)
"""


def reparse(function: Function, locations: bool = False) -> Function:
    return parse_function(print_function(function, locations=locations), function.name)


def test_a_function_with_every_construct_is_printed_as_it_was_read():
    function = parse_function(EVERYTHING, "odd name")
    text = print_function(function)
    assert text == EVERYTHING.lstrip("\n")
    llvm.parse_assembly(text).verify()
    verify(function)


def test_names_become_unique_and_numbers_ascend():
    argument = Argument(I32, "x")
    entry, second = Block("x"), Block("")
    builder = Builder(entry.instructions, Location("k.py", 3))
    value = builder.emit(Instruction("add", I32, [argument, constant(I32, 1)], name="x"))
    other = builder.emit(Instruction("add", I32, [value, value], name="x.1"))
    builder.emit(Instruction("mul", I32, [other, other]))
    builder.branch(second)
    Builder(second.instructions).emit(Instruction("ret", VOID))
    text = print_function(Function("f", VOID, [argument], [entry, second]), locations=True)
    assert text == (
        "define void @f(i32 %x) {\n"
        "x.1:\n"
        "  %x.2 = add i32 %x, 1 ; at k.py:3\n"
        "  %x.1.1 = add i32 %x.2, %x.2 ; at k.py:3\n"
        "  %0 = mul i32 %x.1.1, %x.1.1 ; at k.py:3\n"
        "  br label %1 ; at k.py:3\n"
        "1:\n"
        "  ret void\n"
        "}\n"
    )
    llvm.parse_assembly(text).verify()


def test_annotations_and_places_are_read_back():
    function = parse_function(EVERYTHING, "odd name")
    loop = function.blocks[2]
    loop.terminator.location = Location("/a b/k.py", 7)
    again = reparse(function, locations=True)
    merge = again.blocks[2].merge
    assert isinstance(merge, LoopMerge)
    assert (merge.merge, merge.continue_) == (again.blocks[3], again.blocks[2])
    assert again.blocks[2].terminator.location == Location("/a b/k.py", 7)


def test_a_broken_function_is_printed():
    block = Block("b")
    block.instructions.append(Instruction("ret", VOID, [Instruction("add", I32)]))
    assert "ret i32 %undefined" in print_function(Function("f", I32, [], [block]))


def test_switch_of_booleans():
    target = Block("t", [Instruction("ret", VOID)])
    switch = Instruction("switch", VOID, [constant(I1, 1)], detail=(0, 1), targets=[target, target, target])
    text = print_function(Function("f", VOID, [], [Block("e", [switch]), target]))
    llvm.parse_assembly(text).verify()
    assert parse_function(text, "f").entry.terminator.indices == (0, 1)


@pytest.mark.parametrize("name", ["a", "a b", ".x$-_", "1a", 'q"\\', "né", ""])
def test_names_survive_quoting(name):
    assert unquote("@" + quote_name(name)) == name


FLOATS = {
    F16: (0, 1, 0x8000, 0x3C00, 0x7C00, 0xFC00, 0x7E00, 0x7D55, 0x03FF, 0x7BFF),
    F32: (
        0,
        1,
        0x80000000,
        0x3DCCCCCD,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0x7FA00001,
        0x7F7FFFFF,
        0x007FFFFF,
    ),
    F64: (
        0,
        1,
        1 << 63,
        0x3FB999999999999A,
        0x7FF0000000000000,
        0xFFF8000000000001,
        0x7FF4000000000000,
        0x7FEFFFFFFFFFFFFF,
    ),
}


@pytest.mark.parametrize(("type", "bits"), [(t, bits) for t, all_bits in FLOATS.items() for bits in all_bits])
def test_float_constants_survive_us_and_llvm(type: FloatType, bits: int):
    text = float_text(bits, type)
    assert float_bits(text, type) == bits
    module = llvm.parse_assembly(f"define {type} @f() {{\n  ret {type} {text}\n}}")
    module.verify()
    assert parse_function(str(module), "f").entry.terminator.operands[0] is constant(type, bits)


# ---- functions as Numba's CPU target optimises them: vectors, switches, intrinsics, debug information


def polynomial(x):
    return ((x * 3.0 + 2.0) * x - 1.0) * x


def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def sum_of_array(x):
    total = 0.0
    for value in x:
        total += value
    return total


def integer_sum(x):
    total = 0
    for value in x:
        total += value
    return total


def matmul(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


def mandelbrot(cr, ci, limit):
    zr = zi = 0.0
    for step in range(limit):
        if zr * zr + zi * zi > 4.0:
            return step
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
    return limit


def clamp(x):
    for i in range(x.shape[0]):
        x[i] = min(max(x[i], 0), 255)


def bit_operations(a, b):
    return ((a << 3) ^ (b >> 2)) & ~(a | b)


def remainders(a, b):
    return a // b + a % b


def square_roots(x, y):
    for i in range(len(x)):
        y[i] = math.sqrt(abs(x[i])) + math.floor(x[i]) - math.copysign(1.0, x[i])


def first_above(x, bound):
    for i in range(len(x)):
        if x[i] > bound:
            break
    else:
        return -1
    return i


def choose(kind, x):
    if kind == 0:
        return x
    if kind == 1:
        return x * 2.0
    if kind == 2:
        return x * x
    if kind == 7:
        return -x
    return 0.0


def compare_floats(x, y):
    return (x < y) + 2 * (x == x) + 4 * (not (x >= y)) + 8 * math.isnan(y)


def saxpy(a, x, y):
    for i in range(x.shape[0]):
        y[i] += a * x[i]


def collatz(n):
    steps = 0
    while n != 1 and steps < 1000:
        n = 3 * n + 1 if n & 1 else n >> 1
        steps += 1
    return steps


F4, F8, I4, I8_ = types.float32, types.float64, types.int32, types.int64
CORPUS = [
    (polynomial, (F8,)),
    (greatest_common_divisor, (I8_, I8_)),
    (sum_of_array, (F8[::1],)),
    (integer_sum, (I4[::1],)),
    (matmul, (F4[:, ::1], F4[:, ::1], F4[:, ::1])),
    (mandelbrot, (F8, F8, I8_)),
    (clamp, (I4[::1],)),
    (bit_operations, (I4, types.uint16)),
    (remainders, (I4, I4)),
    (square_roots, (F4[::1], F4[:])),
    (first_above, (F8[:], F8)),
    (choose, (I8_, F8)),
    (compare_floats, (F4, F4)),
    (saxpy, (F4, F4[::1], F4[::1])),
    (collatz, (I8_,)),
]


@pytest.fixture(scope="module", params=CORPUS, ids=lambda case: case[0].__name__)
def compiled(request: pytest.FixtureRequest) -> tuple[str, str]:
    """Assembly of a function, and its name."""
    function, signature = request.param
    dispatcher = njit(debug=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        function
    )
    dispatcher.compile(signature)
    (text,) = dispatcher.inspect_llvm().values()
    (name,) = [name for name in defined_functions(text) if function.__name__ in name]
    return text, name


def test_functions_of_the_cpu_target_survive_the_round_trip(compiled):
    text, name = compiled
    function = parse_function(text, name)
    verify(function)
    printed = print_function(function, locations=True)
    llvm.parse_assembly(printed).verify()
    again = parse_function(printed, name)
    verify(again)
    assert print_function(again, locations=True) == printed
    assert any(i.location and i.location.file == __file__ for i in function.instructions())


def test_the_corpus_is_as_rich_as_it_should_be():
    """Held here so that the corpus does not shrink unnoticed when Numba changes."""
    assert len(CORPUS) == 15
    assert numba.__version__.split(".")[:2] == ["0", "68"]


def test_errors_of_the_printer_name_nothing_silently():
    with pytest.raises(SpirvCodegenError):
        parse_function(print_function(Function("f", VOID, [], [])), "f")
