"""What the stages exchange: frozen, complete and hashable, so that it is also what caches are keyed by."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from . import abi
from .formulas import Formula
from .mathmode import MathMode
from .narrowing import Mode
from .parameters import ParameterBlock

__all__ = [
    "FIRST_LENGTH",
    "SUBGROUP_CLASSES",
    "ArrayArgument",
    "CompiledKernel",
    "ConstantArray",
    "KernelException",
    "KernelInterface",
    "KernelPlace",
    "KernelPrint",
    "LoweredKernel",
    "Pairing",
    "Reported",
    "ReportedText",
    "ScalarArgument",
    "TargetProfile",
    "Variant",
]


SUBGROUP_CLASSES = ("basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative")


@dataclass(frozen=True)
class TargetProfile:
    """Everything about a device, and about how the user wants its types used, that changes compiled code.

    Attributes
    ----------
    int64, float64, int16, int8, float16 : bool
        Whether shaders may compute with the type.
    int64_atomics : bool
        Whether atomic operations work on 64-bit integers.
    float32_atomic_add, float64_atomic_add : bool
        Whether atomic operations add to floats.
    subgroup_classes : tuple of str
        The classes of subgroup operations that shaders may use.
    subgroup_int64 : bool
        Whether subgroup operations work on 64-bit integers.
    storage8, storage16 : bool
        Whether buffers may hold elements of 8 and 16 bits.
    buffer_addresses : bool
        Whether shaders may reach buffers by address.
    nan_preserve : tuple of int
        Float widths for which SignedZeroInfNanPreserve may be declared.
    loop_limit : bool
        Whether the driver silently ends loops after a fixed count, so that loops need a guard.
    fences_end_loops : bool
        Whether the driver takes fences for barriers, and ends loops at those that subgroups reach unequally often.
    branch_depth : int
        How many branches and loops in each other the driver keeps apart; 0 for any number.
    rounds_division, rounds_sqrt, inverts_in_one_step : bool
        Whether quotients and square roots of float32 are the nearest floats, else they are corrected; and whether
        inverses are after one step.
    has_fused_fma : bool
        Whether Fma is known to round once.
    loads_wait : bool
        Whether loads take long, so that loops that write and long ones are worth unrolling; they do not on CPUs.
    mode, math : Mode, MathMode
        How 64-bit types are computed, and how exact float arithmetic is.
    """

    int64: bool = True
    float64: bool = True
    int16: bool = True
    int8: bool = True
    float16: bool = True
    int64_atomics: bool = True
    float32_atomic_add: bool = False
    float64_atomic_add: bool = False
    subgroup_classes: tuple[str, ...] = SUBGROUP_CLASSES
    subgroup_int64: bool = True
    storage8: bool = True
    storage16: bool = True
    buffer_addresses: bool = True
    nan_preserve: tuple[int, ...] = (32, 64)
    loop_limit: bool = False
    fences_end_loops: bool = False
    branch_depth: int = 0
    rounds_division: bool = True
    rounds_sqrt: bool = True
    inverts_in_one_step: bool = True
    has_fused_fma: bool = False
    loads_wait: bool = True
    mode: Mode = field(default_factory=Mode)
    math: MathMode = field(default_factory=MathMode)

    @property
    def computes_float64(self) -> bool:
        """Whether float64 is computed as such; otherwise kernels compute it in float32."""
        return self.float64 and not self.mode.floats

    @property
    def stores_int64(self) -> bool:
        """Whether buffers hold 64-bit integers as such; otherwise kernels reach their words."""
        return self.int64 and not self.mode.ints

    @property
    def contracts(self) -> bool:
        """Whether products and sums are computed as one; where that rounds twice, it changes nothing."""
        return self.math.contracts and self.has_fused_fma

    @property
    def corrects_rounding(self) -> bool:
        """Whether float32 quotients or square roots of the driver are corrected."""
        rounds = self.rounds_division and self.rounds_sqrt
        return self.has_fused_fma and not rounds and not self.math.fastmath


class Pairing(Enum):
    """Whether an invocation does what two of neighbouring workgroups along x do, in grids with so many of them."""

    NONE = "any number, each by itself"
    EVEN = "an even number"
    ODD = "an odd number"


@dataclass(frozen=True)
class Variant:
    """One way to emit a lowered kernel.

    Attributes
    ----------
    profile : TargetProfile
        The device.
    aliased : bool
        Whether arrays may share memory; False only when the launch has proved them disjoint.
    addressed : bool
        Whether arrays are reached by address instead of by binding.
    in_parts : bool
        Whether a dispatch can be a part of the grid; the parameters then say which.
    subgroup_size : int
        Invocations of a subgroup, which the kernel requires; 0 if it takes what the device has.
    pairing : Pairing
        Whether the work of two workgroups is done by one, if the kernel is such that it can be.
    """

    profile: TargetProfile
    aliased: bool = True
    addressed: bool = False
    in_parts: bool = False
    subgroup_size: int = 0
    pairing: Pairing = Pairing.NONE


@dataclass(frozen=True)
class ArrayArgument:
    """An array that a kernel takes.

    Attributes
    ----------
    index : int
        Position among the kernel's arguments.
    element : str
        One of `abi.ELEMENTS`, or `abi.WORDS`.
    ndim : int
        Number of axes.
    layout : {'C', 'F', 'A'}
        'A' arrays pass strides and offset, the others their extents only.
    is_wide : bool
        Whether these have 64 bits.
    """

    index: int
    element: str
    ndim: int
    layout: str
    is_wide: bool = False

    @property
    def binding(self) -> int:
        """The descriptor binding of the array's buffer."""
        return abi.array_binding(self.index)


