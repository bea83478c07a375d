"""Base class of the generated structures."""

from __future__ import annotations

import ctypes
from ctypes import Array, c_void_p
from typing import ClassVar

__all__ = ["Structure"]

_POINTED_TO = (ctypes.Structure, ctypes.Union, Array)


class Structure(ctypes.Structure):
    """A Vulkan structure: fills in ``sType``, and takes for a pointer the ctypes object that it shall point to.

    Objects passed to the constructor stay alive as long as the structure.
    """

    structure_type: ClassVar[int | None] = None
    _types: ClassVar[dict[str, object]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._types = {field[0]: field[1] for field in cls.__dict__.get("_fields_", ())}

    def __init__(self, **fields: object) -> None:
        if self.structure_type is not None:
            fields["sType"] = self.structure_type
        pointed_to: list[object] = []
        for name, value in fields.items():
            if self._types[name] is c_void_p and isinstance(value, _POINTED_TO):
                pointed_to.append(value)
                fields[name] = ctypes.addressof(value)
        super().__init__(**fields)
        self._pointed_to = pointed_to
