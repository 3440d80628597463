"""All experiments, by name."""

from __future__ import annotations

from rmsd_cli.papers import dynp, selective, thesis_3, thesis_4, timed
from rmsd_cli.papers.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for paper in (thesis_3, thesis_4, timed, selective, dynp)
    for experiment in paper.EXPERIMENTS
}


def named(name: str) -> list[Experiment]:
    """The experiment of that name, or all whose names begin with it (`thesis-4`), or `all`."""
    if name in EXPERIMENTS:
        return [EXPERIMENTS[name]]
    return [
        experiment
        for key, experiment in EXPERIMENTS.items()
        if name == "all" or (key.startswith(name) and key[len(name)] in "-.")
    ]
