"""Plans as native code reads them: words at fixed places."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import IntEnum

from ..context import Words, address_of
from ..slots import Slot

__all__ = [
    "ARGUMENTS",
    "ARGUMENT_WORDS",
    "ArgumentKind",
    "MAX_ARGUMENTS",
    "MAX_RECORDS",
    "NativeArgument",
    "NativePlan",
    "PUSH",
    "PlanChain",
    "RECORDS",
]

MAX_ARGUMENTS = 24
MAX_RECORDS = 24
PUSH_WORDS = 16
# Words of a plan. NEXT: the plan to try if the arguments are others. EVICTED: whether the slot has lost its descriptor
# set. Then per argument: kind, type, key of an array or of nothing, place in the push constants in bytes, 32-bit words
# of an array's parameters. Then per block of memory: address of its record, whether it is written.
NEXT, NARGS, CONTEXT, SLOT, PIPELINE, LAYOUT, SET, PUSH_BYTES, GROUPS_X, GROUPS_Y, GROUPS_Z, NRECORDS = range(
    12
)
ARGUMENTS = 12
ARGUMENT_WORDS = 5
KIND, TYPE, KEY, OFFSET, COUNT = range(5)
RECORDS = ARGUMENTS + MAX_ARGUMENTS * ARGUMENT_WORDS
PUSH = RECORDS + 2 * MAX_RECORDS
PLAN_WORDS = PUSH + PUSH_WORDS


class ArgumentKind(IntEnum):
    """What an argument is, and as what it goes into the push constants."""

    ARRAY = 0
    DOUBLE = 1
    FLOAT = 2
    INT64 = 3
    INDEX32 = 4
    INDEX64 = 5
    BOOL = 6


@dataclass(frozen=True)
class NativeArgument:
    """One argument of a plan."""

    kind: ArgumentKind
    type: type
    key: int = 0
    offset_bytes: int = 0
    words: int = 0


class NativePlan:
    """One plan in the form that native code reads.

    Parameters
    ----------
    context : array of int64
        The words of the device.
    slot : Slot
        What the launches share.
    groups : tuple of int
        Number of workgroups.
    push_bytes : int
        Size of the push constants.
    arguments : list of NativeArgument
        All arguments in order.
    """

    def __init__(
        self,
        context: Words,
        slot: Slot,
        groups: tuple[int, int, int],
        push_bytes: int,
        arguments: list[NativeArgument],
    ) -> None:
        self.words = (ctypes.c_int64 * PLAN_WORDS)()
        # What the words point to lives as long as they do.
        self._alive = (context, slot, arguments)
        records = [(r, 1) for r in slot.writes] + [(r, 0) for r in slot.reads]
        layout = slot.pipeline.layout
        fixed = (
            0,
            len(arguments),
            address_of(context),
            address_of(slot.record),
            slot.pipeline.handle,
            layout.handle,
            slot.set_handle,
            push_bytes,
            *groups,
            len(records),
        )
        self.words[: len(fixed)] = fixed
        for i, argument in enumerate(arguments):
            at = ARGUMENTS + i * ARGUMENT_WORDS
            self.words[at : at + ARGUMENT_WORDS] = (
                argument.kind,
                id(argument.type),
                argument.key,
                argument.offset_bytes,
                argument.words,
            )
        for i, (record, written) in enumerate(records):
            at = RECORDS + 2 * i
            self.words[at : at + 2] = (address_of(record), written)
        slot.on_eviction.append(self)

    @staticmethod
    def fits(slot: Slot, arguments: list[NativeArgument], push_bytes: int) -> bool:
        """Return whether a launch can be a native plan."""
        count = len(slot.writes) + len(slot.reads)
        return len(arguments) <= MAX_ARGUMENTS and count <= MAX_RECORDS and push_bytes <= 8 * PUSH_WORDS

    def forbid(self) -> None:
        """Let no launch take this plan any more."""
        self.words[NARGS] = -1


class PlanChain:
    """The plans of one launch configuration, tried one after the other, the newest first."""

    MAX_PLANS = 8

    def __init__(self) -> None:
        self.head = (ctypes.c_int64 * 1)()
        self._plans: list[NativePlan] = []

    def add(self, plan: NativePlan) -> None:
        """Put a plan in front; the oldest goes if there are too many."""
        plans = [plan, *self._plans][: self.MAX_PLANS]
        for one, following in zip(plans, [*plans[1:], None], strict=True):
            one.words[NEXT] = 0 if following is None else ctypes.addressof(following.words)
        self.head[0] = ctypes.addressof(plan.words)
        self._plans = plans
