"""The functions that only kernels can call; called on the host they say so."""

from . import atomic, const, local, math, shared, subgroup
from .ids import global_id, group_id, local_id, local_size, num_groups
from .synchronization import (
    barrier,
    fence_device,
    fence_workgroup,
    syncthreads,
    syncthreads_and,
    syncthreads_count,
    syncthreads_or,
)

__all__ = [
    "atomic",
    "barrier",
    "const",
    "fence_device",
    "fence_workgroup",
    "global_id",
    "group_id",
    "local",
    "local_id",
    "local_size",
    "math",
    "num_groups",
    "shared",
    "subgroup",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
]
