"""Runs and tables that the experiments of chapter 3 share: logs, loads, and models of estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_lab_cli.papers.experiment import Cell, Change, PaperTable, Simulation
from rmsd_lab_cli.papers.thesis_4 import LOGS

HIGH_LOAD, LOW_LOAD = 0.84, 0.56
"""The offered loads of SDSC and of CTC (3.1, Methodology)."""

BADNESS = (0.0, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, 1000.0)
"""Values of f; the figures go from 0 to 10 in tenths, the text follows them up to 10,000."""

FIGURE = tuple(f for f in BADNESS if f <= 10)
"""The values of f that the figures show."""

SEEDS = (1, 2, 3)
"""The seeds of the random model; the thesis takes 100."""

ALL_LOGS = ("SDSC", "CTC", "KTH", "BLUE")
WAIT = "waits/wait_s/mean"
SLOWDOWN = "waits/bounded_slowdown/mean"
JOBS = "dynamics/jobs"
HEEL_AND_TOE = "dynamics/heel_and_toe"
PERFORMANCE = [("wait [min]", WAIT, 1 / 60), ("slowdown", SLOWDOWN, 1.0)]
REMARK = (
    f"The random model is the mean of {len(SEEDS)} seeds (the thesis: 100); the deterministic one "
    "beside it has the same mean, f/2. The thesis's trim is on. A curve rises or falls if no step "
    "goes more than 2% against the trend."
)

Runs = tuple[Simulation, ...]


def run_of(log: str, changes: Iterable[Change] = (), recipe: str = "easy") -> Simulation:
    name, processors = LOGS["CTC" if log == "CTC-336" else log]
    if log == "CTC-336":
        processors = 336
    return Simulation(name, processors, recipe, tuple(changes), trim=True)


def random_runs(log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy") -> Runs:
    """Return the runs of the random f-model; with f = 0 all seeds are alike."""
    if f == 0:
        return (run_of(log, [*before, ("exact",)], recipe),)
    return tuple(run_of(log, [*before, ("random", f, seed)], recipe) for seed in SEEDS)


def deterministic_runs(
    log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy"
) -> Runs:
    """Return the run whose estimates are run times times F = 1 + f."""
    times: list[Change] = [("times", 1 + f)] if f else []
    return (run_of(log, [*before, ("exact",), *times], recipe),)


def real_runs(log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy") -> Runs:
    """Return the run whose estimates are the users' times F = 1 + f."""
    times: list[Change] = [("times", 1 + f)] if f else []
    return (run_of(log, [*before, *times], recipe),)


def at_load(load: float) -> list[Change]:
    return [("load", load)]


def table(
    title: str,
    points: Sequence[tuple[str, Sequence[tuple[str, Runs]]]],
    quantities: Sequence[tuple[str, str, float]],
) -> PaperTable:
    """Return a table with a column for each point, which is a list of (model, runs), and a row for
    each quantity (name, measure, scale) and model."""
    models = list(dict.fromkeys(model for _, of_point in points for model, _ in of_point))
    return PaperTable(
        title,
        [
            Cell(f"{name} {model}".strip(), point, "", runs, measure, scale)
            for name, measure, scale in quantities
            for model in models
            for point, of_point in points
            for of_model, runs in of_point
            if of_model == model
        ],
    )
