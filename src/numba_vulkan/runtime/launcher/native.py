"""Compiling the launcher, or loading it from the cache folder, and making sure that it does what its twin does."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import platform
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ... import settings
from .. import context
from ..array import DeviceArray
from ..binding import vk
from ..driver_file import CacheFile
from . import code, plan

__all__ = ["Launcher", "launcher"]


class Launcher:
    """The compiled launcher; `function` makes a built-in function for a chain of plans."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._address = engine.get_function_address("nv_launch")
        self._fill_table(engine.get_global_value_address("nv_table"))

        class MethodDef(ctypes.Structure):
            _fields_ = (
                ("name", ctypes.c_char_p),
                ("function", ctypes.c_void_p),
                ("flags", ctypes.c_int),
                ("doc", ctypes.c_char_p),
            )

        self._definition = MethodDef(b"launch", self._address, _METH_FASTCALL, None)
        self._new = ctypes.pythonapi.PyCFunction_NewEx
        self._new.restype = ctypes.py_object
        self._new.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]

    def _fill_table(self, address: int) -> None:
        table = (ctypes.c_int64 * code.TABLE_WORDS).from_address(address)
        constants = {"True": True, "False": False, "None": None, "NotImplemented": NotImplemented}
        for name, word in code.PYTHON.items():
            if name in constants:
                table[word] = id(constants[name])
            elif name == "native_offset":
                table[word] = _native_offset()
            else:
                table[word] = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0

    def function(self, chain: plan.PlanChain) -> Any:
        """Return the built-in function that launches with the plans of a chain, which must outlive it.

        It returns True when the launch was recorded, False when it has to be made in another way, and NotImplemented
        when the batch that it was recorded in could not be started.
        """
        # What is passed as its module lives as long as the function: the code it runs.
        return self._new(ctypes.addressof(self._definition), ctypes.addressof(chain.head), self)


_METH_FASTCALL = 0x0080
_WORD = ctypes.sizeof(ctypes.c_void_p)


