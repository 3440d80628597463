"""The orderly end of a command at a signal."""

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
    """Turn the first SIGTERM, SIGHUP or SIGINT within this context into an exception, so that
    everything is cleaned up. The exit code is the one that a shell gives to the signal. Later
    signals interrupt nothing, neither here nor in the rest of the process. A signal that was
    ignored before (`nohup`) stays ignored. For the main thread."""
    heeded = {number: signal.getsignal(number) for number in _NUMBERS}
    # Inside another such context, all handlers are set already.
    changed = {n: handler for n, handler in heeded.items() if handler not in (signal.SIG_IGN, _end)}
    for number in changed:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in changed.items():
            if signal.getsignal(number) is _end:  # false once a signal has come
                signal.signal(number, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay signals within this context, inside `ended_in_order`, until its end."""
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
    """Make a temporary directory, which no signal inside `ended_in_order` leaves behind."""
    with ExitStack() as stack:
        with undisturbed():
            directory = tempfile.TemporaryDirectory(prefix=prefix)
            stack.callback(undisturbed()(directory.cleanup))
        yield Path(directory.name)


def _end(number: int, _: FrameType | None) -> None:
    for one in _NUMBERS:
        signal.signal(one, _pass_over)
    # Other signals may have come at the same instant. Handle them here: Python would complain on
    # stderr if their handlers were missing when their turn comes.
    signal.raise_signal(number)
    for one in _NUMBERS:
        signal.signal(one, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


def _pass_over(_number: int, _: FrameType | None) -> None:
    """Ignore the signal silently."""
