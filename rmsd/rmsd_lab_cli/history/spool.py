"""The jobs of a log while they are read: on disk, in a file without a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap
from typing import Any

from rmsd_core.model_time import SECOND_US
from rmsd_lab.workloads.swf_log import LogJob, at_least_s
from rmsd_lab_cli.history.schedule import arrival_us

_STATUS = {"COMPLETED": 1, "CANCELLED": 5}
_FAILED = 0

_COLUMNS = (
    "number INTEGER PRIMARY KEY, submit_us, start_us, end_us, size, cpu_s, requested, estimate_s, "
    "requested_kib, status, user, executable"
)
_SIZE = _COLUMNS.count(",") + 1
_INSERT = f"INSERT INTO job VALUES ({', '.join('?' * _SIZE)})"
# Whole seconds since the first submit, to the nearest, halves up (`swf_log.nearest_s`).
_SECONDS = f"""SELECT *, (submit_us - :origin_us + {SECOND_US // 2}) / {SECOND_US} AS submit_s,
    (start_us - :origin_us + {SECOND_US // 2}) / {SECOND_US} AS start_s,
    (end_us - start_us + {SECOND_US // 2}) / {SECOND_US} AS run_s FROM job"""
_JOBS = f"""SELECT job.number, submit_s, start_s - submit_s, run_s, size, cpu_s, -1, requested,
    estimate_s, requested_kib, status, user.number, -1, executable.number
    FROM ({_SECONDS}) AS job JOIN user ON user.name = job.user
    JOIN executable ON executable.name = job.executable
    ORDER BY submit_s, job.number"""
"""The fields of `LogJob`, in their order, up to the last that is known."""


class Spool:
    """Jobs that ran to an end, given in any order. Iterated any number of times, they come as lines
    of a log, in arrival order.

    The database has no name: SQLite keeps what its small cache does not hold, and what it sorts, in
    files that it has deleted already.
    """

    def __init__(self, views: Iterable[Mapping[str, Any]]) -> None:
        self._database = sqlite3.connect("")
        self._database.execute(f"CREATE TABLE job ({_COLUMNS})")
        self._database.executemany(_INSERT, map(_row, views))
        self.users = self._numbered("user")
        self.executables = self._numbered("executable")

    def __len__(self) -> int:
        return int(self._one("SELECT count(*) FROM job"))

    def __iter__(self) -> Iterator[LogJob]:
        found = self._database.execute(_JOBS, {"origin_us": self.origin_us})
        return starmap(LogJob, found)

    @property
    def origin_us(self) -> int:
        """Return the first submit time [us]; 0 if there is no job."""
        return int(self._one("SELECT ifnull(min(submit_us), 0) FROM job"))

    @property
    def largest(self) -> int:
        """Return the processors of the largest job; 0 if there is none."""
        return int(self._one("SELECT ifnull(max(size), 0) FROM job"))

    @property
    def last_s(self) -> int:
        """Return the end of the last job, in seconds since the first submit."""
        query = f"SELECT ifnull(max(start_s + run_s), 0) FROM ({_SECONDS})"
        return int(self._one(query, origin_us=self.origin_us))

    def _one(self, query: str, **values: int) -> Any:
        return self._database.execute(query, values).fetchone()[0]

    def _numbered(self, what: str) -> dict[str, int]:
        """Number the names 1, 2, ... in the order of the first jobs that have them."""
        query = f"SELECT {what} FROM job GROUP BY {what} ORDER BY min(number)"
        numbers = {name: at for at, (name,) in enumerate(self._database.execute(query), 1)}
        self._database.execute(f"CREATE TABLE {what} (name PRIMARY KEY, number)")
        self._database.executemany(f"INSERT INTO {what} VALUES (?, ?)", numbers.items())
        return numbers


def _row(view: Mapping[str, Any]) -> tuple[Any, ...]:
    size, cpu_s, estimate_s = view["cpus"], view["cpu_s"], view["estimate_s"]
    memory_kib = view["mem_mib"] * 1024 * (view["nodes"] or 1) // size
    return (
        view["job_id"],
        arrival_us(view),
        view["start_us"],
        view["end_us"],
        size,
        -1 if cpu_s is None else round(cpu_s / size),
        view["tasks"] * view["cpus_per_task"],
        -1 if estimate_s is None else at_least_s(round(estimate_s * SECOND_US)),
        memory_kib or -1,
        _STATUS.get(view["state"], _FAILED),
        view["user"],
        view["name"],
    )
