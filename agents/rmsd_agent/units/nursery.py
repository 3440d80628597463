"""The nursery of an agent: the process that forks its shepherds."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import structlog

from rmsd_agent import shepherd
from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.state.files import private
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_process.open_files import restore_open_files
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_PROGRAM = Path(shepherd.__file__).parent
_LOOK_S = 2.0
"""The pause between two looks at a nursery that does not answer."""
_PATIENCE_S = (30.0, 480.0)
"""The time after which a nursery that does not answer is replaced: at first, and at most. The time
doubles until one answers, since a machine may be too busy to start a nursery in it."""


class Forked(msgspec.Struct, tag_field="op", tag="forked"):
    pid: int


class Gone(msgspec.Struct, tag_field="op", tag="gone"):
    pid: int
    exit_code: int


class NoShepherd(msgspec.Struct, tag_field="op", tag="unable"):
    message: str


Message = Forked | Gone | NoShepherd
nursery_line = msgspec.json.Decoder(Message)
"""The decoder of what a nursery says, a line at a time. It raises what `MALFORMED` names."""


class Nursery:
    """The one nursery of an agent. It is started when a shepherd is wanted and there is none, and
    given up when it has ended or does not answer. Its shepherds need it no more once they are
    there. `failed` is called when a shepherd that was asked for may not come."""

    def __init__(self, state: AgentStateDir, failed: Callable[[], None]) -> None:
        self._state = state
        self._failed = failed
        self._link: _Link | None = None
        self._given_up: list[subprocess.Popen[bytes]] = []  # killed, and not collected yet
        self._patience_s = _PATIENCE_S[0]

    @property
    def pid(self) -> int | None:
        """Return the pid of the nursery, None while there is none."""
        return self._link.process.pid if self._link is not None else None

    @property
    def awaited(self) -> int:
        """Return how many shepherds are on their way."""
        return self._link.unanswered + len(self._link.forked) if self._link is not None else 0

    def ask(self) -> bool:
        """Ask for a shepherd. Return False if that is impossible now."""
        try:
            if self._link is None:
                self._link = _Link(self._state, self._hear)
            self._link.ask()
        except OSError as error:
            log.error("nursery-failed", pid=self.pid, error=str(error))
            self._give_up()
            return False
        self._look_later(self._link)
        return True

    def arrived(self, pid: int) -> None:
        """Note that a shepherd has dialed in, perhaps one of an earlier nursery."""
        if self._link is not None:
            self._link.arrived(pid)

    def collect(self) -> None:
        """Collect what has ended of the nurseries."""
        self._given_up = [process for process in self._given_up if process.poll() is None]
        link = self._link
        if link is not None and (code := link.process.poll()) is not None:
            self._lose(link, f"it ended with {code}")

    def close(self) -> None:
        """Hang up on the nursery, which leaves then."""
        self._give_up()
        for process in self._given_up:
            process.returncode = 0  # the nursery ends by itself; Popen need not warn of that
        self._given_up = []

    # ------------------------------------------------------------ inside

    def _hear(self) -> None:
        link = self._link
        assert link is not None
        try:
            messages = link.hear()
        except (OSError, *MALFORMED) as error:
            self._lose(link, str(error) or repr(error))
            return
        for message in messages:
            self._patience_s = _PATIENCE_S[0]
            match message:
                case Forked():
                    link.answered(message.pid)
                case NoShepherd():
                    link.answered(None)
                    log.error("shepherd-not-started", error=message.message)
                    self._failed()
                case Gone() if message.pid in link.forked:
                    link.forked.remove(message.pid)
                    log.error("shepherd-failed", exit_code=message.exit_code,
                              log=str(self._state.shepherd_log))  # fmt: skip
                    self._failed()

    def _look_later(self, link: _Link) -> None:
        if link.look is None:
            link.look = asyncio.get_running_loop().call_later(_LOOK_S, self._see_to, link)

    def _see_to(self, link: _Link) -> None:
        """Give up a nursery that was stopped, or has not answered for long."""
        link.look = None
        if link is not self._link or not link.unanswered:
            return
        silent_s = asyncio.get_running_loop().time() - link.heard_s
        if _is_stopped(link.process.pid):
            self._lose(link, "it was stopped")
        elif silent_s >= self._patience_s:
            self._patience_s = min(2 * self._patience_s, _PATIENCE_S[1])
            self._lose(link, f"it has not answered for {silent_s:.0f} s")
        else:
            self._look_later(link)

    def _lose(self, link: _Link, why: str) -> None:
        log.error("nursery-failed", pid=link.process.pid, error=why,
                  log=str(self._state.shepherd_log))  # fmt: skip
        awaited = self.awaited
        link.process.kill()  # nothing, if it has been collected
        self._give_up()
        if awaited:
            self._failed()

    def _give_up(self) -> None:
        if self._link is not None:
            self._link.close()
            self._given_up.append(self._link.process)
            self._link = None


class _Link:
    """A nursery that runs, and what it was asked for.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, state: AgentStateDir, readable: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        self.unanswered = 0
        self.forked: set[int] = set()  # pids of shepherds that have not dialed in
        self.look: asyncio.TimerHandle | None = None
        self.heard_s = loop.time()
        self._early: set[int] = set()  # shepherds that have dialed in before the answer came
        self._heard = b""
        self._sock, its = socket.socketpair()
        try:
            self._sock.setblocking(False)
            self.process = _started(state, its)
        except OSError:
            self._sock.close()
            raise
        finally:
            its.close()
        loop.add_reader(self._sock, readable)

    def ask(self) -> None:
        """Ask for a shepherd. Raises OSError: the nursery has gone, or hears nothing."""
        if not self.unanswered:
            self.heard_s = asyncio.get_running_loop().time()
        self._sock.send(b"\n")
        self.unanswered += 1

    def hear(self) -> list[Message]:
        """Return what the nursery says. Raises what `MALFORMED` names, or OSError: it has gone."""
        try:
            data = self._sock.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionResetError("it hung up")
        *lines, self._heard = (self._heard + data).split(b"\n")
        self.heard_s = asyncio.get_running_loop().time()
        return [nursery_line.decode(line) for line in lines]

    def answered(self, pid: int | None) -> None:
        """Note the answer to a request: a shepherd, or None."""
        if pid is not None and pid not in self._early:
            self.forked.add(pid)
        self.unanswered -= 1
        if not self.unanswered:
            self._early.clear()

    def arrived(self, pid: int) -> None:
        """Note that a shepherd has dialed in. Its nursery may tell that it was forked only then."""
        if pid in self.forked:
            self.forked.remove(pid)
        elif self.unanswered:
            self._early.add(pid)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._sock)
        self._sock.close()
        if self.look is not None:
            self.look.cancel()


def _started(state: AgentStateDir, stdin: socket.socket) -> subprocess.Popen[bytes]:
    """Start a nursery that hears and tells its agent by `stdin`. Raises OSError."""
    with open(state.shepherd_log, "ab", opener=private) as shepherd_log:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-X", "utf8", str(_PROGRAM),
             str(state.control), str(state.jobs), str(state.shepherd_log)],
            stdin=stdin.fileno(),
            stdout=shepherd_log,
            stderr=shepherd_log,
            cwd="/",
            env={"PATH": os.defpath},
            start_new_session=True,
        )  # fmt: skip
    restore_open_files(process.pid)  # before it is asked to fork
    return process


def _is_stopped(pid: int) -> bool:
    try:
        found = processes.process(pid)
    except OSError:  # no file can be opened now
        return False
    return found is not None and found.stopped
