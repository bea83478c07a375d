"""What only running a kernel can tell of a driver: the answers of the probes, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ProbeAnswers"]


@dataclass(frozen=True)
class ProbeAnswers:
    """What only running a kernel can tell of a driver.

    Attributes
    ----------
    loop_limit : bool
        Whether it silently ends loops after a fixed count.
    fences_end_loops : bool
        Whether it takes fences for barriers, and ends loops at those that subgroups reach unequally often.
    rounds_division, rounds_sqrt : bool
        Whether quotients and square roots of float32 are the nearest floats.
    inverts_in_one_step : bool
        Whether one step makes its inverses of float32 the nearest floats.
    has_fused_fma : bool
        Whether Fma rounds once, in every precision that the device has.
    rounds_sum, rounds_product : bool
        Whether sums and products of float32 are the nearest floats.
    keeps_steps, keeps_order : bool
        Whether a product is rounded before it is added to, and ``(a + b) - a`` is not taken for b.
    flushes_denormals : bool
        Whether denormal results of float32 become zeros.
    float64_faults : tuple of str
        The operations of float64 that it gets wrong; kernels correct none of them.
    """

    loop_limit: bool = False
    fences_end_loops: bool = False
    rounds_division: bool = True
    rounds_sqrt: bool = True
    inverts_in_one_step: bool = True
    has_fused_fma: bool = False
    rounds_sum: bool = True
    rounds_product: bool = True
    keeps_steps: bool = True
    keeps_order: bool = True
    flushes_denormals: bool = False
    float64_faults: tuple[str, ...] = ()

    @property
    def corrected(self) -> tuple[str, ...]:
        """The operations of float32 that the driver rounds wrongly and kernels correct."""
        return self._wrong_quotients() if self.has_fused_fma else ()

    @property
    def uncorrected(self) -> tuple[str, ...]:
        """What the driver does wrongly and nothing corrects; results then may differ from those of other devices."""
        rows = (
            (self.rounds_sum, "sums"),
            (self.rounds_product, "products"),
            (self.keeps_steps, "products that are added to, which it does not round"),
            (self.keeps_order, "sums in the order that is written"),
        )
        found = tuple(name for is_right, name in rows if not is_right)
        found += tuple(f"{name} of float64" for name in self.float64_faults)
        return found if self.has_fused_fma else (*self._wrong_quotients(), *found)

    def _wrong_quotients(self) -> tuple[str, ...]:
        rows = ((self.rounds_division, "division"), (self.rounds_sqrt, "square roots"))
        return tuple(name for is_right, name in rows if not is_right)
