"""Comparisons: differences that are more than chance, as `rmsd compare` finds them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rmsd_lab.schedule import Scheduled
from rmsd_lab_api.html import plain, text_html
from rmsd_lab_api.options import options_of
from rmsd_lab_api.runs import ScheduleResult, by_name
from rmsd_lab_api.studies import StudyResult
from rmsd_lab_api.tables import ArrowTable, TableResult, arrow_table
from rmsd_lab_cli.history.schedule import Instants
from rmsd_lab_cli.studies import compare as command
from rmsd_lab_cli.studies.compare import ComparedResults, of_results, of_schedules
from rmsd_lab_cli.studies.schedule_comparison import NamedSchedule


class LabComparison(TableResult):
    """The comparisons with a baseline: `table` has a row for each contestant and metric, `text` is
    what the command prints."""

    def __init__(self, found: ComparedResults, args: argparse.Namespace) -> None:
        self.baseline = found.baseline
        self.report: dict[str, Any] = command.report_of(found, args)
        self.text = plain(lambda: command.text_of(found, args))

    @property
    def table(self) -> ArrowTable:
        rows = self.report["comparisons"]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return arrow_table(
            {name: [row.get(name) for row in rows] for name in names},
            {"low": "float64", "high": "float64", "relative": "float64"},
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return text_html(self.text)


def compare(
    results: Sequence[ScheduleResult] | StudyResult,
    *,
    baseline: str | None = None,
    metrics: Sequence[str] = (),
    by: str | None = None,
    confidence: float = 0.95,
    bonferroni: bool = False,
    batches: int | None = None,
) -> LabComparison:
    """Say which differences are more than chance: among schedules of the same jobs, or among the
    recipes of a study. The arguments are the options of `rmsd compare`.

    Raises:
        LabError: as the command fails: fewer than two schedules, schedules of other jobs, no such
            baseline or metric.
    """
    args = options_of(
        command.add_arguments,
        "results",
        baseline=baseline,
        metric=list(metrics),
        by=by,
        confidence=confidence,
        bonferroni=bonferroni,
        batches=batches,
    )
    command.check_confidence(args)
    if isinstance(results, StudyResult):
        return LabComparison(of_results(results.rows, args), args)
    named = by_name(results)
    schedules = [
        NamedSchedule(name, name, [_instants(job) for job in schedule])
        for name, schedule in named.items()
    ]
    return LabComparison(of_schedules(schedules, args), args)


def _instants(job: Scheduled) -> Instants:
    return Instants(str(job.job_id), job.submit_us, job.start_us, job.end_us, job.run_us)
