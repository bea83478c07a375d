"""What ``@jit`` options mean for Numba's compiler, and the flags that every compilation for Vulkan has."""

from __future__ import annotations

from typing import Any

from numba.core.options import TargetOptions, include_default_options

__all__ = ["VulkanTargetOptions"]

# ``nopython``, ``debug`` and the wrappers are accepted because Numba passes them for overloads.
_Accepted: type = include_default_options(
    "nopython",
    "forceobj",
    "no_cpython_wrapper",
    "no_cfunc_wrapper",
    "boundscheck",
    "error_model",
    "inline",
    "forceinline",
    "no_rewrites",
    "nogil",
    "debug",
)


class VulkanTargetOptions(_Accepted, TargetOptions):
    """Maps options to flags."""

    def finalize(self, flags: Any, options: dict[str, Any]) -> None:
        """Set what holds for every function."""
        flags.enable_pyobject = False
        flags.no_compile = True
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.nrt = False
        # Lines only: errors of later stages name the user's line, and OpLine can be written.
        flags.debuginfo = True
        flags.dbg_directives_only = True
        flags.inherit_if_not_set("error_model", "numpy")
        flags.inherit_if_not_set("boundscheck", False)
