"""Figs. 3 and 5: selective schemes by category, at high load."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import Experiment, PaperClaim
from rmsd_lab_cli.papers.selective.comparisons import Compared, by_category, improves
from rmsd_lab_cli.papers.selective.runs import (
    HIGH,
    KINDS,
    METRICS,
    SCHEMES,
    SLOWDOWN,
    SUBSETS,
    WORST,
    measure_of,
    run_of,
)


def _schemes(log: str, divisor: float, *, exact: bool) -> list[PaperClaim]:
    """Return the claims of sections 4.2 and 4.3 on one log at high load."""

    def against(scheme: str, base: str, key: str, kinds: Sequence[str]) -> list[Compared]:
        one, other = (run_of(log, name, divisor, exact=exact) for name in (scheme, base))
        return [(f"{kind} against {base}", one, other, measure_of(kind, key)) for kind in kinds]

    def both(scheme: str, key: str, kinds: Sequence[str]) -> list[Compared]:
        return [
            *against(scheme, "conservative", key, kinds),
            *against(scheme, "EASY", key, kinds),
        ]

    every_kind = KINDS[:4]
    if not exact:
        return [
            improves(
                f"{log}: {scheme} has lower slowdowns than conservative and EASY in every category",
                both(scheme, SLOWDOWN, every_kind),
            )
            for scheme in ("Sel", "Sel-D")
        ] + [
            improves(
                f"{log}: Sel-D cuts the worst slowdown of every category but SW",
                both("Sel-D", WORST, ("SN", "LN", "LW")),
            )
        ]
    return [
        improves(
            f"{log}: Sel cuts the overall slowdown by at least 45%",
            both("Sel", SLOWDOWN, ("all",)),
            -45.0,
        ),
        improves(
            f"{log}: Sel lowers the slowdown of every category but LW",
            both("Sel", SLOWDOWN, ("SN", "SW", "LN")),
        ),
        improves(
            f"{log}: Sel-D lowers the slowdown of every category",
            both("Sel-D", SLOWDOWN, every_kind),
        ),
        improves(
            f"{log}: Sel-D cuts the worst slowdown of every category against EASY",
            against("Sel-D", "EASY", WORST, every_kind),
        ),
        improves(
            f"{log}: and against conservative of every category but SW",
            against("Sel-D", "conservative", WORST, ("SN", "LN", "LW")),
        ),
    ]


FIG_3 = Experiment(
    "selective-fig-3",
    "Selective, Fig. 3",
    "Selective schemes by category, SDSC, high load, exact estimates",
    [by_category("SDSC", tuple(SCHEMES), HIGH, METRICS, exact=True)],
    _schemes("SDSC", HIGH, exact=True),
    [SUBSETS, "Thresholds are the mean slowdowns of a conservative run of the same jobs."],
)

FIG_5 = Experiment(
    "selective-fig-5",
    "Selective, Fig. 5",
    "Selective schemes by category, SDSC, high load, users' estimates",
    [by_category("SDSC", tuple(SCHEMES), HIGH, METRICS, exact=False)],
    _schemes("SDSC", HIGH, exact=False),
    [
        SUBSETS,
        "Thresholds are the mean slowdowns of well-estimated jobs (run time at least half the "
        "estimate) in a conservative run of the same jobs.",
    ],
)
