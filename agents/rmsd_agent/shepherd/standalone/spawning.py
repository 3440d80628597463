"""Starting the main process of a unit, and hearing from it until it executes its program."""

from __future__ import annotations

import marshal
import os
import socket

from . import main_process
from .end_notes import EndNote
from .outputs import Quota
from .unit import UnitProcesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST = 1 << 16  # bytes of what a child tells at once
_MOST_FILES = 4  # the most in a quota: two output files and the script


class StartedProcess:
    """The result of an order: a unit that runs, or a problem.

    `unit` is there as soon as it is claimed. `problem` is one of the kinds of `main_process`, ""
    if the unit runs, and `text` says more.
    """

    def __init__(self) -> None:
        self.unit: UnitProcesses | None = None
        self.quota: Quota | None = None
        self.note: EndNote | None = None
        self.problem = ""
        self.text = ""
        self.fault = ""

    def hear(self, kind: str, what: Any, fault: str, fds: list[int]) -> None:
        if kind == main_process.UNIT:
            self.unit = UnitProcesses.of(what)
        elif kind == main_process.QUOTA:
            self.quota = Quota(fds, *what)
        elif kind == main_process.NOTE:
            self.note = EndNote(fds[0], *what)
        else:
            self.problem, self.text, self.fault = kind, what, fault


def spawn(
    order: bytes, jobs: str, boot: str, identity: list[int], agent: socket.socket | None = None
) -> StartedProcess:
    """Have a child claim a unit and become its main process, in a session of its own.

    Returns when the child has executed the unit's program, or has ended and is collected. `agent`
    is the shepherd's socket to its agent, which the child closes.

    Raises:
        OSError: This machine can start no process now.
    """
    started = StartedProcess()
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        with its:
            pid = os.fork()
            if pid == 0:
                shepherd = main_process.ShepherdProcess(jobs, boot, identity, its)
                main_process.begin(order, shepherd, (ours, agent))
        while True:
            said, fds, _, _ = socket.recv_fds(ours, _LONGEST, _MOST_FILES, socket.MSG_CMSG_CLOEXEC)
            if not said:
                break
            kind, what, fault = marshal.loads(said)
            started.hear(kind, what, fault, fds)
    if started.unit is None and not started.problem:
        started.problem, started.text = main_process.NODE, "the process that claims it was ended"
    if started.problem:
        os.waitpid(pid, 0)
        if started.quota is not None:
            started.quota.close()
        if started.note is not None:
            started.note.close()
    elif started.unit is not None:
        started.unit.pid = pid
        started.unit.write_within(started.quota)
        started.unit.end_note = started.note
    return started