@dataclass(frozen=True)
class ConstantArray:
    """An array of a global or a closure, which a launch passes although nobody gave it.

    Attributes
    ----------
    name : str
        A digest of its elements; the functions that read the array call this for its binding.
    element : str
        One of `abi.ELEMENTS`, or `abi.WORDS`.
    content : bytes
        What the buffer holds: the elements in C order.
    binding : int
        The binding in the kernel; 0 while that is not known.
    """

    name: str
    element: str
    content: bytes = field(compare=False, repr=False)
    binding: int = 0


@dataclass(frozen=True)
class ScalarArgument:
    """A number that a kernel takes.

    Attributes
    ----------
    index : int
        Position among the kernel's arguments.
    type : str
        The type of its parameters.
    dtype : str
        NumPy's name of the user's type.
    parts : int
        How many parameters it takes: two for complex numbers.
    """

    index: int
    type: str
    dtype: str
    parts: int = 1


@dataclass(frozen=True)
class Reported:
    """A number that a kernel reports: its first word and NumPy's name of its type, of 32 bits for shorter integers.

    Words are those of the status block, or of the record of a print. ``enumeration`` has the number as the value of one
    of its members.
    """

    word: int
    dtype: str
    enumeration: type[Enum] | None = None


@dataclass(frozen=True)
class ReportedText:
    """A text in which numbers stand where ``template``, as `str.format` takes it, has braces."""

    template: str
    numbers: tuple[Reported, ...]


@dataclass(frozen=True)
class KernelException:
    """An exception that a kernel can raise: its status code, what, and where in the user's source.

    Among the arguments, `Reported` and `ReportedText` stand for what the kernel computes.
    """

    code: int
    type: type[BaseException]
    arguments: tuple[object, ...]
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class KernelPlace:
    """Where the user's code calls what may raise: its code, and the line."""

    code: int
    function: str
    file: str
    line: int


@dataclass(frozen=True)
class KernelPrint:
    """What a call of ``print`` writes: the code and the size of its records, and their text."""

    code: int
    size_words: int
    text: ReportedText


