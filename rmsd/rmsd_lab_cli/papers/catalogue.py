"""All experiments, by name: those of the papers, and the study of rmsd's own recipes."""

from __future__ import annotations

from rmsd_lab_cli.papers import (
    dynp,
    flurry,
    thesis_4,
    thesis_4_6,
    thesis_5,
    timed,
)
from rmsd_lab_cli.papers.better import experiments as better
from rmsd_lab_cli.papers.better.runs import COPIES
from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.selective import experiments as selective
from rmsd_lab_cli.papers.thesis_3 import experiments as thesis_3

PUBLISHED: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        *thesis_3.EXPERIMENTS,
        *thesis_4.EXPERIMENTS,
        thesis_4_6.FIG_1_19,
        *thesis_5.EXPERIMENTS,
        flurry.EXPERIMENT,
        *timed.EXPERIMENTS,
        *selective.EXPERIMENTS,
        *dynp.EXPERIMENTS,
    )
}


EXPERIMENTS = PUBLISHED | {one.name: one for one in better.experiments(COPIES)}


def named(name: str, copies: int = COPIES) -> list[Experiment]:
    """Return the experiment of that name, or all whose names begin with it (`thesis-4`), or `all`
    of the papers. Those of the study have so many shaken copies of each log."""
    every = PUBLISHED | {one.name: one for one in better.experiments(copies)}
    if name == "all":
        return list(PUBLISHED.values())
    if name in every:
        return [every[name]]
    return [
        experiment
        for key, experiment in every.items()
        if key.startswith(name) and key[len(name)] in "-."
    ]


def has_copies(experiment: Experiment) -> bool:
    """Return whether an experiment depends on the number of shaken copies."""
    return experiment.name not in PUBLISHED
