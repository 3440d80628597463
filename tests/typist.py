"""A person at a terminal: a program in a terminal of its own, what is typed there and shown."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from typing import Any

from tests.waiting import wait_until


class Typist:
    """Runs a program in a terminal of `size` rows and columns."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        size: tuple[int, int] = (30, 100),
        **options: Any,
    ) -> None:
        self._fd, shown = pty.openpty()
        self.resize(*size)
        self.process = subprocess.Popen(
            command, stdin=shown, stdout=shown, stderr=shown, env=env, start_new_session=True,
            **options,
        )  # fmt: skip
        os.close(shown)
        self._seen = b""

    def __enter__(self) -> Typist:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._fd)

    def resize(self, rows: int, cols: int) -> None:
        """Change the size of the terminal, and tell the program."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        if hasattr(self, "process"):
            os.killpg(self.process.pid, 28)  # SIGWINCH, which the kernel sends to who is in front

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def seen(self) -> str:
        """Return all that was shown up to now."""
        with contextlib.suppress(OSError):  # the program is over
            while select.select([self._fd], [], [], 0)[0]:
                data = os.read(self._fd, 65536)
                if not data:
                    break
                self._seen += data
        return self._seen.decode(errors="replace")

    def wait_for(self, text: str) -> None:
        """Wait until a text is shown."""
        try:
            wait_until(lambda: text in self.seen(), f"{text!r} is shown")
        except AssertionError as error:
            raise AssertionError(f"{error}, but {self.seen()!r}") from None

    def end(self) -> int:
        """Wait for the program's end; return its exit code."""

        def is_over() -> bool:
            self.seen()  # a program with much to show waits for a reader
            return self.process.poll() is not None

        wait_until(is_over)
        self.seen()
        return self.process.returncode
