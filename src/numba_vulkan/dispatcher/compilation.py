"""What a compilation needs and a launch does not: the stages after the front end, and the math library's compiler.

Importing them takes some 40 ms, so the dispatcher imports this module with the first kernel that it compiles.
"""

from __future__ import annotations

from .. import mathbuild
from ..codegen import build, collection_paused

__all__ = ["build", "collection_paused"]

mathbuild.install()
