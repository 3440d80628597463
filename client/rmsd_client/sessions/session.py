"""A session at a terminal on a node: what is typed here, and what is shown there.

The task at the other end has a terminal of its own. This end is raw meanwhile, so that each key,
Ctrl-C too, is the task's. Of a task without a terminal the output is shown, and keys are not its.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import time
import tty
from typing import NamedTuple

from rmsd_client.api import Client
from rmsd_client.errors import LATER, ApiError, ClientError, Unreachable
from rmsd_client.steps.task_ends import TaskEnd, ended_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from rmsd_client.calls.output import Output

ALIVE_S = 3.0
"""The time between two calls that say that somebody is at the terminal: no more than a third of the
shortest time with nobody there that can be asked for."""
HANGUP_S = 300.0
"""The time with nobody at a terminal after which it is hung up, if nobody asks for another one."""
DETACHED = "detached"
"""The end of a session whose user has left; the task goes on."""
GONE = "gone"
"""The end of a session whose task is over, and was deleted with its job before it told its end."""
_MOST_TYPED = 32 << 10
"""The most bytes that wait to be typed. What a user types beyond that is dropped."""
_POLL_S = 20.0
_PAUSE_S = 0.5
_ENDS = (signal.SIGTERM, signal.SIGHUP)
_NOT_FOUND = 404
_FIRST_READS = 16
_DEFAULT_SIZE = (24, 80)
_MOST_SIDE = 4096
"""The most rows, and columns, that a task's terminal may have."""


class SessionPlace(NamedTuple):
    """The task at the other end, by the name or number of its step."""

    job_id: int
    step: str
    node: str
    task: int = 0


def outputs(
    client: Client, place: SessionPlace, offset: int, say: Callable[[str], None] = lambda _why: None
) -> Iterator[Output]:
    """Yield what a task writes from `offset` on, as it comes, up to the end. `say` is called with
    the reason whenever its node is away for now.

    Raises:
        ClientError: the output cannot be read any more.
    """
    while True:
        try:
            output = client.output(
                place.job_id,
                offset=offset,
                wait_s=_POLL_S,
                node=place.node,
                step=place.step,
                task=place.task,
            )
        except ApiError as error:
            if error.status not in LATER:
                raise
            say(str(error))
            time.sleep(_PAUSE_S)
            continue
        offset = output.offset
        yield output
        if output.eof:
            return


class Escape:
    """The keys Enter ~ . leave a session, as in ssh; ~~ is one ~."""

    def __init__(self) -> None:
        self._at_begin, self._held = True, False
        self.leaves = False

    def passed(self, data: bytes) -> bytes:
        """Return what of the typed bytes is for the task."""
        passed = bytearray()
        for byte in data:
            if self._held:
                self._held = False
                if byte == ord("."):
                    self.leaves = True
                    break
                passed += b"~" if byte == ord("~") else bytes((ord("~"), byte))
            elif self._at_begin and byte == ord("~"):
                self._held = True
                continue
            else:
                passed.append(byte)
            self._at_begin = byte in b"\r\n"
        return bytes(passed)


