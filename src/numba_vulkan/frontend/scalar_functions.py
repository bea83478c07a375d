"""NumPy's functions of dates: ``np.isnat``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, Registry, signature

__all__ = ["typing"]

typing = Registry()


class _IsNat(AbstractTemplate):
    """Typing of ``np.isnat``; Numba has a lowering for it that holds on any target."""

    key = np.isnat

    def generic(self, args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        """Return the signature for a date or a time."""
        is_time = len(args) == 1 and isinstance(args[0], types.NPDatetime | types.NPTimedelta)
        return signature(types.boolean, *args) if is_time and not kws else None


typing.register_global(np.isnat, types.Function(_IsNat))