def _native_offset() -> int:
    """Return where a device array keeps the address of its record, found by looking for a number put there."""
    probe = DeviceArray.__new__(DeviceArray)
    number = 0x5EED_0000_1234
    probe.native = number
    words = (ctypes.c_uint64 * (DeviceArray.__basicsize__ // _WORD)).from_address(id(probe))
    return next(_WORD * i for i, word in enumerate(words) if word == id(number))


@functools.cache
def launcher() -> Launcher | None:
    """Return the launcher; None where it cannot be used: the Python path then does the same.

    That is so with ``NUMBA_VULKAN_NATIVE=0``, without CPython's global lock, on machines of 32 bits, and when the
    self-test fails.
    """
    if not settings.native.value() or not _is_known_python():
        return None
    with suppress(Exception):
        made = Launcher(_engine())
        if _passes_self_test(made):
            return made
    return None


def _is_known_python() -> bool:
    return (
        sys.implementation.name == "cpython"
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and _WORD == 8
        and sys.byteorder == "little"
    )


def _engine() -> Any:
    """Return LLVM's engine with the launcher, from the cache folder if it was compiled before."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, codemodel="jitdefault")
    file = _cached_object()
    machine_code = file.read()
    if not machine_code:
        module = llvm.parse_assembly(code.build())
        module.verify()
        machine_code = machine.emit_object(module)
        file.write(machine_code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
    engine.finalize_object()
    return engine


def _cached_object() -> CacheFile:
    """Return the file of the object code; its name says what it depends on."""
    sources = [Path(str(module.__file__)).read_bytes() for module in (code, plan, context)]
    identity = "|".join((llvmlite.__version__, platform.machine(), platform.system(), sys.version))
    digest = hashlib.sha256(b"\0".join([identity.encode(), *sources])).hexdigest()[:32]
    return CacheFile(settings.cache_folder() / "launcher" / f"{digest}.o")


# ---------------------------------------------------------------- self-test


def _passes_self_test(made: Launcher) -> bool:
    """Launch through functions that only note how they were called, and compare with what has to happen."""
    calls: list[tuple[Any, ...]] = []
    words, keep = _noting_context(calls)
    records = [context.new_buffer_record() for _ in range(2)]
    slot = SimpleNamespace(
        writes=(records[0],),
        reads=(records[1],),
        record=context.new_words(1),
        set_handle=33,
        on_eviction=[],
        pipeline=SimpleNamespace(handle=11, layout=SimpleNamespace(handle=22)),
    )
    arguments = [
        plan.NativeArgument(plan.ArgumentKind.DOUBLE, float, offset_bytes=0),
        plan.NativeArgument(plan.ArgumentKind.INT64, int, offset_bytes=8),
        plan.NativeArgument(plan.ArgumentKind.ARRAY, DeviceArray, key=77, offset_bytes=16, words=2),
    ]
    array = DeviceArray.__new__(DeviceArray)
    record = (ctypes.c_int64 * 2)(77, 5 | 6 << 32)
    array.native = ctypes.addressof(record)
    chain = plan.PlanChain()
    chain.add(plan.NativePlan(words, slot, (4, 3, 2), 24, arguments))  # type: ignore[arg-type]
    launch = made.function(chain)
    refused = [launch(), launch(1.5, 2, 3), launch(1, 2, array), launch(1.5, 2**70, array)]
    answers = [launch(1.5, -7, array), launch(2.5, 9, array), launch(2.5, 9, array)]
    del keep
    return refused == [False] * 4 and answers == [True] * 3 and calls == _EXPECTED_CALLS


def _noting_context(calls: list[tuple[Any, ...]]) -> tuple[Any, list[Any]]:
    """Return a context whose functions append their name and arguments to a list."""
    words = context.new_context()
    # As if all but one of the batches that may be in flight were.
    words[context.SERIAL] = context.RING_SIZE
    words[context.RING], words[context.RING + 1] = 101, 102
    words[context.SUBMIT_INFOS], words[context.SUBMIT_INFOS + 1] = 201, 202
    words[context.QUEUE], words[context.BEGIN_INFO], words[context.DEVICE] = 301, 302, 305
    words[context.BARRIER], words[context.HOST_BARRIER] = 303, 304
    signal, semaphore = (ctypes.c_uint64 * 1)(), (ctypes.c_uint64 * 1)()
    words[context.SIGNAL], words[context.SEMAPHORE] = ctypes.addressof(signal), ctypes.addressof(semaphore)
    keep: list[Any] = [signal, semaphore]
    for name, count in _COUNTS.items():
        keep.append(_noting_function(calls, name, count))
        words[context.FUNCTIONS[name]] = ctypes.cast(keep[-1], ctypes.c_void_p).value or 0
    return words, keep


def _noting_function(calls: list[tuple[Any, ...]], name: str, count: int) -> Any:
    def note(*arguments: int) -> int:
        calls.append((name, arguments[0], *_NOTED.get(name, _nothing)(*arguments[1:])))
        return 0

    return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * count)(note)


def _nothing(*_arguments: int) -> tuple[int, ...]:
    return ()


def _counts(*arguments: int) -> tuple[int, ...]:
    return tuple(argument & 0xFFFFFFFF for argument in arguments)


def _pushed(layout: int, stage: int, offset: int, size: int, values: int) -> tuple[int, ...]:
    return layout, *_counts(stage, offset, size), *(ctypes.c_int64 * 3).from_address(values)


def _counter_value(semaphore: int, place: int) -> tuple[int, ...]:
    """Give the number of a semaphore, whose handle is the address of the number."""
    ctypes.memmove(place, semaphore, _WORD)
    return ()


def _awaited(info: int, timeout: int) -> tuple[int, ...]:
    """Let the semaphores reach what is waited for."""
    found = vk.VkSemaphoreWaitInfo.from_address(info)
    numbers = ctypes.c_int64 * found.semaphoreCount
    awaited = tuple(numbers.from_address(found.pValues))
    for handle, number in zip(numbers.from_address(found.pSemaphores), awaited, strict=True):
        ctypes.c_int64.from_address(handle).value = number
    return *awaited, timeout


# What is noted of a call besides its name and its first argument.
_NOTED = {
    "vkCmdDispatch": _counts,
    "vkCmdPushConstants": _pushed,
    "vkGetSemaphoreCounterValue": _counter_value,
    "vkWaitSemaphores": _awaited,
}


_COUNTS = {
    "vkBeginCommandBuffer": 2,
    "vkEndCommandBuffer": 1,
    "vkQueueSubmit": 4,
    "vkGetSemaphoreCounterValue": 3,
    "vkWaitSemaphores": 3,
    "vkCmdPipelineBarrier": 10,
    "vkCmdBindPipeline": 3,
    "vkCmdBindDescriptorSets": 8,
    "vkCmdPushConstants": 6,
    "vkCmdDispatch": 4,
}
_HALVES = 5 | 6 << 32
# 1.5 and 2.5 as the integers that have their bits.
_FIRST, _SECOND = 0x3FF8000000000000, 0x4004000000000000
_STAGE = 0x20


def _recorded(commands: int, *binds: str, push: tuple[int, int]) -> list[tuple[Any, ...]]:
    return [
        *((name, commands) for name in binds),
        ("vkCmdPushConstants", commands, 22, _STAGE, 0, 24, *push, _HALVES),
        ("vkCmdDispatch", commands, 4, 3, 2),
    ]


# The first launch is submitted at once; the second waits for the first batch of all and opens one of two launches, in
# which the third binds nothing anew.
_EXPECTED_CALLS = [
    ("vkBeginCommandBuffer", 101),
    *_recorded(101, "vkCmdBindPipeline", "vkCmdBindDescriptorSets", push=(_FIRST, -7)),
    ("vkCmdPipelineBarrier", 101),
    ("vkEndCommandBuffer", 101),
    ("vkQueueSubmit", 301),
    ("vkGetSemaphoreCounterValue", 305),
    ("vkWaitSemaphores", 305, 1, context.PIECE_NS),
    ("vkGetSemaphoreCounterValue", 305),
    ("vkBeginCommandBuffer", 102),
    *_recorded(
        102, "vkCmdPipelineBarrier", "vkCmdBindPipeline", "vkCmdBindDescriptorSets", push=(_SECOND, 9)
    ),
    *_recorded(102, "vkCmdPipelineBarrier", push=(_SECOND, 9)),
    ("vkCmdPipelineBarrier", 102),
    ("vkEndCommandBuffer", 102),
    ("vkQueueSubmit", 301),
]
