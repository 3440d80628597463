"""The tokens of running jobs. A job's token opens its own job alone, as `rrun` needs it on nodes
that reach the daemon over TCP.

A token reads `rms_job_<job>.<attempt>_<mac>`. The daemon makes it with its key and stores it
nowhere. It holds as long as the attempt lasts.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Callable
from pathlib import Path

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import STARTED_STATES
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.setup.state_dir import private

_TOKEN = re.compile(r"rms_job_(\d{1,18})\.(\d{1,9})_([0-9a-f]{64})", re.ASCII)
_KEY_BYTES = 32


def read_key(path: Path) -> bytes:
    """Return the key in the file; a missing file is created with a new key. Raises OSError."""
    with open(path, "a+b", opener=private) as file:
        file.seek(0)
        if len(key := file.read()) != _KEY_BYTES:
            key = os.urandom(_KEY_BYTES)
            file.truncate(0)
            file.write(key)
    return key


class JobTokens:
    """Makes and checks the tokens of jobs. `live` returns a job that is not over, by its number.
    `check` raises Unavailable while it is not known which attempt of a job is the present one."""

    def __init__(
        self,
        key: bytes,
        live: Callable[[int], Job | None],
        check: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._key = key
        self._live = live
        self._check = check

    def text(self, job_id: int, attempt: int) -> str:
        """Return the token of an attempt."""
        name = f"{job_id}.{attempt}"
        return f"rms_job_{name}_{hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()}"

    def caller(self, text: str, address: str) -> Caller | None:
        """Return the caller for whom the token stands; None if it is no job's or its attempt is
        over. Raises Unavailable: it is not known yet whether the attempt is over."""
        if (found := _TOKEN.fullmatch(text.strip())) is None:
            return None
        job_id, attempt = int(found[1]), int(found[2])
        if not hmac.compare_digest(self.text(job_id, attempt), found[0]):
            return None
        self._check(job_id)
        job = self._live(job_id)
        if job is None or not self.lasts(job_id, attempt):
            return None
        via = f"job {job_id}, from {address}"
        return Caller(job.user, Role.USER, via, job_id=job_id, attempt=attempt)

    def lasts(self, job_id: int, attempt: int) -> bool:
        """Return whether the attempt is the job's present one and has not ended."""
        job = self._live(job_id)
        return job is not None and job.attempt == attempt and job.state in STARTED_STATES
