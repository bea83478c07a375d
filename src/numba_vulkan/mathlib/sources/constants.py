"""Numbers that the sources share; the bits are those of float32."""

from __future__ import annotations

import math

INFINITY = math.inf
NAN = math.nan
SIGN = 0x80000000
MAGNITUDE = 0x7FFFFFFF
INFINITY_BITS = 0x7F800000
