"""The LLVM representation of `VulkanArray`: metadata and a binding, no pointer."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import DataModelManager, default_manager, models

from ..errors import VulkanUnsupportedError
from .record_types import VulkanRecord
from .remedies import USE_OF_ARRAY
from .types import VulkanArray, VulkanArrayIterator, VulkanExpression, VulkanText

__all__ = ["manager"]


class VulkanArrayModel(models.StructModel):
    """Members under the names of Numba's own array model where both have them, and no more than a layout needs.

    ``binding`` is a value that the entry point sets and that inlining turns into a constant, so that a function is
    compiled once for all bindings. ``offset`` and ``steps`` count units of the type in 32 bits, or 64 if it is
    wide; the steps of contiguous arrays follow from the shape.
    """

    def __init__(self, manager: DataModelManager, fe_type: VulkanArray) -> None:
        index = types.int64 if fe_type.is_wide else types.int32
        members: list[tuple[str, types.Type]] = [
            ("binding", types.int32),
            ("offset", index),
            ("shape", types.UniTuple(types.intp, fe_type.ndim)),
        ]
        if fe_type.layout == "A":
            members.append(("steps", types.UniTuple(index, fe_type.ndim)))
        super().__init__(manager, fe_type, members)

    def get_field_position(self, field: str) -> int:
        """Return the position of a member; what else Numba's code for arrays on the CPU asks for does not exist."""
        if field not in self._fields:
            raise VulkanUnsupportedError(USE_OF_ARRAY)
        return super().get_field_position(field)


class VulkanRecordModel(models.StructModel):
    """The array that a record lies in, and where: ``index`` counts units of the type, in 32 bits."""

    def __init__(self, manager: DataModelManager, fe_type: VulkanRecord) -> None:
        super().__init__(manager, fe_type, [("binding", types.int32), ("index", types.int32)])


class FloatModel(models.FloatModel):
    """Numba's model of floats; that of float16 is the 16 bits of the number."""

    def __init__(self, manager: DataModelManager, fe_type: types.Float) -> None:
        if fe_type is types.float16:
            models.PrimitiveModel.__init__(self, manager, fe_type, ir.IntType(16))
        else:
            super().__init__(manager, fe_type)


class VulkanExpressionModel(models.StructModel):
    """The operands and the extents; ``shape`` has the name that Numba's own code looks for."""

    def __init__(self, manager: DataModelManager, fe_type: VulkanExpression) -> None:
        members: list[tuple[str, types.Type]] = [(f"operand{k}", t) for k, t in enumerate(fe_type.operands)]
        members.append(("shape", types.UniTuple(types.intp, fe_type.ndim)))
        super().__init__(manager, fe_type, members)


class TextModel(models.StructModel):
    """The numbers of a text."""

    def __init__(self, manager: DataModelManager, fe_type: VulkanText) -> None:
        super().__init__(manager, fe_type, [(f"number{k}", t) for k, t in enumerate(fe_type.numbers)])


_own = DataModelManager()
_own.register(VulkanText, TextModel)
_own.register(VulkanExpression, VulkanExpressionModel)
_own.register(types.Float, FloatModel)
_own.register(VulkanArray, VulkanArrayModel)
_own.register(VulkanRecord, VulkanRecordModel)
_own.register(VulkanArrayIterator, models.ArrayIterator)
manager = _own.chain(default_manager)
