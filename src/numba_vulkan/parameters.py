"""The parameter block of a launch: scalars, and what arrays need beyond their buffer."""

from __future__ import annotations

from dataclasses import dataclass

from .element_names import ELEMENT_BYTES

__all__ = ["PUSH_CONSTANT_BYTES", "WHOLE_LAUNCH", "Parameter", "ParameterBlock", "lay_out", "with_part"]

# Every Vulkan device guarantees 128 bytes of push constants; larger blocks follow the status words in binding 0.
PUSH_CONSTANT_BYTES = 128
# What stands for the argument of a parameter that belongs to none.
WHOLE_LAUNCH = -1


@dataclass(frozen=True)
class Parameter:
    """One value of the parameter block.

    Attributes
    ----------
    argument : int
        The kernel argument that the value comes from.
    kind : {'scalar', 'extent', 'stride', 'offset', 'shared', 'base', 'groups'}
        The value itself, or of an array: the extent or the stride (in elements) of ``axis``, or the position of its
        first element in the buffer (in elements). All but scalars are i32.
        Of no argument, but of the `WHOLE_LAUNCH`: 'shared' are the bytes of dynamic shared memory; where a grid is
        dispatched in parts, 'base' is the first workgroup of a part and 'groups' the count of the grid.
    axis : int
        Axis of an extent, a stride, or of the grid; 1 for the imaginary part of a scalar; else 0.
    type : {'i32', 'i64', 'f32', 'f64'}
        Integers of 8 and 16 bits and booleans are widened to i32.
    offset_words : int
        Position in the block in 32-bit words.
    """

    argument: int
    kind: str
    axis: int
    type: str
    offset_words: int = 0


@dataclass(frozen=True)
class ParameterBlock:
    """All parameters of a kernel: 8-byte values first, then scalars of 4 bytes, then what belongs to arrays."""

    parameters: tuple[Parameter, ...] = ()

    @property
    def size_words(self) -> int:
        """Size of the block in 32-bit words."""
        return max((p.offset_words + _words(p.type) for p in self.parameters), default=0)

    @property
    def in_push_constants(self) -> bool:
        """Whether the block is push constants; otherwise it follows the status words in binding 0."""
        return self.size_words * 4 <= PUSH_CONSTANT_BYTES

    def offset(self, argument: int, kind: str, axis: int = 0) -> int:
        """Return the word offset of one parameter."""
        for p in self.parameters:
            if (p.argument, p.kind, p.axis) == (argument, kind, axis):
                return p.offset_words
        raise KeyError((argument, kind, axis))


def with_part(block: ParameterBlock) -> ParameterBlock:
    """Return a block that also says which part of the grid a dispatch is; what was in it stays where it is."""
    return lay_out(
        (
            *block.parameters,
            *(Parameter(WHOLE_LAUNCH, kind, axis, "i32") for kind in ("base", "groups") for axis in range(3)),
        )
    )


def _words(type: str) -> int:
    return ELEMENT_BYTES[type] // 4


def lay_out(parameters: tuple[Parameter, ...]) -> ParameterBlock:
    """Give each parameter its place in the block."""

    def rank(parameter: Parameter) -> int:
        return 0 if _words(parameter.type) == 2 else 1 if parameter.kind == "scalar" else 2

    placed: list[Parameter] = []
    offset = 0
    for p in sorted(parameters, key=rank):
        placed.append(Parameter(p.argument, p.kind, p.axis, p.type, offset))
        offset += _words(p.type)
    return ParameterBlock(tuple(placed))
