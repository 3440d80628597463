"""The effects of signals on a shepherd itself."""

from __future__ import annotations

import os
import signal

ALL_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}


def wake_on_child_exit() -> int:
    """Return a descriptor that becomes readable with SIGCHLD."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, ignore)
    return reader


def ignore(_number: int, _frame: object) -> None:
    """Handle a signal by doing nothing. Unlike SIG_IGN, what the shepherd starts does not inherit
    a handler."""


def clean() -> None:
    """Undo what our parents ignored or blocked: it must not affect what we start."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in ALL_SIGNALS - {signal.SIGPIPE, signal.SIGXFSZ}:  # ignored by Python, for itself
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
