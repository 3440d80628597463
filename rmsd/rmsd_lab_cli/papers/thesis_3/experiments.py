"""The experiments of chapter 3, in the order of its figures."""

from __future__ import annotations

from rmsd_lab_cli.papers.thesis_3.backfilling import BACKFILLING, WILD
from rmsd_lab_cli.papers.thesis_3.momentary_load import momentary_load
from rmsd_lab_cli.papers.thesis_3.multiples import multiples
from rmsd_lab_cli.papers.thesis_3.other_orders import other_orders
from rmsd_lab_cli.papers.thesis_3.performance import performance
from rmsd_lab_cli.papers.thesis_3.sjfness import sjfness
from rmsd_lab_cli.papers.thesis_3.truncated_estimates import truncated_estimates
from rmsd_lab_cli.papers.thesis_3.unfairness import unfairness

EXPERIMENTS = [
    performance(),
    BACKFILLING,
    WILD,
    sjfness(),
    momentary_load(),
    unfairness(),
    truncated_estimates(),
    multiples(),
    other_orders(),
]
