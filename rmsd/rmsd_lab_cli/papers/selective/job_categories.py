"""Tables 3 to 6: the share of each category of jobs."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Cell, Experiment, PaperTable
from rmsd_lab_cli.papers.selective.runs import KINDS, SUBSETS, measure_of, run_of


def job_categories() -> Experiment:
    """Return the experiment of Tables 3 to 6: the share of each category."""
    printed = {
        "CTC": ("Table 3", "45.06 11.84 30.26 12.84"),
        "KTH": ("Table 4", "53.78 19.52 16.50 10.20"),
        "SDSC": ("Table 5", "47.24 21.44 20.94 10.38"),
        "LANL": ("Table 6", "70.80 11.72 9.42 8.06"),
    }
    cells = [
        Cell(
            log,
            kind,
            "% of jobs",
            (run_of(log, "EASY"),),
            measure_of(kind, "share"),
            100,
            number,
        )
        for log, (_, numbers) in printed.items()
        for kind, number in zip(KINDS, numbers.split(), strict=False)
    ]
    return Experiment(
        "selective-table-3",
        "Selective, Tables 3-6",
        "Job categories of the subsets",
        [PaperTable("Share of each category", cells)],
        remarks=[SUBSETS],
    )
