"""Fig. 3.13: unfairness against badness."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    FIGURE,
    REMARK,
    random_runs,
    real_runs,
    table,
)
from rmsd_lab_cli.papers.trends import curve, every, rises


def unfairness() -> Experiment:
    measure = "unfairness/unfairness_s"
    values = FIGURE
    claims = []
    for log in ALL_LOGS:
        runs = [random_runs(log, f) for f in values]
        claims.append(curve(f"{log}: unfairness rises with f", runs, measure, rises, 1 / 60))
        for f, text, less in (
            (0.0, "with f = 0 the schedule is fairer than with real estimates", True),
            (10.0, "with f = 10 it is less fair than with real estimates", False),
        ):
            claims.append(
                every(
                    f"{log}: {text}",
                    [(f"f = {f:g} : real", random_runs(log, f), real_runs(log, 0))],
                    measure,
                    (lambda ours, real: ours < real) if less else (lambda ours, real: ours > real),
                    1 / 60,
                )
            )
    return Experiment(
        "thesis-fig-3.13",
        "thesis, Fig. 3.13, finding 3.7",
        "Unfairness against badness",
        [
            table(
                log,
                [(f"f = {f:g}", [("", random_runs(log, f))]) for f in values]
                + [("real", [("", real_runs(log, 0))])],
                [("unfairness [min]", measure, 1 / 60)],
            )
            for log in ALL_LOGS
        ],
        claims,
        [
            REMARK,
            "Fair start: FCFS without backfilling from a job's arrival on, in a conservative "
            "schedule with exact estimates.",
        ],
    )
