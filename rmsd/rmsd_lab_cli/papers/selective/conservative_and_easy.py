"""Figs. 1 and 2: conservative and EASY by category."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment, Finding, Lookup, PaperClaim
from rmsd_lab_cli.papers.selective.comparisons import by_category, change_percent, improves
from rmsd_lab_cli.papers.selective.runs import (
    HIGH,
    LOGS,
    METRICS,
    RESPONSE,
    SLOWDOWN,
    SUBSETS,
    measure_of,
    run_of,
)


def _wide_and_narrow(log: str, divisor: float) -> list[PaperClaim]:
    """Return the claims of section 3: SW jobs are better off under conservative, LN jobs under
    EASY."""
    easy, conservative = run_of(log, "EASY", divisor), run_of(log, "conservative", divisor)
    return [
        improves(
            f"{log}: SW jobs do better under conservative backfilling (change against EASY)",
            [
                (name, conservative, easy, measure_of("SW", key))
                for key, name in ((SLOWDOWN, "slowdown"), (RESPONSE, "turnaround"))
            ],
        ),
        improves(
            f"{log}: LN jobs do better under EASY (change against conservative)",
            [
                (name, easy, conservative, measure_of("LN", key))
                for key, name in ((SLOWDOWN, "slowdown"), (RESPONSE, "turnaround"))
            ],
        ),
    ]


FIG_1 = Experiment(
    "selective-fig-1",
    "Selective, Fig. 1",
    "Conservative and EASY by category, normal load, exact estimates",
    [by_category(log, ("conservative", "EASY"), 1.0, METRICS[:2], exact=True) for log in LOGS],
    [claim for log in LOGS for claim in _wide_and_narrow(log, 1.0)],
    [SUBSETS],
)


def _more_pronounced(kind: str, key: str, name: str) -> PaperClaim:
    """Return the claim that EASY and conservative differ more under high load, on CTC."""
    easy = [run_of("CTC", "EASY", divisor) for divisor in (1.0, HIGH)]
    conservative = [run_of("CTC", "conservative", divisor) for divisor in (1.0, HIGH)]
    measure = measure_of(kind, key)

    def finding(look_up: Lookup) -> Finding:
        normal, high = (
            change_percent(look_up, one, base, measure)
            for one, base in zip(easy, conservative, strict=True)
        )
        more = abs(high) > abs(normal) and high * normal > 0
        return Finding(more, f"EASY against conservative {normal:+.0f}%, high load {high:+.0f}%")

    return PaperClaim(
        f"CTC, {kind} jobs, {name}: the difference is larger under high load",
        [*easy, *conservative],
        [measure],
        finding,
    )


FIG_2 = Experiment(
    "selective-fig-2",
    "Selective, Fig. 2",
    "Conservative and EASY by category, high load, exact estimates",
    [by_category("CTC", ("conservative", "EASY"), HIGH, METRICS[:2], exact=True)],
    [
        *_wide_and_narrow("CTC", HIGH),
        *(_more_pronounced(kind, key, name) for kind in ("SW", "LN") for key, name in METRICS[:2]),
    ],
    [SUBSETS],
)
