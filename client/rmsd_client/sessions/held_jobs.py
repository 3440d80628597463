"""Jobs that hold nodes for a program outside of them: for ralloc, and for Slurm's salloc and srun.

Such a job's script only waits. It ends with the exit code that the program's end gives it: a signal
to the script alone says which.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time

from rmsd_client.errors import ApiError, ClientError, Unreachable
from rmsd_core.vocabulary import TERMINAL_STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]

_FIRST_SIGNAL = 34
_MOST_CODES = 30
HOLDER = f"""\
#!/bin/sh
# This script holds the nodes of a job for a program outside of it.
code=0
while [ $code -le {_MOST_CODES} ]; do
    trap "exit $code" $((code + {_FIRST_SIGNAL}))
    code=$((code + 1))
done
while :; do
    sleep 3600 &
    wait
done
"""
_PAUSES_S = (0.02, 1.0)
_RELEASE_RETRY_S = 60.0
"""The longest wait for a daemon that is away, until a job is left to its limit."""


def _runs(job: Job) -> bool:
    return bool(job["state"] == "RUNNING")


def await_start(
    client: Client,
    number: int,
    waits: Callable[[Job], None],
    has_begun: Callable[[Job], bool] = _runs,
) -> Job:
    """Return the job once it has begun, or is over without that. `waits` is called, once, with a
    job that waits for its nodes. A daemon that is away is waited for: the job stays meanwhile, and
    would hold its nodes for nobody if its program ended."""
    told = False
    pause_s, most_s = _PAUSES_S
    before_s, client.retry_for_s = client.retry_for_s, float("inf")
    try:
        while True:
            job = client.job(number)
            if job["state"] in TERMINAL_STATES or has_begun(job):
                return job
            if job["state"] == "PENDING" and not told:
                told = True
                waits(job)
            time.sleep(pause_s)
            pause_s = min(pause_s * 1.5, most_s)
    finally:
        client.retry_for_s = before_s


def give_up(client: Client, number: int, say: Callable[[str], None]) -> None:
    """Cancel a job whose program ends before the job has begun. If the daemon is away, `say` is
    told that the job stays."""
    try:
        client.cancel(number)
    except Unreachable:
        say(f"the daemon is away: job {number} is not cancelled, and may start without a program")
    except ClientError:
        return  # the job is over


def release(client: Client, job: Job, code: int) -> None:
    """Let the job end with an exit code; those above 30 become 1. If its node cannot be reached,
    the job is cancelled: it would hold its nodes until its limit. A daemon that is away is waited
    for, for a minute."""
    client.retry_for_s = _RELEASE_RETRY_S
    chosen = code if 0 <= code <= _MOST_CODES else 1
    try:
        client.signal_job(job["job_id"], _FIRST_SIGNAL + chosen, "script")
    except ApiError:
        with contextlib.suppress(ApiError):  # the job may be over
            client.cancel(job["job_id"])


def run_beside(
    command: Sequence[str],
    environment: Mapping[str, str],
    began: Callable[[subprocess.Popen[bytes]], None] = lambda _child: None,
) -> int:
    """Run a command, which has the terminal and gets its signals; returns its exit code. `began` is
    called with the command's process.

    Raises:
        OSError: the command cannot be run.
    """
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    child = subprocess.Popen(command, env=environment, preexec_fn=_undo)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: child.send_signal(got))
    began(child)
    code = child.wait()
    return code if code >= 0 else 128 - code


def _undo() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
