"""Schedules that were not simulated just now: a daemon's history, and files of `--schedule`."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError
from rmsd_core.model_time import NEVER_US, SECOND_US, duration_us
from rmsd_core.vocabulary import FAILED_STATES, LIVE_STATES, Cause
from rmsd_lab.schedule import Scheduled
from rmsd_lab.workloads.swf import Trace, TraceJob

_COLUMNS = ["job_id", "submit", "start", "end"]
_SLACK_US = 60 * SECOND_US
"""The difference between two run times that is none: see `_ran_otherwise`."""

_SHOWN = 40  # characters of what is refused


class HistorySchedule(NamedTuple):
    """A daemon's history as a schedule.

    jobs: those that ran to an end, in arrival order. live, never_started: how many others.
    """

    jobs: list[Scheduled]
    live: int
    never_started: int


def history_of(views: Iterable[Mapping[str, Any]], *, propagated: bool) -> HistorySchedule:
    """Return the history that the API's job list (`JobView`s) contains. What a list without
    `decisions` does not tell is left unknown: the order of decisions, reservations, and predictions
    that changed. A job arrives when its conditions have come true.

    propagated: whether predictions change while jobs wait.
    """
    jobs = []
    live = never_started = 0
    for view in views:
        if is_live(view):
            live += 1
        elif has_run(view):
            jobs.append(_scheduled(view, propagated))
        else:
            never_started += 1
    jobs.sort(key=lambda job: (job.submit_us, job.job_id))
    return HistorySchedule(jobs, live, never_started)


def is_live(view: Mapping[str, Any]) -> bool:
    """Return whether the job waits or runs."""
    return view["state"] in LIVE_STATES


def has_run(view: Mapping[str, Any]) -> bool:
    """Return whether the job ran and is over."""
    known = view["start_us"] is not None and view["end_us"] is not None
    return known and not is_live(view) and view["cause"] != Cause.LAUNCH


def arrival_us(view: Mapping[str, Any]) -> int:
    """Return when the job took its place in the queue [us]: its submit, or the time at which the
    last of its conditions (a hold, a begin time, a dependency) came true. For a job whose
    conditions still stand, return its submit."""
    eligible_us = view["eligible_us"]
    return int(view["submit_us"] if eligible_us is None else eligible_us)


def _scheduled(view: Mapping[str, Any], propagated: bool) -> Scheduled:
    decisions = view.get("decisions") or {}
    predictions = decisions.get("predictions")

    def known(name: str) -> int:
        value = decisions.get(name)
        return -1 if value is None else int(value)

    return Scheduled(
        view["job_id"],
        arrival_us(view),
        view["start_us"],
        view["end_us"],
        view["end_us"] - view["start_us"],
        view["cpus"],
        view["backfilled"],
        view["user"],
        duration_us(view["estimate_s"]),
        view["state"] in FAILED_STATES,
        _since_arrival(view, predictions) if predictions else _only_prediction(view, propagated),
        view["corrections"],
        known("behind"),
        known("rank"),
        known("reserved_at_us"),
        known("reserved_rank"),
        known("reserved_us"),
        attempts=view["attempt"],
        lost_us=round(view["lost_s"] * SECOND_US),
    )


def _since_arrival(
    view: Mapping[str, Any], predictions: Iterable[Mapping[str, Any]]
) -> tuple[tuple[int, int], ...]:
    """Return the predictions that held from the job's arrival on: the one that held then, and each
    change."""
    arrived_us = arrival_us(view)
    found = [(one["at_us"], duration_us(one["prediction_s"])) for one in predictions]
    first = max(at for at, (since_us, _) in enumerate(found) if at == 0 or since_us <= arrived_us)
    return ((arrived_us, found[first][1]), *found[first + 1 :])


def _only_prediction(view: Mapping[str, Any], propagated: bool) -> tuple[tuple[int, int], ...]:
    """Return the prediction of a job that ran once without corrections; nothing for other jobs,
    whose predictions are not known, nor if predictions change while jobs wait."""
    if propagated or view["corrections"] or view["attempt"] != 1:
        return ()
    return ((arrival_us(view), duration_us(view["prediction_s"])),)


class Instants(NamedTuple):
    """The instants of a job in a schedule file."""

    job_id: str
    submit_us: int
    start_us: int
    end_us: int
    run_us: int


def read_schedule(path: Path, trace: Trace) -> list[Scheduled]:
    """Return the jobs of a file that `rmsd simulate --schedule` wrote, in arrival order. Size,
    user, estimate and status come from `trace`.

    Raises:
        CommandError: the file cannot be read, is no schedule, or is not of this trace: a job is not
            in the trace, or most jobs ran for another time; it has a job twice.
    """
    asked: dict[str, TraceJob] = {str(job.number): job for job in trace.jobs}
    jobs: list[Scheduled] = []
    lines: dict[str, int] = {}
    for line, row in enumerate(read_instants(path), 2):
        if row.job_id not in asked:
            raise CommandError(
                f"{path}, line {line} is no schedule of this trace: the trace has no job "
                f"{row.job_id}"
            )
        if (before := lines.setdefault(row.job_id, line)) != line:
            raise CommandError(_twice(path, line, before, asked[row.job_id], trace))
        jobs.append(_of_trace(row, asked[row.job_id]))
    others = sum(_ran_otherwise(job, asked[str(job.job_id)]) for job in jobs)
    if 2 * others > len(jobs):
        raise CommandError(
            f"{path} is no schedule of this trace: {others:,} of {len(jobs):,} jobs ran for "
            "another time than the trace tells"
        )
    return sorted(jobs, key=lambda job: job.submit_us)


def _twice(path: Path, line: int, before: int, job: TraceJob, trace: Trace) -> str:
    words = f"{path}, line {line}: job {job.number} is in line {before} already"
    if [one.number for one in trace.jobs].count(job.number) > 1:
        words += (
            ", and twice in the trace, so that it is not known which is which; `rmsd trace clean` "
            "numbers such jobs anew, for another simulation"
        )
    return words


def read_instants(path: Path) -> list[Instants]:
    """Return the rows of a file that `rmsd simulate --schedule` wrote.

    Raises:
        CommandError: the file cannot be read, or is no schedule.
    """
    found: list[Instants] = []
    begun = False
    try:
        with path.open(encoding="ascii", newline="") as lines:
            rows = csv.reader(lines)
            head = next(rows, None)
            if head not in (_COLUMNS, [*_COLUMNS, "run"]):
                raise ValueError(f"its first line is not {','.join(_COLUMNS)}")
            begun = True
            for row in rows:
                found.append(_instants(row, head))
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        where = f"{path}, line {len(found) + 2}" if begun else str(path)
        raise CommandError(f"{where} is no schedule: {error}") from None
    return found


def _instants(row: list[str], columns: list[str]) -> Instants:
    if len(row) != len(columns):
        raise ValueError(f"{len(row)} fields instead of {len(columns)}")
    named = zip(columns[1:], row[1:], strict=True)
    submit_us, start_us, end_us, *run = (_microseconds(name, text) for name, text in named)
    if not submit_us <= start_us <= end_us:
        raise ValueError(f"job {row[0]} is not submitted, started and ended in this order")
    run_us = run[0] if run else end_us - start_us
    if not 0 <= run_us <= end_us - start_us:
        raise ValueError(f"job {row[0]} cannot have run for {run_us / SECOND_US:g} s")
    return Instants(row[0], submit_us, start_us, end_us, run_us)


def _microseconds(column: str, text: str) -> int:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("nan")
    most_s = NEVER_US // SECOND_US
    if not value.is_finite() or not -most_s < value < most_s:
        raise ValueError(f"{column} is '{text[:_SHOWN]}', which is no time in seconds")
    return int(value * SECOND_US)


def _ran_otherwise(job: Scheduled, asked: TraceJob) -> bool:
    """Return whether the run time of a job cannot be that of the trace. A replay takes some seconds
    more or less."""
    run_us = asked.run_s * SECOND_US
    return abs(job.run_us - run_us) > max(_SLACK_US, run_us // 10)


def _of_trace(row: Instants, job: TraceJob) -> Scheduled:
    return Scheduled(
        job.number,
        row.submit_us,
        row.start_us,
        row.end_us,
        row.run_us,
        job.size,
        None,
        job.user,
        job.estimate_s * SECOND_US,
        job.status == 0,
        corrections=-1,
        attempts=-1,
        lost_us=-1,
    )
