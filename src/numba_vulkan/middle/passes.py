"""What a pass of the middle is: a function over the small IR, with what it needs and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from ..kernel import KernelInterface, TargetProfile, Variant
from ..llvmir.model import Function

__all__ = ["Context", "Fact", "Pass"]


class Fact(Enum):
    """Something that holds of the IR from the pass that gives it on."""

    NUMBERED_LOCALS = "local arrays have constant numbers and counts, at the start of the entry block"
    DECLARED_ELEMENTS = "every array is accessed as the type that it is declared with, or is one of words"
    PLACED_LOCALS = "local arrays are variables, but for those of words"
    PLACED_LOCAL_WORDS = "all local arrays are variables"
    PLACED_SHARED = "shared arrays are variables of the workgroup, at the start of the entry block"
    LINKED_MATH = "no call is one of a math function"
    KNOWN_CALLS = "every call is a placeholder or an intrinsic that a later pass or SPIR-V knows"
    SCALAR_VALUES = "no value is a structure, an array or a vector"
    PLAIN_ADDRESSES = "no load has an address that is chosen at run time"
    SCALAR_MEMORY = "every variable and table is a scalar or an array of scalars, addressed by one index"
    DEFINED = "nothing is undef, poison or freeze"
    NAMED_ARRAYS = "every access names one array"
    WORD_INTEGERS = "integers have 1, 32 or 64 bits, but for elements next to their load or store"
    DEVICE_FLOATS = "no float is wider than the device computes"
    DEVICE_ATOMICS = "every atomic operation is one that the device has"
    DEVICE_SUBGROUPS = "every subgroup operation is one that the device has"
    STORED_ELEMENTS = "loads and stores of arrays move what the buffers hold"
    SIMPLE_FLOATS = "of float operations only those are left that every driver computes exactly"
    DEVICE_INTEGERS = "no integer is wider than the device computes"
    LEGAL = "every operation is one that SPIR-V has, with the same meaning on every driver"
    UNIFORM_BARRIERS = "all invocations of a workgroup reach the same barriers"
    STRUCTURED = "control flow is structured and annotated"
    GUARDED_LOOPS = "a loop that the driver ends is reported"


@dataclass(frozen=True)
class Context:
    """What a pass knows besides the function: the kernel's interface and what it is compiled for."""

    interface: KernelInterface
    variant: Variant

    @property
    def profile(self) -> TargetProfile:
        """The device."""
        return self.variant.profile


def _always(profile: TargetProfile) -> bool:
    """Run the pass for every device."""
    return True


@dataclass(frozen=True)
class Pass:
    """One step of the pipeline.

    Attributes
    ----------
    name : str
        Its name in dumps, errors and on the command line; the module has it with underscores.
    run : callable
        Changes the function in place; returns the context of the passes behind it where it changes what that says.
    when : callable
        Whether a device needs the pass; where it does not, what the pass gives holds already.
    needs, gives : frozenset of Fact
        What must hold before it, and what holds after it.
    """

    name: str
    run: Callable[[Function, Context], Context | None]
    when: Callable[[TargetProfile], bool] = _always
    needs: frozenset[Fact] = frozenset()
    gives: frozenset[Fact] = frozenset()
