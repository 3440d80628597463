"""Calls from other threads into the app's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


def call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> bool:
    """Have the loop run `call` soon. Returns False once the loop is closed: the app has ended."""
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        return False
    return True
