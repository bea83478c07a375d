"""Files in the cache folder that hold for one version of a driver."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from .. import settings
from .info import DeviceInfo

__all__ = ["CacheFile", "DriverFile"]

_DIGEST_BYTES = 32


class CacheFile:
    """A file of the cache folder that knows when it is damaged.

    A missing or damaged file reads as empty, and a folder that cannot be written is left alone: caches save time, and
    nothing depends on them.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> bytes:
        """Return the content, empty if there is none or it is damaged."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return b""
        digest, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        # Drivers have crashed on damaged pipeline caches: they check the header only.
        return content if hashlib.sha256(content).digest() == digest else b""

    def write(self, content: bytes) -> None:
        """Replace the content in one step, so that other processes read the old or the new one."""
        temporary = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as file:
                temporary = file.name
                file.write(hashlib.sha256(content).digest() + content)
            Path(temporary).replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


class DriverFile(CacheFile):
    """A file of the cache folder for a device and the version of its driver.

    Parameters
    ----------
    kind : str
        What the file holds: its folder.
    info : DeviceInfo
        The device.
    """

    def __init__(self, kind: str, info: DeviceInfo) -> None:
        super().__init__(settings.cache_folder() / kind / f"{_identity(info)}.bin")


def _identity(info: DeviceInfo) -> str:
    """Return a name for a device with the version of its driver."""
    parts = (
        info.name,
        info.vendor_id,
        info.device_id,
        info.driver_name,
        info.driver_info,
        info.driver_version,
        info.driver_uuid,
        info.pipeline_cache_uuid,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
