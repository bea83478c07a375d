"""What the placeholders of the IR do with the state of an invocation."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from differential.semantics import InterpreterError
from numba_vulkan import abi

if TYPE_CHECKING:
    from differential.interpreter import State

__all__ = ["DTYPES", "FAMILIES", "placeholder"]

DTYPES = {"i8": "u1", "i16": "u2", "i32": "u4", "i64": "u8", "f16": "f2", "f32": "f4", "f64": "f8"}
# Those that passes write for themselves, and the memory of which changes by nothing else.
_ATOMICS: dict[str, Callable[..., int]] = {"store": lambda _old, value: value, "or": operator.or_}


def placeholder(name: str) -> Callable[..., Any]:
    """Return what a placeholder does with the state and its operands."""
    parts = name.split(".")
    return FAMILIES[".".join(parts[:2])](name, parts[2] if len(parts) > 2 else "")


def _element(state: State, binding: int, element: str, index: int) -> NDArray[Any]:
    elements = state.elements(binding, element)
    if index >= len(elements):
        raise InterpreterError(f"element {index} of binding {binding}, which has {len(elements)}")
    return elements


def _array_load(name: str, element: str) -> Callable[..., Any]:
    def load(state: State, binding: int, index: int) -> Any:
        value = _element(state, binding, element, index)[index]
        return int(value) if element[0] == "i" else value

    return load


def _array_store(name: str, element: str) -> Callable[..., Any]:
    def store(state: State, binding: int, index: int, value: Any) -> None:
        _element(state, binding, element, index)[index] = value
        state.stores.append((binding, index, value))

    return store


def _atomic(name: str, operation: str) -> Callable[..., Any]:
    element = name.split(".")[3]

    def change(state: State, binding: int, index: int, *values: int) -> int:
        elements = _element(state, binding, element, index)
        old = int(elements[index])
        elements[index] = _ATOMICS[operation](old, *values)
        return old

    return change


def _parameter(name: str, kind: str) -> Callable[..., Any]:
    element = "i32" if kind == "extent" else kind

    def read(state: State, offset: int) -> Any:
        words = np.array(state.params[offset : offset + abi.ELEMENT_BYTES[element] // 4], np.uint32)
        value = words.view(DTYPES[element])[0]
        return int(value) if element[0] == "i" else value

    return read


def _id(name: str, kind: str) -> Callable[..., Any]:
    default = (1, 1, 1) if name.startswith("nv.size") else (0, 0, 0)
    return lambda state, axis: int(state.ids.get(name, default)[axis])


def _status(name: str, kind: str) -> Callable[..., Any]:
    def claim(state: State, code: int) -> int:
        if state.status:
            return 0
        state.status = code
        return 1

    def put(state: State, word: int, value: int) -> None:
        state.payload[word] = value

    return claim if name == abi.STATUS_CLAIM else put


def _reinterpret(name: str, kind: str) -> Callable[..., Any]:
    bits, real = DTYPES["i" + kind[1:]], DTYPES[kind]
    if name.startswith("nv.bits"):
        return lambda state, value: int(np.array(value, real).view(bits)[()])
    return lambda state, value: np.array(value, bits).view(real)[()]


def _nothing(_name: str, _kind: str) -> Callable[..., Any]:
    """Return the function of a placeholder that only drivers see."""
    return lambda _state, *_operands: None


FAMILIES: dict[str, Callable[[str, str], Callable[..., Any]]] = {
    "nv.load": _array_load,
    "nv.store": _array_store,
    "nv.atomic": _atomic,
    "nv.param": _parameter,
    "nv.id": _id,
    "nv.size": _id,
    "nv.status": _status,
    "nv.bits": _reinterpret,
    "nv.frombits": _reinterpret,
    "nv.variable": _nothing,
    "nv.workgroup": _nothing,
    "nv.fence": _nothing,
}
