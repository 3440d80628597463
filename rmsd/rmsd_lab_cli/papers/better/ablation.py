"""The parts of `rmsd`, one changed at a time, and what was tried to make it better."""

from __future__ import annotations

from rmsd_lab_cli.papers.better.runs import GROUPS, LOGS, PRICE, QUALITY, SOURCE, cells, run_of
from rmsd_lab_cli.papers.experiment import Experiment, PaperTable

WITHOUT = {
    "rmsd": "rmsd",
    "no speculation": "rmsd,speculate=no",
    "no trials": "rmsd,trial=0",
    "neither (and no kills)": "rmsd-gentle,fraction=0.6",
    "nobody is urgent": "rmsd,starve=no",
    "urgent by predictions": "rmsd,urgent=predictions",
    "whole predictions of runs": "rmsd,remaining=no",
    "survived time forgotten": "rmsd,survived=no",
    "predicted once": "rmsd,propagate=no",
    "kills the first expired": "rmsd,kill=longest-expired",
    "users' estimates": "rmsd,predict=estimate",
    "latest 2 of the user": "rmsd,predict=recent",
    "order: arrival": "rmsd,order=arrival",
    "order: shortest": "rmsd,order=shortest",
    "order: smallest area": "rmsd,order=saf",
    "order: lxfw": "rmsd,order=lxfw",
    "order: wfp3": "rmsd,order=wfp3",
}
"""The recipes in which a part is left out or replaced, by what is changed."""

TRIED = {
    "rmsd": "rmsd",
    "urgent from 0.4": "rmsd,fraction=0.4",
    "urgent from 0.3": "rmsd,fraction=0.3",
    "urgent from 0.8": "rmsd,fraction=0.8",
    "urgent after 1 h at least": "rmsd,floor=1h",
    "trials of 60 s": "rmsd,trial=60",
    "trials of 300 s": "rmsd,trial=300",
    "trials of 60 s, no speculation": "rmsd,trial=60,speculate=no",
    "size counts more (0.5)": "rmsd,exponent=0.5",
    "size does not count (0)": "rmsd,exponent=0",
    "waits count from 1 h (3600)": "rmsd,constant=3600",
    "gentle, urgent from 0.4": "rmsd-gentle,fraction=0.4",
}
"""Changes of parameters against the 99th percentile of waits and the number of kills."""


def ablation() -> Experiment:
    return _compared("better-ablation", "The parts of rmsd, one left out or replaced", WITHOUT)


def variants() -> Experiment:
    return _compared("better-variants", "Other parameters of rmsd", TRIED)


def _compared(name: str, title: str, recipes: dict[str, str]) -> Experiment:
    tables = [
        PaperTable(
            f"{log_name} ({log.workload}), {log.processors:,} processors",
            [
                cell
                for row, recipe in recipes.items()
                for cell in cells(row, [run_of(log, recipe)], (*QUALITY, *PRICE))
            ],
        )
        for log_name, log in LOGS.items()
    ]
    return Experiment(
        name,
        SOURCE,
        title,
        tables,
        remarks=["What differs by less than shaking does says nothing: see better-copies."],
        also=GROUPS,
    )