@dataclass(frozen=True)
class KernelInterface:
    """What a launch must know of a kernel besides its code.

    ``disjoint_because`` says why its arrays must not share memory; it is empty if they may. ``narrowed_floats`` says
    that what it reports as float64 was computed in float32; it is known when the kernel is compiled for a device.
    ``dynamic_bytes`` is the size of the largest element of its dynamic shared arrays, 0 without any. ``can_pair`` says,
    once it is compiled, whether one invocation can do the work of two.
    """

    name: str
    file: str
    line: int
    arguments: tuple[ArrayArgument | ScalarArgument, ...] = ()
    block: ParameterBlock = field(default_factory=ParameterBlock)
    exceptions: tuple[KernelException, ...] = ()
    disjoint_because: str = ""
    prints: tuple[KernelPrint, ...] = ()
    places: tuple[KernelPlace, ...] = ()
    narrowed_floats: bool = False
    constants: tuple[ConstantArray, ...] = ()
    dynamic_bytes: int = 0
    can_pair: bool = False

    @property
    def arrays(self) -> tuple[ArrayArgument, ...]:
        """The array arguments in order."""
        return tuple(a for a in self.arguments if isinstance(a, ArrayArgument))

    @property
    def bound(self) -> tuple[ArrayArgument | ConstantArray, ...]:
        """Everything that has a binding: the array arguments, then constant arrays."""
        return (*self.arrays, *self.constants)

    def parameters_with(self, dynamic_bytes: int) -> bytes:
        """Return a parameter block in which all is 0 but the bytes of dynamic shared memory."""
        block = bytearray(self.block.size_words * 4)
        for parameter in self.block.parameters:
            if parameter.kind == "shared":
                start = parameter.offset_words * 4
                block[start : start + 4] = dynamic_bytes.to_bytes(4, "little")
        return bytes(block)

    @property
    def buffer_block_words(self) -> int:
        """Words of parameters that follow the status words in binding 0; 0 with push constants."""
        return 0 if self.block.in_push_constants else self.block.size_words

    @property
    def print_word(self) -> int:
        """Word of binding 0 at which prints begin, if there are any: behind the addresses that a variant may need."""
        return self.address_word(1 + self.last_binding)

    @property
    def last_binding(self) -> int:
        """The highest binding of an array; 0 without arrays."""
        return max((array.binding for array in self.bound), default=abi.STATUS_BINDING)

    @property
    def push_constant_bytes(self) -> int:
        """Bytes of push constants of a launch."""
        return self.block.size_words * 4 if self.block.in_push_constants else 0

    def address_word(self, binding: int) -> int:
        """Return where binding 0 has the two words of the address of an array: behind status and parameters."""
        return abi.STATUS_WORDS + self.buffer_block_words + 2 * (binding - 1)


@dataclass(frozen=True)
class LoweredKernel:
    """What the front end makes of a kernel: independent of any device.

    Attributes
    ----------
    interface : KernelInterface
        Arguments, parameters and exceptions.
    modules : tuple of str
        LLVM assembly, one module per function, unoptimised.
    entry : str
        Name of the function without arguments that runs the kernel.
    """

    interface: KernelInterface
    modules: tuple[str, ...]
    entry: str


# The first three specialization constants are the workgroup size.
FIRST_LENGTH = 3


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel as a device runs it.

    Attributes
    ----------
    interface : KernelInterface
        What a launch must pass.
    variant : Variant
        What it was compiled for.
    llvm_ir : str
        LLVM assembly after inlining and LLVM's passes.
    spirv : bytes
        The SPIR-V module; the workgroup size is specialization constants 0, 1 and 2.
    capabilities : tuple of str
        The SPIR-V capabilities that the module declares, exactly those it uses.
    bindings : frozenset of int
        The bindings that the kernel reaches, as descriptors or, in an addressed variant, by address.
    written_bindings : frozenset of int
        The bindings that the kernel writes.
    reports_status : bool
        Whether the kernel can report an error in the status block.
    narrowed_floats : bool
        Whether the kernel says float64 where it computes float32.
    float64_line : str
        File and line of the first operation on float64 in the kernel; '' if there is none.
    shared_bytes : int
        The memory that a workgroup shares, but for arrays whose length the launch decides.
    shared_lengths : tuple of (Formula, int)
        The lengths of these, which are specialization constants from `FIRST_LENGTH` on, and the bytes of an element.
    """

    interface: KernelInterface
    variant: Variant
    llvm_ir: str
    spirv: bytes
    capabilities: tuple[str, ...]
    bindings: frozenset[int]
    written_bindings: frozenset[int]
    reports_status: bool
    narrowed_floats: bool = False
    float64_line: str = ""
    shared_bytes: int = 0
    shared_lengths: tuple[tuple[Formula, int], ...] = ()

    def dispatched(self, groups: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return how many workgroups do the work of ``groups`` of the grid."""
        is_paired = self.interface.can_pair and self.variant.pairing is not Pairing.NONE
        return (-(-groups[0] // 2), *groups[1:]) if is_paired else groups

    def lengths_for(self, parameters: bytes) -> tuple[int, ...]:
        """Return the lengths of shared arrays for a launch with this parameter block; none is empty."""
        return tuple(max(length.evaluate(parameters), 1) for length, _ in self.shared_lengths)

    @property
    def arrays(self) -> tuple[int, ...]:
        """The bindings of the arrays that it reaches, in order."""
        return tuple(sorted(self.bindings - {abi.STATUS_BINDING}))

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptor bindings that the module declares, in order."""
        if self.variant.addressed:
            return (abi.STATUS_BINDING,) if self.bindings else ()
        return tuple(sorted(self.bindings))

    @property
    def name(self) -> str:
        """The name of the kernel."""
        return self.interface.name
