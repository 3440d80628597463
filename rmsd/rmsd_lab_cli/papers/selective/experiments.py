"""The experiments of the paper, in the order of its tables and figures."""

from __future__ import annotations

from rmsd_lab_cli.papers.selective.conservative_and_easy import FIG_1, FIG_2
from rmsd_lab_cli.papers.selective.fairness import fairness
from rmsd_lab_cli.papers.selective.job_categories import job_categories
from rmsd_lab_cli.papers.selective.loads import over_loads
from rmsd_lab_cli.papers.selective.runs import LOGS
from rmsd_lab_cli.papers.selective.schemes import FIG_3, FIG_5
from rmsd_lab_cli.papers.selective.starvation_thresholds import starvation_thresholds

EXPERIMENTS = [
    job_categories(),
    starvation_thresholds(),
    FIG_1,
    FIG_2,
    FIG_3,
    over_loads(
        "selective-fig-4",
        "Selective, Fig. 4",
        "Selective schemes over the load, exact estimates",
        tuple(LOGS),
        exact=True,
    ),
    FIG_5,
    over_loads(
        "selective-fig-6",
        "Selective, Fig. 6",
        "Selective schemes over the load, users' estimates",
        ("SDSC", "CTC", "KTH"),
        exact=False,
    ),
    fairness(),
]
