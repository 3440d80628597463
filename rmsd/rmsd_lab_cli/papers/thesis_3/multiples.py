"""Figs. 3.18 and 3.19: multiples of real and of perfect estimates."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment, PaperClaim
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    HEEL_AND_TOE,
    JOBS,
    PERFORMANCE,
    SLOWDOWN,
    WAIT,
    Runs,
    deterministic_runs,
    real_runs,
    table,
)
from rmsd_lab_cli.papers.trends import curve, dips, every

_MULTIPLES = (0.0, 1.0, 3.0, 10.0, 100.0)
_QUANTITIES = [
    ("backfilled [%]", f"{JOBS}/backfilled/rate", 100.0),
    ("wild [%]", f"{JOBS}/wild/rate", 100.0),
    ("wild run [min]", f"{JOBS}/wild/run_mean_s", 1 / 60),
    ("SJFness [%]", f"{HEEL_AND_TOE}/sjfness", 100.0),
    ("unfairness [min]", "unfairness/unfairness_s", 1 / 60),
    *PERFORMANCE,
]
_SCALES = {measure: scale for _, measure, scale in _QUANTITIES}
_PERFECT_AGAINST_REAL = (  # the claim, its measure, and whether the claim means more of the measure
    ("perfect multiples cause more wild backfilling", f"{JOBS}/wild/rate", True),
    ("of shorter jobs", f"{JOBS}/wild/run_mean_s", False),
    ("and more SJFness", f"{HEEL_AND_TOE}/sjfness", True),
    ("and are more fair", "unfairness/unfairness_s", False),
    ("and shorten waits", WAIT, False),
    ("and lower slowdowns", SLOWDOWN, False),
)


def _perfect_against_real() -> list[PaperClaim]:
    def pairs(log: str) -> list[tuple[str, Runs, Runs]]:
        return [
            (f"f = {f:g}", deterministic_runs(log, f), real_runs(log, f)) for f in _MULTIPLES[1:]
        ]

    return [
        every(
            f"{log}, perfect : real: {text} (at most points)",
            pairs(log),
            measure,
            (lambda one, other: one > other) if more else (lambda one, other: one < other),
            _SCALES[measure],
            share=0.75,
        )
        for log in ALL_LOGS
        for text, measure, more in _PERFECT_AGAINST_REAL
    ]


def _real_shorten_waits() -> list[PaperClaim]:
    return [
        curve(
            f"{log}: multiplying the users' estimates shortens waits, too",
            [real_runs(log, f) for f in _MULTIPLES],
            WAIT,
            dips,
            1 / 60,
        )
        for log in ALL_LOGS
    ]


def multiples() -> Experiment:
    return Experiment(
        "thesis-fig-3.18",
        "thesis, Figs. 3.18 and 3.19, finding 3.8",
        "Multiples of real and of perfect estimates",
        [
            table(
                log,
                [
                    (
                        f"f = {f:g}",
                        [("perfect", deterministic_runs(log, f)), ("real", real_runs(log, f))],
                    )
                    for f in _MULTIPLES
                ],
                _QUANTITIES,
            )
            for log in ALL_LOGS
        ],
        [*_perfect_against_real(), *_real_shorten_waits()],
        ['Estimates times 1 + f. The thesis\'s trim is on. "Most points": three in four.'],
    )
