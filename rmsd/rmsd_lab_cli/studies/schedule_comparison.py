"""Schedules of the same jobs against each other, job by job."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_core.model_time import BOUND_S, SECOND_US
from rmsd_lab.measures.statistics import batch_means, lag_1_correlation
from rmsd_lab_cli.history.schedule import Instants, read_instants
from rmsd_lab_cli.studies.comparison import Comparison, compared

BATCHES = 20
"""The number of batches. More make no narrower interval to speak of, and shorter batches are less
independent; 10 to 30 do (Schmeiser, "Batch size effects in the analysis of simulation output",
Operations Research 1982)."""


def _wait_s(job: Instants) -> float:
    return (job.start_us - job.submit_us) / SECOND_US


def _response_s(job: Instants) -> float:
    return (job.end_us - job.submit_us) / SECOND_US


def _bounded_slowdown(job: Instants) -> float:
    return max(1.0, _response_s(job) / max(float(BOUND_S), job.run_us / SECOND_US))


METRICS: dict[str, Callable[[Instants], float]] = {
    "wait_s": _wait_s,
    "bounded_slowdown": _bounded_slowdown,
    "response_s": _response_s,
}
"""The metrics of a job by its line in a schedule file: a killed attempt counts as waiting, and the
last attempt is the run, without the cost of a restart."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The differences between two schedules of the same jobs.

    correlated: the greatest correlation between neighbouring batches of a comparison; above
    2 / sqrt(batches) the batches are too short, and the intervals too narrow.
    """

    jobs: int
    comparisons: Sequence[Comparison]
    correlated: float


def is_schedule(path: Path) -> bool:
    """Return whether a file's first line is that of job_id,submit,start,end."""
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as lines:
            return next(csv.reader(lines), [])[:1] == ["job_id"]
    except (OSError, csv.Error):
        return False  # the reader of another format says why the file cannot be read


class NamedSchedule(NamedTuple):
    """A schedule to compare. `shown` names it in messages: a file's path."""

    name: str
    shown: str
    jobs: Sequence[Instants]


def schedules_in(paths: Iterable[Path]) -> list[NamedSchedule]:
    """Return the schedules of files, which are named like the files without their ending. Raises
    CommandError if one cannot be read."""
    return [NamedSchedule(path.stem, str(path), read_instants(path)) for path in paths]


def compare_schedules(
    schedules: Sequence[NamedSchedule],
    baseline: str | None,
    metrics: Sequence[str],
    confidence: float,
    batches: int,
) -> Compared:
    """Compare every schedule with the one named `baseline`, or with the first. The differences of
    neighbouring jobs depend on each other, so the interval is of the means of `batches` consecutive
    parts.

    Raises:
        CommandError: a schedule has no two jobs, or is of other jobs than the baseline.
        CommandUsageError: no such baseline or metric, or more batches than jobs.
    """
    names = [one.name for one in schedules]
    if len(set(names)) < len(names):
        raise CommandUsageError("two schedules have the same name; rename a file")
    if baseline is not None and baseline not in names:
        raise CommandUsageError(
            f"--baseline {baseline}: no such schedule; there are: {', '.join(names)}"
        )
    for metric in metrics:
        if metric not in METRICS:
            known = ", ".join(METRICS)
            raise CommandUsageError(f"--metric {metric}: schedules tell {known}")
    at = 0 if baseline is None else names.index(baseline)
    reference = schedules[at]
    if len(reference.jobs) < 2:
        raise CommandError(f"{reference.shown}: to compare schedules, they need at least 2 jobs")
    if not 2 <= batches <= len(reference.jobs):
        raise CommandUsageError(
            f"{batches} batches: give --batches 2 to {len(reference.jobs)}, as {reference.shown} "
            f"has {len(reference.jobs)} jobs"
        )
    found: dict[str, list[Comparison]] = {metric: [] for metric in metrics}
    correlated = 0.0
    for contestant in [*schedules[:at], *schedules[at + 1 :]]:
        _refuse_others(reference, contestant)
        for metric in found:
            of = METRICS[metric]
            before = batch_means(list(map(of, reference.jobs)), batches)
            after = batch_means(list(map(of, contestant.jobs)), batches)
            found[metric].append(compared(metric, contestant.name, before, after, confidence))
            differences = [b - a for a, b in zip(before, after, strict=True)]
            correlated = max(correlated, lag_1_correlation(differences) or 0.0)
    return Compared(len(reference.jobs), [one for of in found.values() for one in of], correlated)


def _refuse_others(reference: NamedSchedule, contestant: NamedSchedule) -> None:
    jobs, others = reference.jobs, contestant.jobs
    for line, (job, other) in enumerate(zip_longest(jobs, others), 2):
        if job is None or other is None:
            raise CommandError(
                f"{reference.shown} has {len(jobs):,} jobs and {contestant.shown} "
                f"{len(others):,}: they are not of the same trace"
            )
        if (job.job_id, job.submit_us) != (other.job_id, other.submit_us):
            raise CommandError(
                f"{reference.shown} and {contestant.shown}, line {line}: job {job.job_id} "
                f"submitted at {job.submit_us / SECOND_US:g} and job {other.job_id} at "
                f"{other.submit_us / SECOND_US:g}: they are not of the same jobs"
            )
