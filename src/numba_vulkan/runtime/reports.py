"""Status blocks, binding 0: what kernels report and print, and parameters that do not fit push constants."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .. import abi, settings
from ..kernel import KernelInterface
from .buffer import Buffer
from .context import Words

__all__ = ["PRINT_BUFFER_WORDS", "Printed", "StatusBlock", "StatusBlocks", "printed_in"]

_WORDS_OF_KB = 256
# The words of a print buffer, header and all, unless NUMBA_VULKAN_PRINT_KB says otherwise.
PRINT_BUFFER_WORDS = abi.PRINT_HEADER_WORDS + _WORDS_OF_KB * settings.print_kb.default
_STATUS_BYTES = 4 * abi.STATUS_WORDS
# A multiple of the alignment that any device asks of a binding's offset.
_STRIDE_BYTES = 256
_BLOCKS_OF_ARENA = 256


@dataclass(eq=False)
class _Arena:
    """A mapped buffer of blocks of one size, with the users of each.

    ``used`` are the words of each block that say how much was printed; without prints it is empty.
    """

    buffer: Buffer
    stride_bytes: int
    print_word: int
    words: np.ndarray
    codes: np.ndarray
    used: np.ndarray
    owners: list[tuple[KernelInterface, Words] | None]
    awaited: np.ndarray
    free: list[int] = field(default_factory=list[int])

    def find_free(self, completed: int) -> int | None:
        """Return a block without a user, whose last one is done and has nothing left to report."""
        for index in reversed(self.free):
            last = self.owners[index]
            reports = self.codes[index] or self.used[index : index + 1].any()
            if last is None or (last[1][0] <= completed and not reports):
                return index
        return None

    def take_printed(self, index: int, interface: KernelInterface) -> Printed:
        """Return what was printed into a block and make room again."""
        area = self.words[index, self.print_word :]
        found = printed_in(area, interface)
        area[abi.PRINT_HEADER_WORDS :][: len(found.words)] = 0
        area[abi.PRINT_USED_WORD] = area[abi.PRINT_LOST_WORD] = 0
        return found


class Printed(NamedTuple):
    """What launches of a kernel have printed: records as words, and how many prints found no room."""

    interface: KernelInterface
    words: tuple[int, ...]
    lost: int


def printed_in(area: np.ndarray, interface: KernelInterface) -> Printed:
    """Return what a print buffer holds: its header says how many words of records follow."""
    records = area[abi.PRINT_HEADER_WORDS :]
    used = min(int(area[abi.PRINT_USED_WORD]), len(records))
    return Printed(interface, tuple(records[:used].tolist()), int(area[abi.PRINT_LOST_WORD]))


@dataclass(eq=False)
class StatusBlock:
    """The status words of launches that share a descriptor set, followed by their parameters.

    Attributes
    ----------
    buffer : Buffer
        The buffer it lies in.
    offset_bytes, size_bytes : int
        Where.
    awaited : numpy.ndarray
        How many threads wait for launches of the block, a single number: the reports are theirs.
    """

    buffer: Buffer
    offset_bytes: int
    size_bytes: int
    words: np.ndarray
    awaited: np.ndarray

    def take_words(self) -> tuple[int, ...]:
        """Return the status words and reset them."""
        words = tuple(self.words[: abi.STATUS_WORDS].tolist())
        self.words[: abi.STATUS_WORDS] = 0
        return words if words[0] else ()

    def write_parameters(self, parameters: bytes) -> None:
        """Put parameters behind the status words."""
        self.words.view(np.uint8)[_STATUS_BYTES : _STATUS_BYTES + len(parameters)] = np.frombuffer(
            parameters, np.uint8
        )


class StatusBlocks:
    """All status blocks of a device; called with its lock held.

    Parameters
    ----------
    create_buffer : callable
        Makes a mapped buffer of a number of bytes.
    """

    def __init__(self, create_buffer: Callable[[int], Buffer]) -> None:
        self._create_buffer = create_buffer
        self._arenas: list[_Arena] = []
        self._printing: list[_Arena] = []

    def take(
        self, owner: KernelInterface, user: object, record: Words, parameter_bytes: int, completed: int
    ) -> StatusBlock:
        """Return a block that is given back with its user.

        Parameters
        ----------
        owner : KernelInterface
            Whose reports they are.
        user : object
            The block is free again when it is gone.
        record : array of int64
            Its first word is the number of the last batch that uses the block.
        parameter_bytes : int
            Room for parameters.
        completed : int
            The last batch that is done: blocks that later ones use are not given out.
        """
        print_words = abi.PRINT_HEADER_WORDS + _WORDS_OF_KB * settings.print_kb.value() if owner.prints else 0
        print_word = owner.print_word if owner.prints else 0
        size_bytes = max(_STATUS_BYTES + parameter_bytes, 4 * print_word) + 4 * print_words
        stride = -(-size_bytes // _STRIDE_BYTES) * _STRIDE_BYTES
        fitting = (a for a in self._arenas if (a.stride_bytes, a.print_word) == (stride, print_word))
        arena, index = next(((a, i) for a in fitting if (i := a.find_free(completed)) is not None), (None, 0))
        if arena is None:
            arena = self._new_arena(stride, print_word)
            index = len(arena.free) - 1
        arena.free.remove(index)
        arena.words[index] = arena.awaited[index] = 0
        if print_word:
            arena.words[index, print_word + abi.PRINT_CAPACITY_WORD] = print_words - abi.PRINT_HEADER_WORDS
        arena.owners[index] = owner, record
        weakref.finalize(user, _give_back, arena, index).atexit = False
        return StatusBlock(
            arena.buffer, index * stride, stride, arena.words[index], arena.awaited[index : index + 1]
        )

    def _new_arena(self, stride: int, print_word: int) -> _Arena:
        count = max(1, _BLOCKS_OF_ARENA * _STRIDE_BYTES // stride)
        buffer = self._create_buffer(count * stride)
        words = buffer.view((count, stride // 4), np.dtype(np.uint32))
        words.fill(0)
        used = words[:, print_word + abi.PRINT_USED_WORD] if print_word else words[:0, 0]
        arena = _Arena(
            buffer=buffer,
            stride_bytes=stride,
            print_word=print_word,
            words=words,
            codes=words[:, 0],
            used=used,
            owners=[None] * count,
            awaited=np.zeros(count, np.int32),
            free=list(range(count)),
        )
        self._arenas.append(arena)
        if print_word:
            self._printing.append(arena)
        return arena

    def has_prints(self) -> bool:
        """Return whether any launch has printed, perhaps one that still runs."""
        return bool(self._printing) and any(arena.used.any() for arena in self._printing)

    def take_printed(self, completed: int) -> list[Printed]:
        """Return what launches of batches up to one have printed, and make room again."""
        return [
            arena.take_printed(int(index), user[0])
            for arena in self._printing
            for index in np.flatnonzero(arena.used)
            if (user := arena.owners[index]) is not None and user[1][0] <= completed
        ]

    def has_reports(self) -> bool:
        """Return whether any block holds a report, perhaps an unfinished one."""
        return any(arena.codes.any() for arena in self._arenas)

    def collect(self, completed: int) -> list[tuple[KernelInterface, tuple[int, ...]]]:
        """Return what launches of batches up to one have reported, with the owners of the blocks, and reset it.

        Those whose last launch was recorded first come first. What a thread waits for is left to that thread.
        """
        found: list[tuple[int, KernelInterface, tuple[int, ...]]] = []
        for arena in self._arenas:
            if not arena.codes.any():
                continue
            for index in np.flatnonzero((arena.codes != 0) & (arena.awaited == 0)):
                user = arena.owners[index]
                if user is not None and user[1][0] <= completed:
                    words = arena.words[index, : abi.STATUS_WORDS]
                    found.append((user[1][0], user[0], tuple(words.tolist())))
                    words.fill(0)
        return [(owner, words) for _, owner, words in sorted(found, key=lambda each: each[0])]


def _give_back(arena: _Arena, index: int) -> None:
    arena.free.append(index)
