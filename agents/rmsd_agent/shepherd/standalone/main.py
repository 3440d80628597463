"""The start of a shepherd, until it begins to serve."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

from . import signals
from .shepherd import Shepherd
from .spawning import USERS_UMASK

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


def main() -> None:
    """Serve the agent of a control socket: `CONTROL_SOCKET JOBS_DIR` of the command line."""
    control, jobs = sys.argv[1:]
    _prctl(_PR_SET_CHILD_SUBREAPER, "PR_SET_CHILD_SUBREAPER")
    if os.geteuid() == 0:  # the programs that users' units execute give them no other rights
        _prctl(_PR_SET_NO_NEW_PRIVS, "PR_SET_NO_NEW_PRIVS")
        os.setgroups([])
        # for output files that the shepherd creates; its own files say their modes
        os.umask(USERS_UMASK)
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    # a job that wants a core dump raises the limit again
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    signals.clean()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signals.ignore)  # a shepherd ends with its unit, or by SIGKILL
    os.chdir("/")
    shepherd = Shepherd(control, jobs, signals.wake_on_child_exit())
    signal.signal(signal.SIGTERM, shepherd.note_sigterm)
    shepherd.run()


def _prctl(option: int, name: str) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({name})")
