"""Standard output that is closed, full, or without a reader."""

from __future__ import annotations

import io
import os
import sys

from rmsd_client.errors import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class StdoutError(ClientError):
    """Standard output cannot be written. If only its reader is gone, the error is BrokenPipeError
    instead.

    It is no OSError: argparse ignores those.
    """


class _Stdout(io.FileIO):
    """Standard output that marks its errors, since the errors of other files mean something
    else."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise StdoutError(f"standard output: {error.strerror}") from None


def mark_errors() -> None:
    """Make `sys.stdout` raise StdoutError from now on; a closed one becomes /dev/null."""
    marked = sys.stdout is not None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        # This order gives each stream its own file number, which a socket could get otherwise.
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    old = sys.stdout
    if not marked or not isinstance(old, io.TextIOWrapper):
        return
    raw = _Stdout(old.fileno(), "wb", closefd=False)
    sys.stdout = io.TextIOWrapper(
        raw if old.write_through else io.BufferedWriter(raw),
        encoding=old.encoding,
        errors=old.errors,
        line_buffering=old.line_buffering,
        write_through=old.write_through,
    )


def abandon() -> None:
    """Send the rest of the buffer to /dev/null when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
