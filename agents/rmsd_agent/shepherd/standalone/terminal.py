"""A unit in a terminal: its main process keeps the terminal for the program, which is a child.

The keeper is one of the user's processes. It serves a socket of messages in the unit's directory,
which only the agent can reach, and to which a later agent connects as well. It writes all that the
terminal shows to the unit's output file. When nobody has said anything for some time, it hangs up,
as a terminal line does, and what does not end then is killed with the unit. If the program is over
at once, the unit goes on until its first user has come, for some seconds at most.

Messages begin with a letter: `d` and bytes to be typed, `e` and bytes after which nothing is typed,
`w` and a new size (rows and columns, two bytes each), `k` to say that somebody is still there.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import struct
import termios
import time

from .feeding import short_path
from .outputs import NodeError
from .signals import Wakeup, end_with_parent, ignore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from .unit_spec import Terminal

TYPED, SIZE, END, ALIVE = b"d", b"w", b"e", b"k"
"""The letters of messages."""
SIZE_FORMAT = "=HH"
"""The rows and columns in a message, for `struct`."""
MOST_TYPED = 64 << 10
"""The most bytes that one message has to be typed."""
_CHUNK = 64 << 10
_LAST_CHUNKS = 16
"""More than a terminal holds back."""
_MOST_AGENTS = 4
"""The connections that wait: one agent has one, and the one before it may have left one."""
_HUNG_UP_S = 10.0
"""The time that a program has to end after its terminal was hung up."""
_COMES_S = 10.0
"""The time after its beginning within which a terminal waits for its first user, if its program is
over before."""
_END_OF_INPUT = b"\x04"
"""The character that ends the input of a terminal, unless a program has changed that."""


def listen(path: str) -> socket.socket:
    """Return the socket at which the terminal is served. Raises OSError. The path is there once the
    socket listens: an agent takes a refusal for the end of the terminal."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    begun = f"{path}.new"
    try:
        for left in (path, begun):  # an earlier try to start the unit leaves them
            with contextlib.suppress(FileNotFoundError):
                os.unlink(left)
        with short_path(begun) as address:
            listener.bind(address)
        listener.listen(_MOST_AGENTS)
        os.rename(begun, path)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def open_terminal(wanted: Terminal) -> tuple[int, int]:
    """Open a terminal, and return its keeper's end and its program's. It belongs to the effective
    user. Raises NodeError."""
    try:
        keeps, shows = os.openpty()
        _resize(keeps, wanted.rows, wanted.cols)
    except OSError as error:
        raise NodeError(f"there is no terminal: {error.strerror}") from None
    return keeps, shows


def enter(shows: int) -> None:
    """Have the calling process, which begins a program, lead a session in the terminal."""
    os.setsid()
    fcntl.ioctl(shows, termios.TIOCSCTTY, 0)
    for number in range(3):
        os.dup2(shows, number)
    _default_signals()


