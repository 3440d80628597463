"""The priority of threads whose work can wait."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

_LOWEST = 19


def low_priority() -> None:
    """Give this thread processor time that no other thread wants. Linux knows threads by number as
    it knows processes."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOWEST)
