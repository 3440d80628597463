"""Waiting for a condition, in tests that block and in tests on an event loop."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any

DEADLINE_S = 60.0
_POLL_S = 0.02


def wait_until(
    condition: Callable[[], Any], what: str = "", *, within_s: float = DEADLINE_S
) -> Any:
    """Poll until the condition is true, and return its value; fail at the deadline."""
    give_up = time.monotonic() + within_s
    while not (value := condition()):
        assert time.monotonic() < give_up, f"in vain: {what or condition}"
        time.sleep(_POLL_S)
    return value


async def until(
    condition: Callable[[], Any], what: str = "", *, within_s: float = DEADLINE_S
) -> Any:
    """Poll as `wait_until` does, while the event loop goes on. The condition may be a coroutine
    function."""
    give_up = time.monotonic() + within_s
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        assert time.monotonic() < give_up, f"in vain: {what or condition}"
        await asyncio.sleep(_POLL_S)
