"""Numbers that sources of float64 functions share."""

from __future__ import annotations

import math

INFINITY = math.inf
NAN = math.nan
