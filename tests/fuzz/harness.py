"""Harness: a property of some readers, for any bytes at all."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Harness(NamedTuple):
    """`check` raises for bytes that are not read as they should be. `readers` are the modules whose
    lines are counted afterwards (`reached`). `seeds` are what to begin with: good ones, and bad
    ones that have once done harm."""

    what: str
    check: Callable[[bytes], None]
    readers: tuple[str, ...]
    seeds: tuple[bytes, ...]


@cache
def scratch() -> Path:
    """Return a folder of this process, which is gone with it."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)
