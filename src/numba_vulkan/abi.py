"""The contract between the stages: placeholders, bindings, status.

Array access, parameters and invocation ids are calls of opaque functions, the placeholders, from Numba's lowering up
to the emission of SPIR-V, so that LLVM never sees a pointer to a buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .element_names import (
    ELEMENT_BYTES,
    ELEMENTS,
    EXCESS_ELEMENTS,
    INDEX_TYPES,
    NARROWED_ELEMENT,
    NARROWED_INTEGER,
    NARROWED_UNSIGNED,
    ODD_ELEMENT,
    PLACES,
    SIGNED_EXCESS,
    UNSIGNED_EXCESS,
    UNSIGNED_INTEGER,
    WORDS,
    place_of,
    stored_element,
)

__all__ = [
    "ADD_PRODUCT",
    "APPROXIMATE_RECIPROCAL",
    "ARE_ALIASED",
    "ATOMICS",
    "ATOMIC_PEEK",
    "ATOMIC_SWAP",
    "BARRIER",
    "BITS",
    "BITS_F32",
    "BITS_F64",
    "DRIVER",
    "DYNAMIC_BINDING",
    "DYNAMIC_SITE",
    "ELEMENTS",
    "ELEMENT_BYTES",
    "EXCESS",
    "EXCESS_ELEMENTS",
    "EXTENT",
    "FENCE_DEVICE",
    "FENCE_WORKGROUP",
    "FROM_BITS",
    "FROM_BITS_F32",
    "FROM_BITS_F64",
    "GLOBAL_ID",
    "GROUP_ID",
    "HIGH_F64",
    "HIGH_I64",
    "ID_PLACEHOLDERS",
    "INDEX_TYPES",
    "INVERSE_ROOT",
    "JOIN_F64",
    "JOIN_I64",
    "KEEP_VARIABLE",
    "LOADS",
    "LOCAL_BASE",
    "LOCAL_ID",
    "LOCAL_SIZE",
    "LOCAL_VARIABLES",
    "LOST_SIGN",
    "LOW_F64",
    "LOW_I64",
    "MULHI_U32",
    "NARROWED",
    "NARROWED_ELEMENT",
    "NARROWED_INTEGER",
    "NARROWED_UNSIGNED",
    "NARROWS_INTEGERS",
    "NUM_GROUPS",
    "ODD_BITS",
    "ODD_ELEMENT",
    "ORDERING_ATOMICS",
    "PAIRS",
    "PARAMETERS",
    "PARAMETER_TYPES",
    "PLACEHOLDERS",
    "PLACES",
    "PRINT_CAPACITY_WORD",
    "PRINT_HEADER_WORDS",
    "PRINT_LOST_WORD",
    "PRINT_USED_WORD",
    "PRODUCT_ERROR",
    "RECIPROCAL",
    "RESIDUAL",
    "ROOT",
    "SHARED_BARRIER",
    "SHARED_BASE",
    "SHARED_BYTES",
    "STATUS_BINDING",
    "STATUS_CLAIM",
    "STATUS_INVOCATION_WORD",
    "STATUS_LOOP_LIMIT",
    "STATUS_PAYLOAD_WORD",
    "STATUS_PLACE_WORD",
    "STATUS_PUT",
    "STATUS_PUT_NUMBER",
    "STATUS_RESERVE",
    "STATUS_WORDS",
    "STORES",
    "SUBGROUP_COUNT",
    "SUBGROUP_ID",
    "SUBGROUP_LANE",
    "SUBGROUP_OPERATIONS",
    "SUBGROUP_SIZE",
    "UNSIGNED_EXCESS",
    "UNSIGNED_INTEGER",
    "WIDE_INDEX",
    "WORDS",
    "WORD_AND",
    "WORD_ATOMICS",
    "WORD_CHANGES",
    "WRITES",
    "WORD_OR",
    "WORKGROUP_ARRAYS",
    "WORKGROUP_VARIABLES",
    "Placeholder",
    "array_binding",
    "atomic_name",
    "excess_name",
    "load_name",
    "local_name",
    "local_variable_name",
    "parameter_name",
    "place_of",
    "prelude",
    "shared_name",
    "store_name",
    "stored_element",
    "subgroup_name",
    "workgroup_name",
]

# ---- bindings: 0 is the status block, 1 + k the array argument k (counted among all arguments).
STATUS_BINDING = 0


def array_binding(argument: int) -> int:
    """Return the descriptor binding of the array that is argument number ``argument``."""
    return 1 + argument


_LLVM_TYPE = {"f16": "half", "f32": "float", "f64": "double"} | {
    name: name for name in ELEMENTS if name[0] == "i"
}


@dataclass(frozen=True)
class Placeholder:
    """An opaque function: LLVM names of result and parameter types, and what LLVM may assume of it."""

    name: str
    result: str
    parameters: tuple[str, ...]
    attributes: str
    result_attributes: str = ""

    def declaration(self) -> str:
        """Return the LLVM declaration."""
        result = f"{self.result_attributes} {self.result}".strip()
        return f'declare {result} @"{self.name}"({", ".join(self.parameters)}) {self.attributes}'


_READS = "memory(read) nounwind willreturn"
_WRITES = "memory(write) nounwind willreturn"
_PURE = "memory(none) nounwind willreturn speculatable"
_SYNCHRONISES = "nounwind willreturn"
# Control must reach these as it was written: LLVM neither copies nor merges them, nor makes them depend on more.
_CONVERGES = "convergent nounwind"
# Memory that nobody reaches stands for the invocations that are here: equal calls are not merged, and those whose
# result nobody uses stay; loads and stores may be moved across.
_TOGETHER = "convergent nounwind memory(inaccessiblemem: readwrite)"
# Each call makes something new; LLVM must neither merge two of them nor run one more often.
_MAKES = "memory(inaccessiblemem: readwrite) nounwind willreturn"
_NOT_NEGATIVE = "noundef range(i32 0, -2147483648)"


# What the names of a family of placeholders begin with.
LOADS, STORES, ATOMICS, WORD_CHANGES = "nv.load.", "nv.store.", "nv.atomic.", "nv.word."
WRITES = (STORES, ATOMICS, WORD_CHANGES)
PARAMETERS, SUBGROUP_OPERATIONS, WORKGROUP_ARRAYS = "nv.param.", "nv.subgroup.", "nv.workgroup."


def load_name(element: str, index: str = "i32") -> str:
    """Return the placeholder that loads an element: ``(i32 binding, index) -> element``."""
    return f"{LOADS}{element}.{index}"


def store_name(element: str, index: str = "i32") -> str:
    """Return the placeholder that stores an element: ``(i32 binding, index, element)``."""
    return f"{STORES}{element}.{index}"


def excess_name(is_signed: bool, place: str = "") -> str:
    """Return the placeholder that says what of an element 32 bits lose: ``(i32 binding, index, i64 element) -> i32``.

    It is the exclusive or of the high word and what the low one would be extended by; 0 if the element fits.
    """
    return load_name((SIGNED_EXCESS if is_signed else UNSIGNED_EXCESS) + place)


def parameter_name(type: str) -> str:
    """Return the placeholder that reads the parameter block: ``(i32 offset_words) -> type``."""
    return f"{PARAMETERS}{type}"


def shared_name(element: str) -> str:
    """Return the placeholder that makes a shared array: ``(i64 site, i64 element count) -> i32 binding``."""
    return f"nv.shared.{element}"


def local_name(element: str) -> str:
    """Return the placeholder that makes an array of one invocation: ``(i64 element count) -> i32 binding``."""
    return f"nv.local.{element}"


def local_variable_name(element: str) -> str:
    """Return what stands for the variable of such an array: ``(i32 binding, i32 element count)``."""
    return f"nv.localvariable.{element}"


def workgroup_name(element: str) -> str:
    """Return what stands for the variable of a shared array: ``(i32 binding, i32 element count)``."""
    return f"{WORKGROUP_ARRAYS}{element}"


def atomic_name(operation: str, element: str, index: str = "i32") -> str:
    """Return the placeholder of an atomic operation: ``(i32 binding, index, values) -> element``."""
    return f"{ATOMICS}{operation}.{element}{WIDE_INDEX if index == 'i64' else ''}"


# What the names of atomic operations on arrays with 64-bit positions end in; the pass name-atomics removes it.
WIDE_INDEX = ".wide"
# Atomic operations with the number of their values.
_ATOMICS_OF_ALL = {"load": 0, "store": 1, "exchange": 1, "cas": 2}
_ATOMICS_OF_INTEGERS = dict.fromkeys(
    ("add", "smin", "umin", "smax", "umax", "and", "or", "xor", "sinc", "uinc", "sdec", "udec"), 1
)
_ATOMICS_OF_FLOATS = dict.fromkeys(("fadd", "fmin", "fmax", "nanmin", "nanmax"), 1)
# These order other memory as well: what was written before one, others see behind theirs.
ORDERING_ATOMICS = ("load", "store", "exchange", "cas")
# What loops around compare-and-swap are made of; these order no other memory.
ATOMIC_PEEK, ATOMIC_SWAP = "peek", "swap"
# Those on halves of words, which are float16 for the user; the halves are words whose upper half is 0.
_ATOMICS_OF_HALVES = _ATOMICS_OF_ALL | {ATOMIC_PEEK: 0, ATOMIC_SWAP: 2}


def subgroup_name(operation: str, element: str = "") -> str:
    """Return the placeholder of a subgroup operation on values of a type."""
    return f"{SUBGROUP_OPERATIONS}{operation}.{element}".rstrip(".")


# () -> i32.
SUBGROUP_SIZE, SUBGROUP_COUNT = "nv.size.subgroup", "nv.size.subgroups"
SUBGROUP_LANE, SUBGROUP_ID = "nv.id.lane", "nv.id.subgroup"
_REDUCTIONS_OF_INTEGERS = ("iadd", "imul", "smin", "umin", "smax", "umax", "and", "or", "xor")
_REDUCTIONS_OF_FLOATS = ("fadd", "fmul", "fmin", "fmax")
_SUBGROUP_MOVES = ("broadcast", "shuffle", "xor", "up", "down")
PARAMETER_TYPES = ("i32", "i64", "f32", "f64")
# An extent is an i32 parameter of which LLVM may assume that it is not negative.
EXTENT = "nv.param.extent"
# (i32 axis) -> i32; the SPIR-V built-in of each is in spirv.builtins.
GLOBAL_ID, LOCAL_ID, GROUP_ID = "nv.id.global", "nv.id.local", "nv.id.group"
LOCAL_SIZE, NUM_GROUPS = "nv.size.local", "nv.size.groups"
ID_PLACEHOLDERS = (GLOBAL_ID, LOCAL_ID, GROUP_ID, LOCAL_SIZE, NUM_GROUPS)
# Arrays that a workgroup shares are reached as those of bindings are, under numbers from here on; the pass
# place-shared gives them out.
SHARED_BASE = 1 << 16
# Arrays of one invocation are reached under numbers from here on; the pass place-locals makes them variables.
LOCAL_BASE = 1 << 20
# The bytes of dynamic shared memory, () -> i32, and the array of words that it is: its site and its number.
SHARED_BYTES = "nv.size.shared"
DYNAMIC_SITE, DYNAMIC_BINDING = 0, SHARED_BASE + 0xFFFF
BARRIER = "nv.barrier"
# Order of memory without waiting: at device and at workgroup scope.
FENCE_DEVICE, FENCE_WORKGROUP = "nv.fence.device", "nv.fence.workgroup"
# (i32 code) -> i1: whether this invocation is the first to report; (i32 word, i32 value): a payload word.
STATUS_CLAIM = "nv.status.claim"
STATUS_PUT = "nv.status.put"
# (i32 word, value): a number of two payload words; the passes turn them into STATUS_PUT.
STATUS_PUT_NUMBER = {
    f"nv.status.put.{name}": type for name, type in (("i64", "i64"), ("u64", "i64"), ("f64", "double"))
}
# (i32 count) -> i32: the first of that many words for what is printed, to be written with STATUS_PUT; negative if there
# is no room.
STATUS_RESERVE = "nv.status.reserve"
# float -> int and back, opaque because LLVM turns integer tests on float bits into float compares,
# which are true for denormals where a device flushes them.
BITS_F32, BITS_F64 = "nv.bits.f32", "nv.bits.f64"
FROM_BITS_F32, FROM_BITS_F64 = "nv.frombits.f32", "nv.frombits.f64"
BITS = {BITS_F32: ("i32", "float"), BITS_F64: ("i64", "double")}
FROM_BITS = {FROM_BITS_F32: ("float", "i32"), FROM_BITS_F64: ("double", "i64")}
# double -> i32: the bits of the float32 that it is cut to, the last of them set if anything was cut off. Rounding that
# once more, to fewer bits, gives what rounding the float64 gives.
ODD_BITS = "nv.oddbits.f64"
# (float a, float b, float a*b rounded) -> a*b minus that, exactly.
PRODUCT_ERROR = {"f32": "nv.producterror.f32", "f64": "nv.producterror.f64"}
# (float addend, float a, float b) -> addend + a*b, where a*b is exact, so that it may be rounded or not.
ADD_PRODUCT = {"f32": "nv.addproduct.f32", "f64": "nv.addproduct.f64"}
# (float n, float q, float d) -> n - q*d with one rounding, where q*d is not far from n.
RESIDUAL = {"f32": "nv.residual.f32", "f64": "nv.residual.f64"}
# The nearest floats to a reciprocal and a square root of a number that is neither tiny nor huge.
RECIPROCAL = {"f32": "nv.reciprocal.f32", "f64": "nv.reciprocal.f64"}
ROOT = {"f32": "nv.root.f32", "f64": "nv.root.f64"}
# The driver's reciprocal, good to 2.5 units, for what comes out the same with any such number.
APPROXIMATE_RECIPROCAL = {"f32": "nv.approximatereciprocal.f32", "f64": "nv.approximatereciprocal.f64"}
# The driver's approximations, of float32: 1 / sqrt(x), and what `fastmath` uses.
INVERSE_ROOT = "nv.driver.inversesqrt.f32"
DRIVER = {name: f"nv.driver.{name}.f32" for name in ("sin", "cos", "exp2", "log2", "inversesqrt")}
# () -> i1, which the variant that a kernel is compiled for answers: whether arrays at different bindings may share
# memory, and whether integers of 64 bits are computed in 32.
ARE_ALIASED, NARROWS_INTEGERS = "nv.are.aliased", "nv.narrows.integers"
# Where this is asked of an element; see `excess_name`.
EXCESS = frozenset(excess_name(is_signed, place) for is_signed in (True, False) for place in ("", *PLACES))
# (i64 number, i32 is_signed) -> i32: not 0 if a number that is computed in 32 bits has the highest one set, which an
# integer of 64 bits with the other sign reads differently.
LOST_SIGN = "nv.lost.sign"
# (ptr variable): keeps a function variable from being turned into a value; emitted by middle.structure.demote.
KEEP_VARIABLE = "nv.variable.keep"


def _atomic(operation: str, element: str, values: int, index: str = "i32") -> Placeholder:
    type = "i32" if element == "i16" else _LLVM_TYPE[element]
    result = "void" if operation == "store" else type
    return Placeholder(
        atomic_name(operation, element, index), result, ("i32", index, *(type,) * values), _SYNCHRONISES
    )


def _subgroup_placeholders() -> list[Placeholder]:
    numbers = (SUBGROUP_SIZE, SUBGROUP_COUNT, SUBGROUP_LANE, SUBGROUP_ID)
    rows = [Placeholder(name, "i32", (), _PURE, _NOT_NEGATIVE) for name in numbers]
    rows.append(Placeholder(subgroup_name("elect"), "i1", (), _TOGETHER))
    rows += [Placeholder(subgroup_name(name), "i1", ("i1",), _TOGETHER) for name in ("any", "all")]
    rows.append(Placeholder(subgroup_name("count"), "i32", ("i1",), _TOGETHER, _NOT_NEGATIVE))
    rows.append(Placeholder(subgroup_name("ballot"), "i32", ("i1", "i32"), _TOGETHER))
    for element in ("i32", "i64", "f32", "f64"):
        type = _LLVM_TYPE[element]
        rows += [
            Placeholder(subgroup_name(name, element), type, (type, "i32"), _TOGETHER)
            for name in _SUBGROUP_MOVES
        ]
        rows.append(Placeholder(subgroup_name("first", element), type, (type,), _TOGETHER))
        rows += [
            Placeholder(subgroup_name(f"{extent}.{operation}", element), type, (type,), _TOGETHER)
            for extent in ("reduce", "inclusive", "exclusive")
            for operation in (_REDUCTIONS_OF_INTEGERS if element[0] == "i" else _REDUCTIONS_OF_FLOATS)
        ]
    return rows


def _placeholders() -> list[Placeholder]:
    rows = [Placeholder(name, "i32", ("i32",), _PURE, _NOT_NEGATIVE) for name in (*ID_PLACEHOLDERS, EXTENT)]
    rows += [Placeholder(parameter_name(t), _LLVM_TYPE[t], ("i32",), _PURE) for t in PARAMETER_TYPES]
    for element in ELEMENTS:
        for index in INDEX_TYPES:
            llvm = _LLVM_TYPE[element]
            rows.append(Placeholder(load_name(element, index), llvm, ("i32", index), _READS))
            rows.append(Placeholder(store_name(element, index), "void", ("i32", index, llvm), _WRITES))
    rows += [
        Placeholder(name, result, (source,), _PURE) for name, (result, source) in (BITS | FROM_BITS).items()
    ]
    rows += [
        Placeholder(table[t], _LLVM_TYPE[t], (_LLVM_TYPE[t],) * operands, _PURE)
        for operands, tables in (
            (3, (PRODUCT_ERROR, ADD_PRODUCT, RESIDUAL)),
            (1, (RECIPROCAL, APPROXIMATE_RECIPROCAL, ROOT)),
        )
        for table in tables
        for t in table
    ]
    rows.append(Placeholder(ODD_BITS, "i32", ("double",), _PURE))
    rows += [Placeholder(name, "float", ("float",), _PURE) for name in DRIVER.values()]
    for element, type in ((e, _LLVM_TYPE[e]) for e in ELEMENTS):
        placed = [element + place for place in PLACES]
        rows += [Placeholder(load_name(name), type, ("i32", "i32"), _READS) for name in placed]
        rows += [Placeholder(store_name(name), "void", ("i32", "i32", type), _WRITES) for name in placed]
    rows += [
        Placeholder(store_name(UNSIGNED_INTEGER + place, index), "void", ("i32", index, "i64"), _WRITES)
        for place in ("", *PLACES)
        for index in (("i32",) if place else INDEX_TYPES)
    ]
    made = (*ELEMENTS, WORDS)
    rows += [Placeholder(local_name(element), "i32", ("i64",), _MAKES) for element in made]
    rows += [Placeholder(shared_name(element), "i32", ("i64", "i64"), _PURE) for element in made]
    rows += [
        _atomic(operation, element, values, index)
        for index in INDEX_TYPES
        for element in ("i32", "i64", "f32", "f64")
        for operation, values in (
            _ATOMICS_OF_ALL | (_ATOMICS_OF_INTEGERS if element[0] == "i" else _ATOMICS_OF_FLOATS)
        ).items()
    ]
    rows += [_atomic(operation, "i16", values) for operation, values in _ATOMICS_OF_HALVES.items()]
    rows += _subgroup_placeholders()
    rows.append(Placeholder(SHARED_BYTES, "i32", (), _PURE, _NOT_NEGATIVE))
    rows.append(Placeholder(BARRIER, "void", (), _CONVERGES))
    rows += [Placeholder(name, "void", (), _SYNCHRONISES) for name in (FENCE_DEVICE, FENCE_WORKGROUP)]
    rows.append(Placeholder(STATUS_CLAIM, "i1", ("i32",), _SYNCHRONISES))
    rows += [Placeholder(name, "i1", (), _PURE) for name in (ARE_ALIASED, NARROWS_INTEGERS)]
    rows += [Placeholder(name, "i32", ("i32", "i32", "i64"), _READS) for name in sorted(EXCESS)]
    rows.append(Placeholder(LOST_SIGN, "i32", ("i64", "i32"), _PURE))
    rows.append(Placeholder(STATUS_PUT, "void", ("i32", "i32"), _WRITES))
    rows.append(Placeholder(STATUS_RESERVE, "i32", ("i32",), _SYNCHRONISES))
    rows += [Placeholder(name, "void", ("i32", type), _WRITES) for name, type in STATUS_PUT_NUMBER.items()]
    return rows


PLACEHOLDERS: dict[str, Placeholder] = {row.name: row for row in _placeholders()}


# ---- names that passes of the middle exchange. The math library uses nv.mulhi.u32 and the two-word forms of float64
# (nv.{join,low,high}.f64) as well, which SPIR-V has as OpUMulExtended and OpBitcast of a vector.
# A 64-bit value and its words, the low one first.
JOIN_I64, LOW_I64, HIGH_I64 = "nv.join.i64", "nv.low.i64", "nv.high.i64"
JOIN_F64, LOW_F64, HIGH_F64 = "nv.join.f64", "nv.low.f64", "nv.high.f64"
# The high word of the unsigned product of two words.
MULHI_U32 = "nv.mulhi.u32"
PAIRS: dict[str, Placeholder] = {
    row.name: row
    for row in (
        Placeholder(JOIN_I64, "i64", ("i32", "i32"), _PURE),
        Placeholder(LOW_I64, "i32", ("i64",), _PURE),
        Placeholder(HIGH_I64, "i32", ("i64",), _PURE),
        Placeholder(JOIN_F64, "double", ("i32", "i32"), _PURE),
        Placeholder(LOW_F64, "i32", ("double",), _PURE),
        Placeholder(HIGH_F64, "i32", ("double",), _PURE),
        Placeholder(MULHI_U32, "i32", ("i32", "i32"), _PURE),
    )
}
PLACEHOLDERS |= {name: PAIRS[name] for name in (JOIN_F64, LOW_F64, HIGH_F64, MULHI_U32)}
# Arrays of one invocation, at the start of the entry block: (i32 binding, i32 element count).
LOCAL_VARIABLES: dict[str, Placeholder] = {
    name: Placeholder(name, "void", ("i32", "i32"), _SYNCHRONISES)
    for name in map(local_variable_name, (*ELEMENTS, WORDS))
}
# Variables of the workgroup, at the start of the entry block.
WORKGROUP_VARIABLES: dict[str, Placeholder] = {
    name: Placeholder(name, "void", ("i32", "i32"), _SYNCHRONISES)
    for name in map(workgroup_name, (*ELEMENTS, NARROWED_ELEMENT, WORDS))
}


def _narrowed() -> Iterator[Placeholder]:
    for place, index in (*(("", i) for i in INDEX_TYPES), *((place, "i32") for place in PLACES)):
        for element, type in ((NARROWED_INTEGER, "i32"), (NARROWED_ELEMENT, "float")):
            yield Placeholder(load_name(element + place, index), type, ("i32", index), _READS)
            yield Placeholder(store_name(element + place, index), "void", ("i32", index, type), _WRITES)
        yield Placeholder(load_name(ODD_ELEMENT + place, index), "i32", ("i32", index), _READS)
        unsigned = store_name(NARROWED_UNSIGNED + place, index)
        yield Placeholder(unsigned, "void", ("i32", index, "i32"), _WRITES)
    for element, type in ((NARROWED_ELEMENT, "float"), (ODD_ELEMENT, "i32")):
        yield Placeholder(parameter_name(element), type, ("i32",), _PURE)


NARROWED: dict[str, Placeholder] = {row.name: row for row in _narrowed()}
# A barrier that orders shared memory and no buffers.
SHARED_BARRIER = "nv.barrier.shared"
# Atomic changes of a word of an array whose elements are parts of words: (i32 binding, i32 word index, i32 mask).
# Relaxed, at device scope: they only keep neighbouring elements from being lost.
WORD_AND, WORD_OR = f"{WORD_CHANGES}and", f"{WORD_CHANGES}or"
WORD_ATOMICS: dict[str, Placeholder] = {
    name: Placeholder(name, "void", ("i32", "i32", "i32"), _SYNCHRONISES) for name in (WORD_AND, WORD_OR)
}
PLACEHOLDERS |= WORD_ATOMICS


def prelude(names: Iterable[str] | None = None) -> str:
    """Return an LLVM module that declares placeholders with their attributes; kernels are linked into it.

    Parameters
    ----------
    names : iterable of str, optional
        Functions that a kernel declares; of these the placeholders are declared. All placeholders by default.
    """
    rows = PLACEHOLDERS.values() if names is None else [PLACEHOLDERS[n] for n in names if n in PLACEHOLDERS]
    return "\n".join(row.declaration() for row in rows) + "\n"


# ---- status: word 0 is a code, 0 while nothing was reported; then the global id of the reporter and payload.
STATUS_WORDS = 17
STATUS_INVOCATION_WORD = 1
STATUS_PAYLOAD_WORD = 4
# Where the user's code called what raised, a code of KernelInterface.places; 0 where the user's code raised itself.
STATUS_PLACE_WORD = 16
# Other codes are those of KernelInterface.exceptions, from 1 to 0x7fff0000.
STATUS_LOOP_LIMIT = 0x7FFF0001

# ---- prints follow status words and parameters in binding 0 of kernels that print: how many words are used, how many
# there are, and how many prints found no room; then a record for each print, its code first.
PRINT_USED_WORD, PRINT_CAPACITY_WORD, PRINT_LOST_WORD, PRINT_HEADER_WORDS = range(4)
