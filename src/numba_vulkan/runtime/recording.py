"""Which threads record graphs, and what they cannot do meanwhile: all that would act at once."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["begin", "check_launch", "end", "is_recording", "recordings", "require_idle"]

# The graphs that each thread records, on different devices. Empty nearly always: launches look only whether it is.
recordings: dict[int, tuple[Any, ...]] = {}


def begin(graph: Any) -> None:
    """Note that its thread records a graph."""
    recordings[graph.thread] = (*recordings.get(graph.thread, ()), graph)


def end(graph: Any) -> None:
    """Note that its thread records a graph no longer."""
    others = tuple(other for other in recordings.pop(graph.thread, ()) if other is not graph)
    if others:
        recordings[graph.thread] = others


def is_recording(device: Any) -> bool:
    """Return whether this thread records a graph on a device."""
    recorder = device.recorder
    return recorder is not None and recorder.thread == threading.get_ident()


def require_idle(device: Any) -> None:
    """Raise if this process cannot use a device, or this thread records a graph on it.

    Called by all that uses the device at once, whoever records.
    """
    device.logical.require_usable()
    if is_recording(device):
        raise ValueError(
            f"a graph is being recorded on '{device.info.name}', which takes launches on device arrays only: copies, "
            "fills, events and launches of graphs act at once, so make them before or after `with nv.record()`"
        )


def check_launch(graphs: tuple[Any, ...], where: str, device: Any, stream: object, has_hosts: bool) -> None:
    """Raise if a launch cannot be part of the graphs that this thread records.

    Parameters
    ----------
    graphs : tuple of Graph
        The graphs.
    where : str
        The kernel and its place in the source.
    device : Device
        Where it is launched.
    stream : Stream or None
        The stream that it is launched on.
    has_hosts : bool
        Whether there are NumPy arrays among the arguments.
    """
    recorded = " and ".join(f"'{graph.device.info.name}'" for graph in graphs)
    what = f"kernel {where} is launched while a graph is recorded on {recorded}"
    if all(graph.device is not device for graph in graphs):
        raise ValueError(
            f"{what}, but on '{device.info.name}': record there with nv.record(device), or launch it before or after "
            "the `with` block"
        )
    if stream is not None:
        raise ValueError(
            f"{what}, but on a stream: leave the stream out, or launch it before or after the `with` block"
        )
    if has_hosts:
        raise ValueError(f"{what}, which takes device arrays only: copy NumPy arguments first (nv.to_device)")
