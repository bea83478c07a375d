"""What a kernel gives up of exact float arithmetic: `MathMode`, from ``@jit(fma=…, fastmath=…, narrow_math=…)``."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MathMode"]


@dataclass(frozen=True)
class MathMode:
    """How floats are computed.

    Parameters
    ----------
    fma : bool
        Compute a product and the sum that uses it with one rounding where the device can.
    fastmath : bool
        As ``fma``; in addition do not correct the driver's division and square root, and use its functions for float32.
    narrow_math : bool
        Compute math functions of float64 in float32.
    """

    fma: bool = False
    fastmath: bool = False
    narrow_math: bool = False

    @classmethod
    def of(cls, **options: object) -> MathMode:
        """Return the mode that options of ``@jit`` ask for.

        Raises
        ------
        TypeError
            If one is no bool.
        """
        for name, value in options.items():
            if not isinstance(value, bool):
                raise TypeError(f"{name}={value!r} is neither True nor False")
        return cls(**options)  # pyright: ignore[reportArgumentType]

    @property
    def contracts(self) -> bool:
        """Whether a product and the sum that uses it may be rounded once."""
        return self.fma or self.fastmath
