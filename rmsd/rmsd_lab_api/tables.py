"""Tables of the lab: Arrow tables, which become data frames of pandas and polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from rmsd_cli.errors import INSTALL_LAB, CommandError
from rmsd_core.model_time import SECOND_US
from rmsd_lab.schedule import Scheduled
from rmsd_lab.workloads.swf import TraceJob

ArrowTable = Any
"""A pyarrow.Table; pyarrow has no types."""


def needed(module: str, purpose: str, advice: str = "") -> Any:
    """Return a module that rmsd does without. Raises CommandError with what to install."""
    try:
        return import_module(module)
    except ImportError:
        advice = advice or f"pip install {module}"
        raise CommandError(f"{purpose} needs {module}, which is not installed: {advice}") from None


def arrow_table(columns: Mapping[str, Sequence[Any]], types: Mapping[str, str]) -> ArrowTable:
    """Return a table of columns. `types` has the type of a column by name, in Arrow's words; other
    columns are what their values are."""
    arrow = needed("pyarrow", "a table", INSTALL_LAB)
    arrays = [
        arrow.array(values, arrow.type_for_alias(types[name]) if name in types else None)
        for name, values in columns.items()
    ]
    return arrow.table(arrays, list(columns))


class TableResult:
    """Something with a table: `table` is an Arrow table."""

    @property
    def table(self) -> ArrowTable:
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return the table as a data frame of pandas. Raises CommandError without pandas."""
        needed("pandas", "a data frame of pandas")
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a data frame of polars. Raises CommandError without polars."""
        return needed("polars", "a data frame of polars").from_arrow(self.table)


_TRACE_TYPES = {"user": "string"}


def table_of_trace(jobs: Sequence[TraceJob]) -> ArrowTable:
    """Return the jobs of a trace as a table; what is not known is null."""
    return arrow_table(
        {
            "job_id": [job.number for job in jobs],
            "submit_s": [job.submit_s for job in jobs],
            "run_s": [_known(job.run_s) for job in jobs],
            "procs": [_known(job.size) for job in jobs],
            "estimate_s": [_known(job.estimate_s) for job in jobs],
            "user": [_user(job.user) for job in jobs],
            "status": [_known(job.status) for job in jobs],
            "preceding": [_known(job.preceding) for job in jobs],
            "think_s": [_known(job.think_s) for job in jobs],
        },
        _TRACE_TYPES | dict.fromkeys(("run_s", "procs", "status", "preceding", "think_s"), "int64"),
    )


_SCHEDULE_TYPES = {
    **dict.fromkeys(("submit_s", "start_s", "end_s", "run_s", "wait_s"), "float64"),
    **dict.fromkeys(("bounded_slowdown", "estimate_s", "reserved_s", "lost_s"), "float64"),
    **dict.fromkeys(("job_id", "procs", "attempts"), "int64"),
    **dict.fromkeys(("backfilled", "failed"), "bool"),
    "user": "string",
}


def table_of_schedule(jobs: Sequence[Scheduled]) -> ArrowTable:
    """Return the jobs of a schedule as a table, in arrival order; what is not known is null."""
    return arrow_table(
        {
            "job_id": [job.job_id for job in jobs],
            "user": [_user(job.user) for job in jobs],
            "procs": [job.size for job in jobs],
            "submit_s": [job.submit_us / SECOND_US for job in jobs],
            "start_s": [job.start_us / SECOND_US for job in jobs],
            "end_s": [job.end_us / SECOND_US for job in jobs],
            "run_s": [job.run_us / SECOND_US for job in jobs],
            "estimate_s": [_known_s(job.estimate_us) for job in jobs],
            "wait_s": [job.wait_us / SECOND_US for job in jobs],
            "bounded_slowdown": [job.bounded_slowdown for job in jobs],
            "backfilled": [job.backfilled for job in jobs],
            "reserved_s": [_known_s(job.reserved_us) for job in jobs],
            "failed": [job.failed for job in jobs],
            "attempts": [_known(job.attempts) for job in jobs],
            "lost_s": [_known_s(job.lost_us) for job in jobs],
        },
        _SCHEDULE_TYPES,
    )


def _known(value: int) -> int | None:
    return None if value < 0 else value


def _known_s(value_us: int) -> float | None:
    return None if value_us < 0 else value_us / SECOND_US


def _user(name: str) -> str | None:
    return None if name == "-1" else name
