"""Tables 7 and 8: the starvation thresholds that a conservative run gives."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import THRESHOLDS, Cell, Experiment, PaperTable
from rmsd_lab_cli.papers.selective.runs import HIGH, KINDS, SUBSETS, run_of


def starvation_thresholds() -> Experiment:
    """Return the experiment of Tables 7 and 8."""
    tables = [
        PaperTable(
            title,
            [
                Cell(
                    "SDSC",
                    f"{scheme} {kind}",
                    "threshold",
                    (run_of("SDSC", scheme, HIGH, exact=exact),),
                    f"{THRESHOLDS}/{kind}",
                    published=number,
                )
                for scheme, kind, number in (
                    ("Sel", "all", overall),
                    *(("Sel-D", kind, by_kind) for kind, by_kind in zip(KINDS, each, strict=False)),
                )
            ],
        )
        for title, exact, overall, each in (
            ("Table 7: exact estimates", True, "26.69", ("22.30", "72.40", "1.72", "2.59")),
            ("Table 8: users' estimates", False, "3.92", ("3.55", "21.53", "1.35", "2.27")),
        )
    ]
    return Experiment(
        "selective-table-7",
        "Selective, Tables 7 and 8",
        "Starvation thresholds from a conservative run",
        tables,
        remarks=[
            SUBSETS,
            "High load was found by the five numbers of Table 7, so that they prove little by "
            "themselves; Table 8 had no part in it.",
            "With users' estimates the mean is over jobs that ran at least half their estimate.",
        ],
    )
