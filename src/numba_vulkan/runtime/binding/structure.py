"""Base class of the generated structures."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import Array, c_void_p
from typing import ClassVar

__all__ = ["Structure"]

_POINTED_TO = (ctypes.Structure, ctypes.Union, Array)


class Structure(ctypes.Structure):
    """A Vulkan structure: fills in ``sType``, and takes for a pointer the ctypes object that it shall point to.

    For a pointer to several structures it takes a list of those, of which it makes an array. Objects passed to the
    constructor, and those that structures among them point to, stay alive as long as the structure: ctypes copies
    structures into arrays and fields without what they hold, so an array made elsewhere is refused.
    """

    structure_type: ClassVar[int | None] = None
    _types: ClassVar[dict[str, object]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._types = {field[0]: field[1] for field in cls.__dict__.get("_fields_", ())}

    def __init__(self, **fields: object) -> None:
        if self.structure_type is not None:
            fields["sType"] = self.structure_type
        held: list[object] = []
        for name, value in fields.items():
            if self._types[name] is c_void_p and isinstance(value, (list, *_POINTED_TO)):
                assert not _is_array_of_structures(value), f"{name} takes a list of structures"
                pointed_to = _array_of(value) if isinstance(value, list) else value
                held += [value, pointed_to]
                fields[name] = ctypes.addressof(pointed_to)
            elif isinstance(value, Structure):
                held.append(value)
        super().__init__(**fields)
        self._held = held


def _array_of(structures: Sequence[Structure]) -> Array[Structure]:
    kind = type(structures[0]) if structures else Structure
    return (kind * len(structures))(*structures)


def _is_array_of_structures(value: object) -> bool:
    return isinstance(value, Array) and issubclass(value._type_, Structure)