class TerminalSession:
    """A session of this process's terminal, or of its standard input and output. `run` once, from
    the main thread."""

    def __init__(
        self,
        connect: Callable[[], Client],
        place: SessionPlace,
        program: str,
        *,
        offset: int = 0,
        first: bool = False,
    ) -> None:
        """Prepare a session, which `run` begins.

        offset: the bytes of what was shown before that are passed over. With any, a program that
            fills the screen is made to draw it anew, by another size for a moment.
        first: nobody was at the terminal before, and a task that is over waits to be told of
            somebody.
        """
        self._redraws = offset > 0
        self._first = first
        self._connect = connect
        self._place = place
        self._program = program
        self._offset = offset
        self._is_terminal = os.isatty(0)
        self._escape = Escape()
        self._typed = b""
        self._input_over = False  # standard input has ended
        self._end_told = False
        self._takes = True  # the task takes what is typed
        self._restore = _nothing  # has the terminal here be as it was before
        self._resized = True
        self._ended_by = 0
        self.end: TaskEnd | None = None
        self._error: Exception | None = None
        self._said = ""
        self._wake_reader, self._wake_writer = os.pipe()

    def run(self) -> int | str:
        """Return the exit code of the task, `DETACHED`, or `GONE` for the first who is there.

        Raises:
            ClientError: the task's output cannot be read any more.
        """
        for number in _ENDS:
            signal.signal(number, self._note_end)
        signal.signal(signal.SIGWINCH, self._note_size)
        with _raw_terminal() if self._is_terminal else contextlib.nullcontext(_nothing) as restore:
            self._restore = restore
            with self._connect() as client:
                client.retry_for_s = 0.0
                if self._first:
                    self._show_before(client)
                self._tell(client)  # the reply says whether this end stays raw
                threading.Thread(target=self._show_all, daemon=True).start()
                left = self._type_all(client)
                if self._ended_by:
                    self._hang_up(client)
        if self._ended_by:
            self.end = TaskEnd(0, self._ended_by)
            return self.end.code
        if left:
            return DETACHED
        if self._error is not None:
            if self._first and getattr(self._error, "status", 0) == _NOT_FOUND:
                return GONE
            raise self._error
        assert self.end is not None
        return self.end.code

    def _note_end(self, number: int, _frame: FrameType | None) -> None:
        self._ended_by = number
        os.write(self._wake_writer, b"e")

    def _note_size(self, _number: int, _frame: FrameType | None) -> None:
        self._resized = True
        os.write(self._wake_writer, b"s")

    # ------------------------------------------------------------ what is typed

    def _type_all(self, client: Client) -> bool:
        """Pass on what is typed until the task is over, or its user leaves: then return True."""
        alive_at_s = 0.0
        while not self._is_over and not self._ended_by:
            if self._takes and (self._has_news or time.monotonic() >= alive_at_s):
                if self._tell(client):
                    alive_at_s = time.monotonic() + ALIVE_S
                elif not self._is_over:
                    self._read(_PAUSE_S)
            else:
                self._read(max(0.0, alive_at_s - time.monotonic()) if self._takes else None)
            if self._escape.leaves:
                self._tell(client)  # the rest that was typed before
                return True
        return False

    @property
    def _is_over(self) -> bool:
        return self.end is not None or self._error is not None

    @property
    def _has_news(self) -> bool:
        return bool(self._typed) or self._resized or (self._input_over and not self._end_told)

    def _read(self, wait_s: float | None) -> None:
        """Wait for something to be typed or told, and read it."""
        fds = [self._wake_reader] if self._input_over else [self._wake_reader, 0]
        ready, _, _ = select.select(fds, [], [], wait_s)
        if self._wake_reader in ready:
            os.read(self._wake_reader, 4096)
        if 0 in ready and len(self._typed) < _MOST_TYPED:
            data = os.read(0, 4096)
            self._input_over = not data
            self._typed += self._escape.passed(data) if self._is_terminal else data
        elif 0 in ready and self._is_terminal:
            self._escape.passed(os.read(0, 4096))
        elif 0 in ready:
            time.sleep(_PAUSE_S)  # a file waits until the task takes more

    def _tell(self, client: Client) -> bool:
        """Tell the task what is new; False if that has to be tried again."""
        place, data = self._place, self._typed
        rows, cols = _size() if self._resized else (0, 0)
        redraws = self._redraws and rows > 1
        ends = self._input_over and not self._end_told
        try:
            taken, over = client.task_input(
                place.job_id, place.step, place.task, place.node, data, ends, (rows - redraws, cols)
            )
        except Unreachable:
            self._say("the daemon is away")
            return False
        except ApiError as error:
            if error.status in LATER:
                self._say(str(error))
                return False
            taken, over = 0, True  # the output tells why
        except ClientError as error:
            self._error = error
            return False
        if over and self._takes:
            self._restore()  # the task has no terminal, or none any more
        self._takes = not over
        if data and not taken and not over:
            return False
        self._said = ""
        if rows:
            self._resized, self._redraws = redraws, False
        self._typed = data[taken:]
        self._end_told = self._end_told or (ends and not self._typed)
        return True

    def _hang_up(self, client: Client) -> None:
        """Tell the task that nobody is there any more."""
        place = self._place
        with contextlib.suppress(ClientError):
            client.signal_task(place.job_id, place.step, place.task, place.node, signal.SIGHUP)

    # ------------------------------------------------------------ what is shown

    def _show_before(self, client: Client) -> None:
        """Show what is there, before a task that is over is told that somebody is: its output may
        go with its job then. What keeps it from being read now is told later."""
        place = self._place
        with contextlib.suppress(ClientError):
            for _ in range(_FIRST_READS):  # a task that goes on may show more for ever
                output = client.output(place.job_id, offset=self._offset, node=place.node,
                                       step=place.step, task=place.task)  # fmt: skip
                if not output.data:
                    return
                self._show(output)

    def _show(self, output: Output) -> None:
        sys.stdout.buffer.write(output.data)
        sys.stdout.buffer.flush()
        self._offset = output.offset

    def _show_all(self) -> None:
        try:
            with self._connect() as client:
                client.retry_for_s = float("inf")  # the task runs on without the daemon
                for output in outputs(client, self._place, self._offset, self._say):
                    self._show(output)
                self.end = ended_as(output)
        except Exception as error:  # the main thread would wait for ever
            self._error = error
        os.write(self._wake_writer, b"o")

    def _say(self, text: str) -> None:
        """Say once why nothing goes on."""
        if text != self._said:
            self._said = text
            leave = "; Enter ~ . leaves" if self._is_terminal else ""
            os.write(2, f"\r\n{self._program}: {text}; trying again{leave}\r\n".encode())


@contextlib.contextmanager
def _raw_terminal() -> Iterator[Callable[[], None]]:
    """Have the terminal here raw in the context, or until a call of the function that is given."""
    before = termios.tcgetattr(0)

    def restore() -> None:
        with contextlib.suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(0, termios.TCSADRAIN, before)

    try:
        tty.setraw(0, termios.TCSADRAIN)  # keeps the keys that were typed ahead
        yield restore
    finally:
        restore()


def _nothing() -> None:
    """Do nothing: there is no terminal here."""


def terminal_for(hangup_s: float) -> dict[str, object]:
    """Return a terminal as it is asked for: as large as the one that this process is in."""
    rows, cols = _size()
    return {"rows": rows, "cols": cols, "hangup_s": hangup_s}


def _size() -> tuple[int, int]:
    """Return the rows and columns of the terminal here."""
    for fd in range(3):
        with contextlib.suppress(OSError):
            found = os.get_terminal_size(fd)
            if found.lines and found.columns:
                return min(found.lines, _MOST_SIDE), min(found.columns, _MOST_SIDE)
    return _DEFAULT_SIZE
