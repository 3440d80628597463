"""All experiments, by name."""

from __future__ import annotations

from rmsd_lab_cli.papers import (
    dynp,
    flurry,
    thesis_4,
    thesis_4_6,
    thesis_5,
    timed,
)
from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.selective import experiments as selective
from rmsd_lab_cli.papers.thesis_3 import experiments as thesis_3

EXPERIMENTS: dict[str, Experiment] = {
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


def named(name: str) -> list[Experiment]:
    """Return the experiment of that name, or all whose names begin with it (`thesis-4`), or
    `all`."""
    if name in EXPERIMENTS:
        return [EXPERIMENTS[name]]
    return [
        experiment
        for key, experiment in EXPERIMENTS.items()
        if name == "all" or (key.startswith(name) and key[len(name)] in "-.")
    ]
