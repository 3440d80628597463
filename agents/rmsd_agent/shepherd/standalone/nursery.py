"""The nursery: a process that has loaded what a shepherd needs, and forks one for each request.

Shepherds share the memory that they do not change with the nursery and each other, and are there in
a millisecond. The nursery knows no unit, so its end costs no unit anything: its shepherds go on,
and the agent starts another one. It leaves with its agent.

From the agent comes a line for each shepherd that it wants. To the agent go JSON objects, one a
line: `forked` and `gone` (it has ended) with a `pid`, and `unable` when no process can be had now.
"""

from __future__ import annotations

import os
import select

from . import signals
from .lines import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NurseryLoop:
    """The loop of a nursery: its agent, at the other end of the socket `agent`, and its children.

    Nothing but this thread is here, so a child of fork(2) may go on in Python.
    """

    def __init__(self, agent: int) -> None:
        self._agent = agent
        self._wakeup = signals.Wakeup()

    def serve(self) -> bool:
        """Fork shepherds. Return True in each of them, and False when the agent has gone."""
        while True:
            ready, _, _ = select.select([self._agent, self._wakeup.reader], [], [])
            if self._wakeup.reader in ready:
                self._wakeup.clear()
                self._collect()
            if self._agent in ready:
                wanted = _heard(self._agent)
                if wanted == 0:
                    return False
                for _ in range(wanted):
                    if self._fork():
                        return True

    def _fork(self) -> bool:
        """Fork a shepherd, and return True in it."""
        try:
            pid = os.fork()
        except OSError as error:
            self._tell(op="unable", message=error.strerror)
            return False
        if pid == 0:
            self._leave()
            return True
        self._tell(op="forked", pid=pid)
        return False

    def _leave(self) -> None:
        """Let go, in a shepherd, of what is the nursery's."""
        os.setsid()
        self._wakeup.close()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, self._agent)
        os.close(nowhere)

    def _collect(self) -> None:
        """Tell which shepherds have ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._tell(op="gone", pid=pid, exit_code=os.waitstatus_to_exitcode(status))

    def _tell(self, **message: Any) -> None:
        try:
            os.write(self._agent, line(message))
        except OSError:
            return  # the agent has gone, as the next look at the socket tells


def _heard(agent: int) -> int:
    """Return how many shepherds the agent wants, 0 if it has gone."""
    try:
        return os.read(agent, 4096).count(b"\n")
    except OSError:
        return 0
