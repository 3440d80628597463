"""Figs. 4 and 6: all schemes over the load."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import Cell, Experiment, Finding, Lookup, PaperClaim, PaperTable
from rmsd_lab_cli.papers.selective.comparisons import improves
from rmsd_lab_cli.papers.selective.runs import (
    DIVISORS,
    HIGH,
    METRICS,
    SCHEMES,
    SLOWDOWN,
    SUBSETS,
    measure_of,
    run_of,
)


def over_loads(
    name: str, source: str, title: str, logs: Sequence[str], *, exact: bool
) -> Experiment:
    """Return the experiment of Figs. 4 and 6: all schemes over the load."""
    tables = [
        PaperTable(
            log,
            [
                Cell(
                    f"{metric}, {scheme}",
                    f"load x {divisor:g}",
                    "",
                    (run_of(log, scheme, divisor, exact=exact),),
                    measure_of("all", key),
                )
                for key, metric in METRICS[:2]
                for scheme in SCHEMES
                for divisor in DIVISORS
            ],
        )
        for log in logs
    ]
    claims = []
    for log in logs:
        for scheme in ("Sel", "Sel-D"):
            claims.append(
                improves(
                    f"{log}: {scheme} has a lower slowdown than conservative and EASY at high load",
                    [
                        (
                            f"against {base}",
                            run_of(log, scheme, HIGH, exact=exact),
                            run_of(log, base, HIGH, exact=exact),
                            measure_of("all", SLOWDOWN),
                        )
                        for base in ("conservative", "EASY")
                    ],
                )
            )
            claims.append(_gain_grows(log, scheme, exact=exact))
    return Experiment(name, source, title, tables, claims, [SUBSETS])


def _gain_grows(log: str, scheme: str, *, exact: bool) -> PaperClaim:
    """Return the claim that a scheme saves more of EASY's slowdown under high load, in slowdown."""
    runs = [
        (run_of(log, scheme, divisor, exact=exact), run_of(log, "EASY", divisor, exact=exact))
        for divisor in (1.0, HIGH)
    ]
    measure = measure_of("all", SLOWDOWN)

    def finding(look_up: Lookup) -> Finding:
        normal, high = (look_up(easy, measure) - look_up(one, measure) for one, easy in runs)
        return Finding(high > normal, f"EASY's slowdown less {normal:.4g}, high load {high:.4g}")

    return PaperClaim(
        f"{log}: the gain of {scheme} grows with load",
        [run for pair in runs for run in pair],
        [measure],
        finding,
    )