def fork(shows: int, begin: Callable[[], NoReturn]) -> int | None:
    """Fork the process that executes the program in the terminal, by a call of `begin` there.
    Return its pid once it has, None if it could not; then `begin` has told why."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            enter(shows)
            begin()
        except BaseException:
            os.write(writer, b"x")
            raise
    os.close(writer)
    os.close(shows)
    failed = os.read(reader, 1)
    os.close(reader)
    if not failed:
        return pid
    os.waitpid(pid, 0)
    return None


class TerminalKeeper:
    """The process that keeps the terminal of a program until the program is over."""

    def __init__(
        self, keeps: int, listener: socket.socket, output: int, pid: int, hangup_s: float
    ) -> None:
        self._keeps: int | None = keeps  # None once it is hung up
        self._listener = listener
        self._agent: socket.socket | None = None
        self._output = output
        self._pid = pid
        self._hangup_s = hangup_s
        self._heard_s = time.monotonic()
        self._comes_until_s = self._heard_s + min(_COMES_S, hangup_s)
        self._was_heard = False
        self._typed = b""  # to be typed, when the terminal takes it
        self._asked_to_end = False

    def keep(self) -> NoReturn:
        """Serve the terminal until the program is over, and end as the program did."""
        assert self._keeps is not None
        end_with_parent(False)
        os.setsid()
        signal.set_wakeup_fd(-1)  # the shepherd's
        _close_all_but(self._keeps, self._listener.fileno())
        self._set_signals()
        self._heard_s = time.monotonic()
        os.set_blocking(self._keeps, False)
        while True:
            over, wait_status = os.waitpid(self._pid, os.WNOHANG)
            if over:
                break
            self._serve(self._wait())
        for _ in range(_LAST_CHUNKS):  # others may write to the terminal for ever
            if not self._show():
                break
        self._await_first_user()
        _end_likewise(wait_status)

    def _await_first_user(self) -> None:
        """Wait until somebody has been at the terminal, unless that takes too long."""
        while not self._was_heard:
            left_s = self._comes_until_s - time.monotonic()
            if left_s <= 0:
                break
            reads: list[int | socket.socket] = [self._wakeup.reader]
            reads.append(self._listener if self._agent is None else self._agent)
            ready = select.select(reads, [], [], left_s)[0]
            if self._wakeup.reader in ready:
                self._wakeup.clear()
            if self._listener in ready:
                self._accept()
            elif self._agent in ready:
                self._hear()

    def _serve(self, ready: list[int | socket.socket]) -> None:
        """Do what is to be done with what is ready."""
        if self._wakeup.reader in ready:
            self._wakeup.clear()
        if self._listener in ready:
            self._accept()
        if self._agent in ready:
            self._hear()
        if self._keeps in ready:
            self._show()
        self._type()
        if self._asked_to_end or time.monotonic() - self._heard_s >= self._hangup_s:
            self._hang_up()

    def _set_signals(self) -> None:
        """Let signals be the program's. SIGTERM alone is taken as a wish to hang up: a shell with
        somebody at it ignores that signal."""
        self._wakeup = Wakeup()
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, ignore)
        signal.signal(signal.SIGTERM, self._note)
        signal.signal(signal.SIGHUP, self._note)
        signal.signal(signal.SIGCONT, self._go_on)

    def _go_on(self, _number: int, _frame: object) -> None:
        """Give the agent its time anew: nobody could be heard while this process was stopped."""
        self._heard_s = time.monotonic()

    def _note(self, _number: int, _frame: object) -> None:
        self._asked_to_end = self._was_heard = True

    def _wait(self) -> list[int | socket.socket]:
        """Wait for anything to do; SIGCHLD tells that the program is over."""
        reads: list[int | socket.socket] = [self._wakeup.reader, self._listener]
        writes: list[int] = []
        until_s = self._heard_s + self._hangup_s
        if self._keeps is not None:
            reads.append(self._keeps)
            if self._typed:
                writes.append(self._keeps)
            elif self._agent is not None:
                reads.append(self._agent)
        wait_s = max(0.0, min(until_s - time.monotonic(), 3600.0))
        return select.select(reads, writes, [], wait_s)[0]

    def _accept(self) -> None:
        """Take the connection of an agent, in place of the one before."""
        try:
            agent, _ = self._listener.accept()
        except OSError:
            return
        if self._agent is not None:
            self._agent.close()
        agent.setblocking(False)
        self._agent = agent

    def _hear(self) -> None:
        assert self._agent is not None
        try:
            said = self._agent.recv(1 + MOST_TYPED)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if not said:
            self._agent.close()
            self._agent = None
            return
        self._heard_s, self._was_heard = time.monotonic(), True
        kind, rest = said[:1], said[1:]
        if kind == TYPED:
            self._typed += rest
        elif kind == END:
            self._typed += rest + _END_OF_INPUT
        elif kind == SIZE and len(rest) == struct.calcsize(SIZE_FORMAT) and self._keeps is not None:
            with contextlib.suppress(OSError):
                _resize(self._keeps, *struct.unpack(SIZE_FORMAT, rest))

    def _type(self) -> None:
        if self._typed and self._keeps is not None:
            try:
                self._typed = self._typed[os.write(self._keeps, self._typed) :]
            except BlockingIOError:
                return
            except OSError:
                self._typed = b""

    def _show(self) -> bool:
        """Write what the terminal shows now to the output file; False if that is nothing. Hang up
        if nothing has the terminal open any more."""
        if self._keeps is None:
            return False
        try:
            shown = os.read(self._keeps, _CHUNK)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self._hang_up()
            return False
        while shown:
            try:
                shown = shown[os.write(self._output, shown) :]
            except OSError:  # the file takes no more; the terminal goes on
                break
        return True

    def _hang_up(self) -> None:
        """Close the terminal: the kernel tells its processes (SIGHUP). The unit is over when the
        program is, or soon."""
        if self._keeps is None:
            os._exit(128 + signal.SIGHUP)  # all others are killed with the unit
        os.close(self._keeps)
        self._keeps, self._typed, self._asked_to_end = None, b"", False
        self._heard_s, self._hangup_s = time.monotonic(), _HUNG_UP_S


def _resize(keeps: int, rows: int, cols: int) -> None:
    fcntl.ioctl(keeps, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def _close_all_but(*wanted: int) -> None:
    """Close all files but the standard ones and these."""
    first = 3
    for fd in (*sorted(wanted), os.sysconf("SC_OPEN_MAX")):
        os.closerange(first, fd)
        first = fd + 1


def _default_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)


def _end_likewise(wait_status: int) -> NoReturn:
    """End with the exit code, or by the signal, of the program."""
    code = os.waitstatus_to_exitcode(wait_status)
    if code >= 0:
        os._exit(code)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(-code, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.kill(os.getpid(), -code)
    os._exit(128 - code)
