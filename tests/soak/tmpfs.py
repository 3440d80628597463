"""Small file systems, to be filled and emptied again."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path


class MountError(Exception):
    """No file system can be mounted here; the message says why."""


class SmallDisk:
    """A tmpfs of `size_mib` at `path`, until `close`. Raises MountError."""

    def __init__(self, path: Path, size_mib: int) -> None:
        self.path = path
        self._filler = path / "filler"
        path.mkdir(parents=True, exist_ok=True)
        options = f"size={size_mib}m,mode=0700"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise MountError(f"a tmpfs cannot be mounted: {done.stderr.strip()}")

    def fill(self) -> None:
        """Write until the disk has no free byte."""
        with self._filler.open("ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(os.urandom(1) * size)

    def empty(self) -> None:
        self._filler.unlink(missing_ok=True)

    def close(self) -> None:
        subprocess.run(["umount", "-l", str(self.path)], check=True)
