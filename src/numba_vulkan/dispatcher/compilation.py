"""What a compilation needs and a launch does not: all rules of the front end, the stages after it, the math compiler.

Importing them takes some 80 ms, so the dispatcher imports this module with the first kernel that it compiles, while the
driver opens its device if it has to.
"""

from __future__ import annotations

from .. import mathbuild
from ..codegen import build
from ..frontend import rules

__all__ = ["build", "rules"]

mathbuild.install()
