"""Bugs to inject: each breaks one promise, and the stories must find it."""

from __future__ import annotations

from collections.abc import Callable

from tests.world.bugs import hostile, liar, running, scheduling, storing

BUGS: dict[str, Callable[[], None]] = {
    **storing.BUGS,
    **scheduling.BUGS,
    **running.BUGS,
    **liar.BUGS,
    **hostile.BUGS,
}
