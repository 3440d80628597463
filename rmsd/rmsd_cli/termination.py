"""Ending a command in good order when it is told to."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType

_NUMBERS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Within this context the first SIGTERM, SIGHUP or SIGINT is an exception, so that all is
    cleaned up, with the exit code that a shell gives to the signal; those after it interrupt
    nothing, neither here nor in what is left of the process. What was ignored before (`nohup`)
    stays so. For the main thread."""
    heeded = {number: signal.getsignal(number) for number in _NUMBERS}
    # Within another such context there is nothing to set.
    changed = {n: handler for n, handler in heeded.items() if handler not in (signal.SIG_IGN, _end)}
    for number in changed:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in changed.items():
            if signal.getsignal(number) is _end:  # not so once a signal has come
                signal.signal(number, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within this context inside `ended_in_order`, a signal takes effect at the end."""
    came: list[int] = []
    put_off = [number for number in _NUMBERS if signal.getsignal(number) is _end]
    for number in put_off:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number in put_off:
            signal.signal(number, _end)
        if came:
            _end(came[0], None)


@contextmanager
def scratch_directory(prefix: str) -> Iterator[Path]:
    """A temporary directory, which no signal inside `ended_in_order` leaves behind."""
    with ExitStack() as stack:
        with undisturbed():
            directory = tempfile.TemporaryDirectory(prefix=prefix)
            stack.callback(undisturbed()(directory.cleanup))
        yield Path(directory.name)


def _end(number: int, _: FrameType | None) -> None:
    for one in _NUMBERS:
        signal.signal(one, _pass_over)
    # Others may have come at the same instant. With these they are over, and no handler of theirs
    # is missing when their turn comes, of which Python would complain on stderr.
    signal.raise_signal(number)
    for one in _NUMBERS:
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _pass_over(_number: int, _: FrameType | None) -> None:
    """Nothing is done, and nothing is said."""
