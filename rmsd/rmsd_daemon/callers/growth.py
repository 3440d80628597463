"""Bounds on what each caller adds to the database, which only grows."""

from __future__ import annotations

import asyncio

from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import TooMany
from rmsd_daemon.domain.rates import Rates

_AT_ONCE_BYTES = 4 << 30
_BYTES_PER_S = 64 << 10
"""The bytes that one user may add each second. A hundred thousand usual jobs add 1 GB, so this is
enough for some ten jobs a second."""
_JOB_BYTES = 4 << 10
"""The bytes that a job adds beside its texts: its rows, and the events and audit entries of its
life."""
_UPDATE_BYTES = 32 << 10
"""The bytes that an update of a job adds beside the job's texts, and its nodes, at most."""
_TEXT_TIMES = 2
"""The number of copies of a text: in the job's row and in the event of its submit."""
ENTRY_BYTES = 1 << 10
"""The bytes that an entry of the audit trail adds."""
CHANGE_BYTES = 3 << 10
"""The bytes that a change of a live job adds: its entry of the audit trail, and the events of what
is asked for and decided, of the start after a restart, too."""

_DEPENDENCY_BYTES = 128
"""The bytes that a dependency adds to the events of what is asked for and decided, and to a row."""
_PIECE_BYTES = 64
"""The bytes that a piece of an array adds, in the events of what is asked for and decided."""


class Growth:
    """The amounts that users have added lately. Operators are not counted: they could end the
    daemon's work anyhow, and they replay traces of any length."""

    def __init__(self, at_once: float = _AT_ONCE_BYTES, per_s: float = _BYTES_PER_S) -> None:
        self._rates = Rates(per_s, at_once)
        self._at_once = at_once

    def check(self, caller: Caller) -> None:
        """Raise TooMany if the caller has added too much of late."""
        if self._counts(caller) and (wait_s := self._rates.owed_s(caller.name, _now_s())):
            detail = (
                f"{caller.name} has added too much to the daemon's database of late, "
                "with submits, tasks or changes of jobs"
            )
            raise TooMany(detail, retry_after_s=wait_s)

    def jobs(self, caller: Caller, body_bytes: int, count: int, more_bytes: int = 0) -> None:
        """Count `count` new jobs, which came in a body of so many bytes. `more_bytes`: what they
        add beyond their texts there."""
        self._take(caller, _TEXT_TIMES * body_bytes + _JOB_BYTES * count + more_bytes)

    def update(self, caller: Caller, more_bytes: int = 0) -> None:
        """Count a change of a job: its event has all that is kept of the job beside the core.
        `more_bytes`: what the texts of the job, and the nodes that it names, add."""
        self._take(caller, _UPDATE_BYTES + more_bytes)

    def entry(self, caller: Caller) -> None:
        """Count an entry of the audit trail."""
        self._take(caller, ENTRY_BYTES)

    def change(self, caller: Caller, jobs: int, dependencies: int = 0) -> None:
        """Count a change of live jobs with so many dependencies: a hold or a release."""
        self._take(caller, CHANGE_BYTES * jobs + _DEPENDENCY_BYTES * dependencies)

    def restart(self, caller: Caller, more_bytes: int) -> None:
        """Count a restart of a job, whose event has so many bytes of the job's texts and nodes."""
        self._take(caller, CHANGE_BYTES + more_bytes)

    def awaiting(self, caller: Caller, jobs: int, dependencies: int) -> None:
        """Count jobs that wait again for one that is restarted, with so many dependencies."""
        self.change(caller, jobs, dependencies)

    def cancel(self, caller: Caller, pieces: int) -> None:
        """Count a cancel of tasks of an array, which are in so many pieces."""
        self._take(caller, CHANGE_BYTES + _PIECE_BYTES * pieces)

    def _take(self, caller: Caller, size: int) -> None:
        if self._counts(caller):
            now_s, left = _now_s(), float(size)
            while left > 0:  # no more than a bucket holds is taken at a time
                self._rates.take(caller.name, min(left, self._at_once), now_s)
                left -= self._at_once

    @staticmethod
    def _counts(caller: Caller) -> bool:
        return not caller.role.covers(Role.OPERATOR)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
