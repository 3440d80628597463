"""Figs. 3.20 and 3.21: inaccurate estimates under SJBF and LXF&W."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    BADNESS,
    PERFORMANCE,
    REMARK,
    SLOWDOWN,
    deterministic_runs,
    random_runs,
    table,
)
from rmsd_lab_cli.papers.trends import curve, dips, every, turns_up


def other_orders() -> Experiment:
    tables, claims = [], []
    for recipe, name in (("easy-sjbf", "SJBF"), ("lxfw", "LXF&W")):
        for log in ALL_LOGS:
            tables.append(
                table(
                    f"{name}, {log}",
                    [
                        (
                            f"f = {f:g}",
                            [
                                ("random", random_runs(log, f, (), recipe)),
                                ("determ.", deterministic_runs(log, f / 2, (), recipe)),
                            ],
                        )
                        for f in BADNESS
                    ],
                    PERFORMANCE,
                )
            )
            runs = [random_runs(log, f, (), recipe) for f in BADNESS]
            for kind, measure, scale in PERFORMANCE:
                if recipe == "lxfw":
                    text = "is a U over f (falls, then ends above its lowest point)"
                    claims.append(
                        curve(f"{name}, {log}: {kind} {text}", runs, measure, turns_up, scale)
                    )
                else:
                    text = "some inaccuracy is better than none"
                    claims.append(
                        curve(f"{name}, {log}, {kind}: {text}", runs, measure, dips, scale)
                    )
    for log in ALL_LOGS:
        for recipe, name in (("easy-sjbf", "SJBF"), ("lxfw", "LXF&W")):
            claims.append(
                every(
                    f"{log}: {name} has lower slowdowns than EASY with exact estimates",
                    [
                        (
                            f"{name} : EASY",
                            deterministic_runs(log, 0, (), recipe),
                            deterministic_runs(log, 0),
                        )
                    ],
                    SLOWDOWN,
                    lambda ours, easy: ours < easy,
                )
            )
    return Experiment(
        "thesis-fig-3.20",
        "thesis, Figs. 3.20 and 3.21, finding 3.9",
        "The same under SJBF and LXF&W",
        tables,
        claims,
        [REMARK],
    )
