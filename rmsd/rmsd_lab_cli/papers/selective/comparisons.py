"""The comparison of runs: by category in tables, and in percent of a base in claims."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import Cell, Finding, Lookup, PaperClaim, PaperTable, Simulation
from rmsd_lab_cli.papers.selective.runs import KINDS, load_text, measure_of, run_of


def change_percent(look_up: Lookup, run: Simulation, base: Simulation, measure: str) -> float:
    """Return the change against the base in percent; below zero is better."""
    return 100 * (look_up(run, measure) / look_up(base, measure) - 1)


Compared = tuple[str, Simulation, Simulation, str]
"""Name, a run, its base, and the measure of both."""


def improves(text: str, compared: Sequence[Compared], below: float | None = None) -> PaperClaim:
    """Claim that every run is better than its base: by more than `below` percent, if given (-45),
    or at all. The numbers are changes in percent."""
    most = 0.0 if below is None else below

    def finding(look_up: Lookup) -> Finding:
        changes = [
            change_percent(look_up, run, base, measure) for _, run, base, measure in compared
        ]
        said = [
            f"{name} {change:+.0f}%{'' if change < most else ' (no)'}"
            for (name, *_), change in zip(compared, changes, strict=True)
        ]
        return Finding(all(change < most for change in changes), ", ".join(said))

    return PaperClaim(
        text,
        [run for _, one, base, _ in compared for run in (one, base)],
        [measure for *_, measure in compared],
        finding,
    )


def by_category(
    log: str,
    schemes: Sequence[str],
    divisor: float,
    metrics: Sequence[tuple[str, str]],
    *,
    exact: bool,
) -> PaperTable:
    """Make a table with a row for each scheme and metric, and a column for each category."""
    return PaperTable(
        f"{log}, {load_text(divisor)}",
        [
            Cell(
                f"{name}, {scheme}",
                kind,
                "",
                (run_of(log, scheme, divisor, exact=exact),),
                measure_of(kind, key),
            )
            for key, name in metrics
            for scheme in schemes
            for kind in KINDS
        ],
    )
