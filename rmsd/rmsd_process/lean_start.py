"""Savings at the start of a program: most of the start is the loading of modules."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Collect no garbage within the block, which makes very many objects that stay, as the loading
    of modules does. Python would walk those made so far again and again, for a fifth of the time
    that it takes to load the daemon."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def without(package: str) -> Iterator[None]:
    """Let a package that is not loaded yet look as if it was not installed, within the block. A
    library that would load it for a function that is not used loads faster then."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]
