"""`qsub -I`: a job with a terminal, with the submitter at it."""

from __future__ import annotations

import os

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_client.pbs.ending import PbsError, refusal
from rmsd_client.pbs.job_ids import text_id
from rmsd_client.sessions.interactive import SessionWords, attend, terminal_script
from rmsd_client.submit.login import login_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

_ARRAYS = ("J", "t")


def session_script(command: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the script of a job that runs a command in a terminal, or a login shell: that of
    -S, or of the account.

    Raises:
        PbsError: an option, or the lack of a terminal here, forbids the job.
    """
    for letter in _ARRAYS:
        if letter in values:
            raise PbsError(f"qsub: -I and -{letter} exclude each other: an array has no terminal")
    if not (os.isatty(0) and os.isatty(1)):
        raise PbsError(
            "qsub: standard input and output must be a terminal for interactive job submission"
        )
    chosen = values.get("S", "").split(",")[0].partition("@")[0]
    shell = chosen or login_environment().get("SHELL", "/bin/sh")
    return terminal_script(command or [shell, "-l"], None)


def run_session(spec: dict[str, Any]) -> int:
    """Submit the job, and be at its terminal; returns the exit code."""
    spec = {**spec, "stdout": os.devnull, "requeue": False, "restartable": False}
    spec.pop("stderr", None)
    spec["env"] = {**spec["env"], "PBS_ENVIRONMENT": "PBS_INTERACTIVE"}
    with Client() as client:
        try:
            [job] = client.submit([spec])
        except ClientError as error:
            raise refusal("qsub", error) from None
        name = text_id(job)
        _say(f"qsub: waiting for job {name} to start")
        ended = attend(client, Client, job["job_id"], _PbsWords(name))
    if ended is None:
        return 0
    _say(f"\nqsub: job {name} completed")
    return 1 if ended["start_us"] is None else 0


class _PbsWords(SessionWords):
    """The words of qsub, which are PBS's."""

    program = "qsub"

    def __init__(self, name: str) -> None:
        self._name = name

    def waits(self, job: dict[str, Any]) -> None:
        """Say nothing: the wait was told at the submit."""

    def begins(self) -> None:
        _say(f"qsub: job {self._name} ready\n")


def _say(text: str) -> None:
    print(text, flush=True)
