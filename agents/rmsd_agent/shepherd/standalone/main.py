"""The start of a nursery and of the shepherds that it forks, until they begin to serve."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import signal
import sys

from . import lines, processes, signals
from .nursery import NurseryLoop
from .shepherd import Shepherd

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_USERS_UMASK = 0o022
"""The umask of users' units that are given none."""
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Be the nursery of an agent, and a shepherd in each process that it forks.

    The command line is `CONTROL_SOCKET JOBS_DIR LOG`. The agent is at the other end of standard
    input.
    """
    control, jobs, log = sys.argv[1:]
    shepherd = prepared(control, jobs)
    processes.name_own("rmsd-nursery")
    processes.process(os.getpid())  # the first call loads things that all shepherds share
    lines.line({"op": "here", "shepherd": shepherd.identity, "unit": None})
    gc.freeze()  # no collection in a shepherd touches what all of them share
    if NurseryLoop(sys.stdin.fileno()).serve():
        lines.log_to(log)
        begin(shepherd)
        os._exit(0)  # to undo all imports would copy their pages


def prepared(control: str, jobs: str) -> Shepherd:
    """Do what a nursery and its shepherds have in common, and what fork(2) hands on."""
    if os.geteuid() == 0:  # the programs that users' units execute give them no other rights
        _prctl(_PR_SET_NO_NEW_PRIVS, "PR_SET_NO_NEW_PRIVS")
        os.setgroups([])
        # for units, and for output files that are created for them; own files say their modes
        os.umask(_USERS_UMASK)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    # a job that wants a core dump raises the limit again
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    shepherd = Shepherd(control, jobs)
    signals.clean()
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signals.ignore)
    signal.signal(signal.SIGTERM, shepherd.note_sigterm)
    os.chdir("/")
    return shepherd


def begin(shepherd: Shepherd) -> None:
    """Be a shepherd until there is nothing left to do. Only SIGKILL ends it earlier."""
    processes.name_own("rmsd-shepherd")
    _prctl(_PR_SET_CHILD_SUBREAPER, "PR_SET_CHILD_SUBREAPER")  # no child of fork(2) is one
    shepherd.run(signals.Wakeup())


def _prctl(option: int, name: str) -> None:
    if _libc.prctl(option, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({name})")
