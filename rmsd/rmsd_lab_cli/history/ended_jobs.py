"""A daemon's history as a table: one row for each job that is over, by number."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from rmsd_cli.errors import CommandError
from rmsd_cli.table_files import FileColumn
from rmsd_lab_cli.history.schedule import is_live

View = Mapping[str, Any]


class ExportColumn(NamedTuple):
    """A column of the table. `meaning`: as the documents tell it; `value`: of a job."""

    column: FileColumn
    meaning: str
    value: Callable[[View], Any]


def _column(
    name: str,
    kind: Literal["text", "int", "float", "bool", "time"],
    meaning: str,
    field: str | Callable[[View], Any] = "",
) -> ExportColumn:
    """Return a column with the field of that name (""; of its own), or with what is made of it."""
    if not isinstance(field, str):
        return ExportColumn(FileColumn(name, kind), meaning, field)
    key = field or name
    return ExportColumn(FileColumn(name, kind), meaning, lambda view: view.get(key))


def _devices(view: View) -> str:
    """Return the devices on each node, with | between nodes; "" for none."""
    nodes = view.get("node_gres") or ()
    return "|".join(nodes) if any(nodes) else ""


COLUMNS = (
    _column("job_id", "int", "the job's number"),
    _column("array_job_id", "int", "the number of its array; empty: it belongs to none"),
    _column("array_task_id", "int", "its index in the array"),
    _column("array_tasks", "text", "in a row of an array itself: the tasks that were cancelled "
            "before they were jobs", "array_task_str"),
    _column("name", "text", "the name that its user gave it"),
    _column("user", "text", "its user"),
    _column("account", "text", "its account"),
    _column("qos", "text", "its QOS"),
    _column("partition", "text", "the partition in which it ran; if it never ran, those that it "
            "named"),
    _column("reservation", "text", "the advance reservation that it named"),
    _column("state", "text", "how it ended, as COMPLETED or TIMEOUT"),
    _column("cause", "text", "why its last attempt ended, as exit, limit or memory"),
    _column("exit_code", "int", "its exit code; empty: it has none"),
    _column("signal", "int", "the signal that ended it"),
    _column("submit_time_utc", "time", "its submit", "submit_us"),
    _column("eligible_time_utc", "time", "when its conditions (a hold, a begin time, other jobs) "
            "had come true", "eligible_us"),
    _column("start_time_utc", "time", "its last start; empty: it never ran", "start_us"),
    _column("end_time_utc", "time", "its end", "end_us"),
    _column("wait_s", "float", "from when it was eligible to its last start, or to its end"),
    _column("run_s", "float", "its last attempt, less its suspensions", "elapsed_s"),
    _column("suspended_s", "float", "how long its last attempt was suspended"),
    _column("lost_s", "float", "the trials that were killed, in all"),
    _column("estimate_s", "float", "the run time that it asked for; empty: unlimited"),
    _column("time_limit_s", "float", "its limit; empty: none"),
    _column("prediction_s", "float", "the run time that the scheduler planned with last; empty: "
            "unlimited"),
    _column("attempts", "int", "how often it was started", "attempt"),
    _column("corrections", "int", "how often a prediction was too short while it ran"),
    _column("backfilled", "bool", "whether it started past another job"),
    _column("tasks", "int", "the tasks that it asked for"),
    _column("cpus_per_task", "int", "the processors of each"),
    _column("cpus", "int", "its processors in all"),
    _column("nodes", "int", "its nodes"),
    _column("nodelist", "text", "their names, as n[1-4]"),
    _column("mem_per_node_mib", "int", "its memory on the first node, in MiB", "mem_mib"),
    _column("devices", "text", "its devices on each node, with | between nodes, as "
            "gpu:a100:0,1", _devices),
    _column("licenses", "text", "its licenses, as matlab:2"),
    _column("constraint", "text", "the features that it asked for"),
    _column("cpu_s", "float", "the processor time that its last attempt took; empty: not measured"),
    _column("max_rss_mib", "int", "the most memory that it had on a node, in MiB"),
)  # fmt: skip
"""The columns, in their order."""

_NAMES = ("name", "user", "account", "reservation")
"""The columns that --anonymous gives numbers instead of names."""


class EndedJobs:
    """The jobs of a history that are over, given in any order and iterated by number. They are on
    disk meanwhile, in a file without a name. `live`: how many jobs are not over."""

    def __init__(
        self, views: Iterable[View], since_us: int | None = None, *, anonymous: bool = False
    ) -> None:
        self.live = 0
        self._database = sqlite3.connect("")
        names = [f'"{one.column.name}"' for one in COLUMNS]
        self._database.execute(f"CREATE TABLE job ({names[0]} INTEGER PRIMARY KEY, "
                               f"{', '.join(names[1:])})")  # fmt: skip
        marks = ", ".join("?" * len(names))
        try:
            self._database.executemany(
                f"INSERT INTO job VALUES ({marks})", self._rows(views, since_us)
            )
        except (OverflowError, sqlite3.Error) as error:
            raise CommandError(f"the history has an impossible value: {error}") from None
        self._numbers = {name: self._numbered(name) for name in _NAMES if anonymous}

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM job").fetchone()[0])

    def __iter__(self) -> Iterator[list[Any]]:
        flags = [at for at, one in enumerate(COLUMNS) if one.column.kind == "bool"]
        hidden = {
            at: self._numbers[one.column.name]
            for at, one in enumerate(COLUMNS)
            if one.column.name in self._numbers
        }
        for found in self._database.execute("SELECT * FROM job ORDER BY job_id"):
            row = list(found)
            for at in flags:
                row[at] = None if row[at] is None else bool(row[at])
            for at, numbers in hidden.items():
                row[at] = numbers.get(row[at], row[at])
            yield row

    def _rows(self, views: Iterable[View], since_us: int | None) -> Iterator[list[Any]]:
        for view in views:
            if since_us is not None and view["submit_us"] < since_us:
                continue
            if is_live(view):
                self.live += 1
            else:
                yield [one.value(view) for one in COLUMNS]

    def _numbered(self, column: str) -> dict[str, str]:
        """Return numbers for the values of a column, as `user1`, in the order of the first jobs
        that have them. No name stays none."""
        found = self._database.execute(
            f'SELECT "{column}" FROM job WHERE "{column}" != \'\' GROUP BY 1 ORDER BY min(job_id)'
        )
        return {name: f"{column}{at}" for at, (name,) in enumerate(found, 1)}
