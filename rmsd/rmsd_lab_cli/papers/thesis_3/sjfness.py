"""Fig. 3.8: how near the order of the jobs is to the shortest job first."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    BADNESS,
    FIGURE,
    HEEL_AND_TOE,
    JOBS,
    REMARK,
    Runs,
    deterministic_runs,
    random_runs,
    table,
)
from rmsd_lab_cli.papers.trends import curve, ends_lower, every, peaks_inside


def sjfness() -> Experiment:
    def points(log: str) -> list[tuple[str, list[tuple[str, Runs]]]]:
        return [
            (
                f"f = {f:g}",
                [("random", random_runs(log, f)), ("determ.", deterministic_runs(log, f / 2))],
            )
            for f in BADNESS
        ]

    measure = f"{HEEL_AND_TOE}/sjfness"
    run = f"{JOBS}/not_backfilled/run_mean_s"
    quantities = [("SJFness [%]", measure, 100.0), ("others' run [min]", run, 1 / 60)]
    claims = []
    for log in ALL_LOGS:
        runs = [random_runs(log, f) for f in BADNESS]
        text = f"{log}: SJFness rises with small f and falls later"
        claims.append(curve(text, runs, measure, peaks_inside, 100))
        text = f"{log}: jobs that are not backfilled get shorter"
        claims.append(curve(text, runs[: len(FIGURE)], run, ends_lower, 1 / 60))
        text = f"{log}: the deterministic model is nearer to SJF than the random one"
        claims.append(
            every(
                text,
                [
                    (f"f = {f:g}", deterministic_runs(log, f / 2), random_runs(log, f))
                    for f in BADNESS
                    if f > 0
                ],
                measure,
                lambda determined, drawn: determined >= drawn,
                100,
            )
        )
    return Experiment(
        "thesis-fig-3.8",
        "thesis, Fig. 3.8, findings 3.4 and 3.5",
        "SJFness against badness",
        [table(log, points(log), quantities) for log in ALL_LOGS],
        claims,
        [REMARK],
    )
