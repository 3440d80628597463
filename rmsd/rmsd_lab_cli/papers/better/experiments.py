"""All experiments of the study, in the order of docs/better.md."""

from __future__ import annotations

from rmsd_lab_cli.papers.better import ablation, must_hold, tables
from rmsd_lab_cli.papers.experiment import Experiment


def experiments(copies: int) -> list[Experiment]:
    """Return the experiments with so many shaken copies of each log."""
    return [
        tables.schedulers(),
        must_hold.must_hold(copies),
        tables.copies(copies),
        tables.loads(),
        tables.categories(),
        tables.users(),
        tables.kill_costs(),
        ablation.ablation(),
        ablation.variants(),
    ]
