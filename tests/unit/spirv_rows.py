"""A row per operation that the SPIR-V emitter knows: how to build it, inputs that show its edges, what NumPy says.

`Row.kernel` is a kernel of arrays (inputs, then the result) that applies the operation to every element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from numba_vulkan.abi import DRIVER as DRIVER_NAMES
from numba_vulkan.kernel import TargetProfile
from numba_vulkan.llvmir.model import Instruction, constant
from numba_vulkan.llvmir.types import F32, I1, I32
from unit.spirv_ir import TYPES, Kernel

DTYPES = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
UNSIGNED = {"i8": np.uint8, "i16": np.uint16, "i32": np.uint32, "i64": np.uint64}
SAME_SIZE = {"i32": "f32", "i64": "f64", "f32": "i32", "f64": "i64"}


@dataclass(frozen=True)
class Row:
    """One operation: element types of its inputs and result, and how it is built and computed."""

    name: str
    inputs: tuple[str, ...]
    result: str
    build: Callable[[Kernel, list], object]
    expected: Callable[..., np.ndarray]
    shifts: bool = False
    divides: bool = False
    uses: str = ""
    rtol: float = 0.0

    @property
    def elements(self) -> tuple[str, ...]:
        return (*self.inputs, self.result)

    def kernel(self) -> Kernel:
        kernel = Kernel(" ".join(self.elements))
        i = kernel.id()
        operands = [kernel.load(k, i) for k in range(len(self.inputs))]
        kernel.store(len(self.inputs), i, self.build(kernel, operands))
        kernel.ret()
        return kernel

    def lacking(self, profile: TargetProfile) -> str:
        """The feature without which the row is illegal, or nothing."""
        for element, feature in {
            "i64": "int64",
            "f64": "computes_float64",
            "i8": "storage8",
            "i16": "storage16",
            "f16": "storage16",
        }.items():
            if element in (*self.elements, self.uses) and not getattr(profile, feature):
                return feature
        return ""

    def arrays(self) -> list[np.ndarray]:
        """Inputs, each pair of edge values at least once."""
        first = [edges(element) for element in self.inputs]
        pairs = [x.ravel() for x in np.meshgrid(*first, indexing="ij")]
        if self.shifts:
            pairs[1] = pairs[1] & (8 * pairs[1].itemsize - 1)
        if self.divides:
            lowest = np.iinfo(pairs[0].dtype).min
            keep = (pairs[1] != 0) & ~((pairs[0] == lowest) & (pairs[1] == -1))
            pairs = [x[keep] for x in pairs]
        return [np.ascontiguousarray(x) for x in pairs]


def edges(element: str) -> np.ndarray:
    """Values of a type that have shown faults; floats without denormals, which devices may flush."""
    dtype = DTYPES[element]
    if element.startswith("i"):
        bits = 8 * np.dtype(dtype).itemsize
        values = [
            0,
            1,
            -1,
            2,
            7,
            -8,
            100,
            1 << bits - 1,
            (1 << bits - 1) - 1,
            0x5A5A5A5A5A5A5A5A % (1 << bits),
        ]
        return np.array([v % (1 << bits) for v in values], dtype=UNSIGNED[element]).view(dtype)
    with np.errstate(over="ignore"):
        return np.array([0.0, -0.0, 1.0, -1.5, 2.5, 7.0, -100.75, 3.0e4, np.inf, -np.inf, np.nan], dtype)


def _u(array: np.ndarray) -> np.ndarray:
    """The array read as unsigned."""
    return array.view(np.dtype(f"u{array.itemsize}"))


def _binary(opcode: str):
    return lambda kernel, v: kernel.builder.binary(opcode, *v)


def _divide(a, b):
    quotient = np.floor_divide(a, b)
    return (quotient + ((quotient < 0) & (quotient * b != a))).astype(a.dtype)


INTEGER = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
SHIFTS = {
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: (_u(a) >> _u(b)).view(a.dtype),
    "ashr": lambda a, b: a >> b,
}
DIVISIONS = {
    "udiv": lambda a, b: (_u(a) // _u(b)).view(a.dtype),
    "urem": lambda a, b: (_u(a) % _u(b)).view(a.dtype),
    "sdiv": _divide,
}
FLOAT = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
}
ICMP = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "ugt": lambda a, b: _u(a) > _u(b),
    "uge": lambda a, b: _u(a) >= _u(b),
    "ult": lambda a, b: _u(a) < _u(b),
    "ule": lambda a, b: _u(a) <= _u(b),
}
ORDERED = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: (a != b) & ~np.isnan(a) & ~np.isnan(b),
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}
UNARY = {"fabs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "sqrt": np.sqrt}
CHOICES = {
    "smin": np.minimum,
    "smax": np.maximum,
    "umin": lambda a, b: np.minimum(_u(a), _u(b)).view(a.dtype),
    "umax": lambda a, b: np.maximum(_u(a), _u(b)).view(a.dtype),
}


# Functions of the driver, of which numbers between 1/4 and 3/4 ask little.
DRIVER = {
    "sin": np.sin,
    "cos": np.cos,
    "exp2": np.exp2,
    "log2": np.log2,
    "inversesqrt": lambda a: 1 / np.sqrt(a),
}


def _moderate(a: np.ndarray) -> np.ndarray:
    size = np.float32(1) + np.abs(a)
    return np.float32(0.25) + np.float32(0.5) / np.where(size < 4, size, np.float32(1))


def _of_driver(name: str):
    def build(kernel, v):
        b = kernel.builder
        four, one, half, quarter = (
            constant(F32, bits) for bits in (0x40800000, 0x3F800000, 0x3F000000, 0x3E800000)
        )
        size = b.binary("fadd", one, b.call("llvm.fabs.f32", F32, *v))
        size = b.select(b.fcmp("olt", size, four), size, one)
        return b.call(DRIVER_NAMES[name], F32, b.binary("fadd", quarter, b.binary("fdiv", half, size)))

    return build


def _flag(opcode: str, predicate: str):
    """A comparison, stored as 0 or 1."""

    def build(kernel, v):
        b = kernel.builder
        return b.cast("zext", getattr(b, opcode)(predicate, *v), I32)

    return build


def _as_flags(function):
    return lambda a, b: function(a, b).astype(np.int32)


def _unordered(function):
    return lambda a, b: function(a, b) | np.isnan(a) | np.isnan(b)


def _arithmetic() -> list[Row]:
    rows: list[Row] = []
    for t in ("i32", "i64"):
        rows += [Row(f"{op} {t}", (t, t), t, _binary(op), f) for op, f in INTEGER.items()]
        rows += [Row(f"{op} {t}", (t, t), t, _binary(op), f, shifts=True) for op, f in SHIFTS.items()]
        rows += [Row(f"{op} {t}", (t, t), t, _binary(op), f, divides=True) for op, f in DIVISIONS.items()]
        rows += [Row(f"icmp {p} {t}", (t, t), "i32", _flag("icmp", p), _as_flags(f)) for p, f in ICMP.items()]
        rows += [
            Row(
                f"llvm.{op}.{t}",
                (t, t),
                t,
                lambda k, v, n=f"llvm.{op}.{t}", t=t: k.builder.call(n, TYPES[t], *v),
                f,
            )
            for op, f in CHOICES.items()
        ]
    for t in ("f32", "f64"):
        # Devices need not round divisions and roots correctly.
        loose = {"fdiv": 1e-6, "sqrt": 1e-6}
        rows += [
            Row(f"{op} {t}", (t, t), t, _binary(op), f, rtol=loose.get(op, 0)) for op, f in FLOAT.items()
        ]
        for p, f in ORDERED.items():
            rows.append(Row(f"fcmp o{p} {t}", (t, t), "i32", _flag("fcmp", f"o{p}"), _as_flags(f)))
            g = (lambda a, b: a != b) if p == "ne" else _unordered(f)
            rows.append(Row(f"fcmp u{p} {t}", (t, t), "i32", _flag("fcmp", f"u{p}"), _as_flags(g)))
        rows += [
            Row(
                f"llvm.{op}.{t}",
                (t,),
                t,
                lambda k, v, n=f"llvm.{op}.{t}", t=t: k.builder.call(n, TYPES[t], *v),
                f,
                rtol=loose.get(op, 0),
            )
            for op, f in UNARY.items()
        ]
        rows.append(
            Row(
                f"fneg {t}",
                (t,),
                t,
                lambda k, v: k.builder.emit(Instruction("fneg", v[0].type, v)),
                lambda a: -a,
            )
        )
        rows.append(
            Row(
                f"llvm.fma.{t}",
                (t, t, t),
                t,
                lambda k, v, t=t: k.builder.call(f"llvm.fma.{t}", TYPES[t], *v),
                lambda a, b, c: a * b + c,
                rtol=1e-5,
            )
        )
    return rows


def _approximations() -> list[Row]:
    return [
        Row(DRIVER_NAMES[n], ("f32",), "f32", _of_driver(n), lambda a, f=f: f(_moderate(a)), rtol=1e-3)
        for n, f in DRIVER.items()
    ]


def _logic() -> list[Row]:
    """Operations on bools, which come from comparisons with zero."""

    def build(opcode):
        def combine(kernel, v):
            b = kernel.builder
            flags = [b.icmp("ne", x, b.i32(0)) for x in v]
            combined = (
                b.icmp(opcode, *flags) if opcode in ("eq", "ne") else b.binary(opcode, flags[0], flags[1])
            )
            return b.cast("zext", combined, I32)

        return combine

    functions = {
        "and": lambda a, b: (a != 0) & (b != 0),
        "or": lambda a, b: (a != 0) | (b != 0),
        "xor": lambda a, b: (a != 0) ^ (b != 0),
        "eq": lambda a, b: (a != 0) == (b != 0),
        "ne": lambda a, b: (a != 0) != (b != 0),
    }
    rows = [Row(f"{op} i1", ("i32", "i32"), "i32", build(op), _as_flags(f)) for op, f in functions.items()]
    for t in ("i32", "i64", "f32", "f64"):

        def choose(kernel, v):
            b = kernel.builder
            return b.select(b.icmp("slt", v[0], b.i32(0)), v[1], v[2])

        rows.append(Row(f"select {t}", ("i32", t, t), t, choose, lambda c, a, b: np.where(c < 0, a, b)))
    return rows


def _conversions() -> list[Row]:
    rows: list[Row] = []

    def cast(opcode, target):
        return lambda kernel, v: kernel.builder.cast(opcode, v[0], TYPES[target])

    def row(opcode, source, target, function):
        rows.append(Row(f"{opcode} {source} {target}", (source,), target, cast(opcode, target), function))

    for wide in ("i32", "i64"):
        for narrow in ("i8", "i16"):
            row("trunc", wide, narrow, lambda a, n=narrow: a.astype(DTYPES[n]))
            row("zext", narrow, wide, lambda a, w=wide: _u(a).astype(DTYPES[w]))
            row("sext", narrow, wide, lambda a, w=wide: a.astype(DTYPES[w]))
    row("trunc", "i64", "i32", lambda a: a.astype(np.int32))
    row("zext", "i32", "i64", lambda a: _u(a).astype(np.int64))
    row("sext", "i32", "i64", lambda a: a.astype(np.int64))
    for source, target in SAME_SIZE.items():
        row("bitcast", source, target, lambda a, t=target: a.view(DTYPES[t]))
    for f in ("f32", "f64"):
        row("fpext", "f16", f, lambda a, f=f: a.astype(DTYPES[f]))
        row("fptrunc", f, "f16", lambda a: a.astype(np.float16))
    row("fpext", "f32", "f64", lambda a: a.astype(np.float64))
    row("fptrunc", "f64", "f32", lambda a: a.astype(np.float32))
    rows.extend(_int_float_rows())
    rows.extend(_bool_rows())
    return rows


def _int_float_rows() -> list[Row]:
    """Conversions between integers and floats, of numbers that both have."""
    rows: list[Row] = []
    for i in ("i32", "i64"):
        for f in ("f32", "f64"):

            def small(kernel, v, i=i):
                b = kernel.builder
                return b.binary("and", v[0], constant(TYPES[i], 0xFFFFF))

            def to_float(opcode, f=f, small=small):
                return lambda kernel, v: kernel.builder.cast(opcode, small(kernel, v), TYPES[f])

            for opcode in ("sitofp", "uitofp"):
                rows.append(
                    Row(
                        f"{opcode} {i} {f}",
                        (i,),
                        f,
                        to_float(opcode),
                        lambda a, f=f: (a & 0xFFFFF).astype(DTYPES[f]),
                    )
                )

            def to_int(opcode, i=i, f=f):
                def build(kernel, v):
                    b = kernel.builder
                    number = b.cast("sitofp", b.binary("ashr", v[0], constant(TYPES[i], 12)), TYPES[f])
                    number = b.call(f"llvm.fabs.{f}", TYPES[f], number) if opcode == "fptoui" else number
                    return b.cast(opcode, number, TYPES[i])

                return build

            def whole(a, f=f):
                return (a >> 12).astype(DTYPES[f])

            rows.append(
                Row(
                    f"fptosi {f} {i}",
                    (i,),
                    i,
                    to_int("fptosi"),
                    lambda a, w=whole: w(a).astype(a.dtype),
                    uses=f,
                )
            )
            rows.append(
                Row(
                    f"fptoui {f} {i}",
                    (i,),
                    i,
                    to_int("fptoui"),
                    lambda a, w=whole: np.abs(w(a)).astype(a.dtype),
                    uses=f,
                )
            )
    return rows


def _bool_rows() -> list[Row]:
    """Conversions of a bool, which comes from a comparison with zero, and to one."""
    rows: list[Row] = []
    for opcode, targets in {
        "zext": ("i32", "i64"),
        "sext": ("i32", "i64"),
        "uitofp": ("f32", "f64"),
        "sitofp": ("f32", "f64"),
    }.items():
        for t in targets:
            sign = -1 if opcode.startswith("s") else 1

            def build(kernel, v, opcode=opcode, t=t):
                b = kernel.builder
                return b.cast(opcode, b.icmp("ne", v[0], b.i32(0)), TYPES[t])

            rows.append(
                Row(
                    f"{opcode} i1 {t}",
                    ("i32",),
                    t,
                    build,
                    lambda a, t=t, s=sign: (s * (a != 0).astype(np.int64)).astype(DTYPES[t]),
                )
            )
    for t in ("i32", "i64"):
        rows.append(
            Row(
                f"trunc {t} i1",
                (t,),
                "i32",
                lambda k, v: k.builder.cast("zext", k.builder.cast("trunc", v[0], I1), I32),
                lambda a: (a & 1).astype(np.int32),
            )
        )
    return rows


ROWS: dict[str, Row] = {
    row.name: row for row in (*_arithmetic(), *_approximations(), *_logic(), *_conversions())
}
