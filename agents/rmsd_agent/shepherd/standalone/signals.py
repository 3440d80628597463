"""The effects of signals on a shepherd itself."""

from __future__ import annotations

import ctypes
import os
import signal

ALL_SIGNALS = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class Wakeup:
    """A pipe whose descriptor `reader` becomes readable with each signal that has a handler. A
    process has one at most."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def clear(self) -> None:
        """Make the descriptor unreadable until the next signal. Call it when it is readable."""
        os.read(self.reader, 4096)

    def close(self) -> None:
        """Close the pipe, which a process that was forked shares with its parent."""
        signal.set_wakeup_fd(-1)
        os.close(self.reader)
        os.close(self._writer)


def ignore(_number: int, _frame: object) -> None:
    """Handle a signal by doing nothing. Unlike SIG_IGN, what the shepherd starts does not inherit
    a handler."""


def clean() -> None:
    """Undo what our parents ignored or blocked: it must not affect what we start."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in ALL_SIGNALS - {signal.SIGPIPE, signal.SIGXFSZ}:  # ignored by Python, for itself
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def end_with_parent(ends: bool, with_signal: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel kill the calling process, or send it another signal, as soon as its parent
    ends, or not.

    The kernel forgets this with each change of the effective ids. Raises OSError.
    """
    number = with_signal if ends else 0
    if _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
