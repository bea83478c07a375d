"""What is imported with the first kernel that is compiled."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from ..collection import age_objects, collection_paused

__all__ = ["compilation"]


@cache
def compilation() -> Any:
    """Return the module with the stages after the front end; see there why it is imported late."""
    with collection_paused():
        module = import_module(".compilation", __package__)
        age_objects()
        return module
