"""The outcome of an experiment: verdicts on its cells and claims, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rmsd_cli.tables import grid
from rmsd_lab.measures.statistics import mean_interval, paired_interval
from rmsd_lab_cli.papers import verdicts
from rmsd_lab_cli.papers.execute import Measures
from rmsd_lab_cli.papers.experiment import (
    Cell,
    Experiment,
    PaperClaim,
    Simulation,
    Undefined,
    group_of,
)
from rmsd_lab_cli.papers.results import manifest
from rmsd_lab_cli.papers.verdicts import CellVerdict
from rmsd_lab_cli.papers.workloads import WorkloadSource, described

Known = Mapping[Simulation, Measures]
Sources = Mapping[str, WorkloadSource]
Spread = Mapping[Simulation, Sequence[Simulation]]
"""The shaken runs of a run."""


@dataclass(frozen=True, slots=True)
class JudgedExperiment:
    """An experiment, judged. Cells are in the order of its tables, claims in its own."""

    experiment: Experiment
    cells: Sequence[Sequence[tuple[Cell, CellVerdict]]]
    claims: Sequence[tuple[PaperClaim, str, str]]

    def verdicts(self) -> dict[str, int]:
        """Return the number of verdicts of each kind."""
        counts: dict[str, int] = {}
        said = [verdict.verdict for table in self.cells for _, verdict in table]
        said += [verdict for _, verdict, _ in self.claims]
        for verdict in said:
            if verdict != verdicts.SHOWN:
                counts[verdict] = counts.get(verdict, 0) + 1
        return counts


def missed(experiment: Experiment, known: Known) -> dict[Simulation, set[str]]:
    """Return the runs that have a cell that is not reproduced, with the groups of measures of such
    cells."""
    wanted: dict[Simulation, set[str]] = {}
    for table in experiment.tables:
        for cell in table.cells:
            ours = _mean(known, cell.runs, cell.measure)
            if ours is not None and not verdicts.agrees(cell, ours * cell.scale):
                for simulation in cell.runs:
                    wanted.setdefault(simulation, set()).add(group_of(cell.measure))
    return wanted


def _mean(known: Known, runs: Sequence[Simulation], measure: str) -> float | None:
    """Return the mean of a measure over runs; None unless all of them were made and have it."""
    if not all(run in known for run in runs):
        return None
    try:
        return sum(_value(known[run], measure) for run in runs) / len(runs)
    except Undefined:
        return None


def _value(measures: Measures, measure: str) -> float:
    value: Any = measures
    for key in measure.split("/"):
        value = value.get(key) if value is not None else None
    if value is None:
        raise Undefined
    return float(value)


def judged(experiment: Experiment, known: Known, shaken: Spread) -> JudgedExperiment:
    return JudgedExperiment(
        experiment,
        [
            [(cell, _judged(cell, known, shaken)) for cell in table.cells]
            for table in experiment.tables
        ],
        [(claim, *_judged_claim(claim, known)) for claim in experiment.claims],
    )


def _judged(cell: Cell, known: Known, shaken: Spread) -> CellVerdict:
    if not all(run in known for run in (*cell.runs, *cell.against)):
        return CellVerdict(verdicts.NO_TRACE if cell.published is not None else verdicts.SHOWN)
    if cell.interval:
        return _with_interval(cell, known)
    of_each_seed = zip(*(shaken.get(run, ()) for run in cell.runs), strict=True)
    spread = [_mean(known, runs, cell.measure) for runs in of_each_seed]
    return verdicts.judge(
        cell,
        _mean(known, cell.runs, cell.measure),
        [value for value in spread if value is not None],
    )


def _with_interval(cell: Cell, known: Known) -> CellVerdict:
    """Return the mean over a cell's runs, or of the paired differences from other runs, with its
    confidence interval."""
    try:
        values, others = (
            [_value(known[run], cell.measure) * cell.scale for run in runs]
            for runs in (cell.runs, cell.against)
        )
    except Undefined:
        return CellVerdict(verdicts.SHOWN)
    if not others:
        found = mean_interval(values)
        return CellVerdict(verdicts.SHOWN, found.mean, half_width=found.half_width)
    of_others = sum(others) / len(others)
    if not of_others:
        return CellVerdict(verdicts.SHOWN)
    to_percent = 100 / of_others
    found = paired_interval(others, values)
    half_width = None if found.half_width is None else to_percent * found.half_width
    return CellVerdict(verdicts.SHOWN, to_percent * found.mean, half_width=half_width)


def _judged_claim(claim: PaperClaim, known: Known) -> tuple[str, str]:
    if any(simulation not in known for simulation in claim.simulations):
        return verdicts.NO_TRACE, ""
    try:
        finding = claim.judge(lambda simulation, measure: _value(known[simulation], measure))
    except Undefined:
        return verdicts.UNDEFINED, ""
    return (verdicts.HOLDS if finding.holds else verdicts.FAILS), finding.numbers


def as_json(outcome: JudgedExperiment, sources: Sources) -> dict[str, Any]:
    experiment = outcome.experiment
    return {
        "name": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "remarks": list(experiment.remarks),
        "tables": [
            {
                "title": table.title,
                "cells": [_cell_json(cell, verdict, sources) for cell, verdict in cells],
            }
            for table, cells in zip(experiment.tables, outcome.cells, strict=True)
        ],
        "claims": [
            {"claim": claim.text, "verdict": verdict, "numbers": numbers}
            for claim, verdict, numbers in outcome.claims
        ],
        "verdicts": outcome.verdicts(),
    }


def _cell_json(cell: Cell, verdict: CellVerdict, sources: Sources) -> dict[str, Any]:
    return {
        "row": cell.row,
        "column": cell.column,
        "unit": cell.unit,
        "published": None if cell.published is None else float(cell.published),
        "within": cell.within,
        **asdict(verdict),
        "note": cell.note,
        "runs": [
            manifest(run, sources[run.workload]) if run.workload in sources else asdict(run)
            for run in cell.runs
        ],
    }


def as_text(outcome: JudgedExperiment, sources: Sources) -> str:
    """Return an outcome as lines of at most about 90 columns."""
    experiment = outcome.experiment
    lines = [f"{experiment.name}  {experiment.title}", f"  {experiment.source}"]
    left_out = []
    for table, cells in zip(experiment.tables, outcome.cells, strict=True):
        if all(verdict.ours is None for _, verdict in cells):
            left_out.append(table.title)
            continue
        lines += ["", f"  {table.title}"]
        printed = any(cell.published is not None for cell, _ in cells)
        lines += _listed(cells, sources) if printed else _grid(cells)
    if left_out:
        lines += ["", *_wrapped(f"No trace for {'; '.join(left_out)}", "  ", "    ")]
    if outcome.claims:
        lines += ["", "  Claims", *_claims(outcome)]
    if experiment.remarks:
        lines.append("")
        for remark in experiment.remarks:
            lines += _wrapped(remark, "  ", "  ")
    return "\n".join(lines)


def _claims(outcome: JudgedExperiment) -> list[str]:
    lines = []
    for claim, verdict, numbers in outcome.claims:
        if verdict != verdicts.NO_TRACE:
            lines += _wrapped(f"{verdict}: {claim.text}", "    ", "      ")
            lines += _wrapped(numbers, "      ", "      ") if numbers else []
    left_out = sum(verdict == verdicts.NO_TRACE for _, verdict, _ in outcome.claims)
    return [*lines, f"    no trace for {left_out} more"] if left_out else lines


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, 90, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _listed(cells: Sequence[tuple[Cell, CellVerdict]], sources: Sources) -> list[str]:
    """Return a line for each cell, under a heading for each row."""
    shaken = any(verdict.shaken for _, verdict in cells)
    heads = ["", "", "published", "ours", "dev.", *["5% to 95% shaken"] * shaken, ""]
    lines: list[str] = []
    for row in dict.fromkeys(cell.row for cell, _ in cells):
        of_row = [(cell, verdict) for cell, verdict in cells if cell.row == row]
        first = of_row[0][0].runs[0]
        if all(verdict.verdict == verdicts.NO_TRACE for _, verdict in of_row):
            lines.append(f"    {row}: no trace ({first.workload}), {len(of_row)} cells not shown")
            continue
        lines.append(f"    {_machine(row, first, sources)}")
        compared = [_compared(cell, verdict, shaken) for cell, verdict in of_row]
        lines.append(grid([heads, *compared], left=(0, 1, len(heads) - 1), indent=6))
    for note in dict.fromkeys(cell.note for cell, verdict in cells if _noted(cell, verdict)):
        lines += _wrapped(f"* {note}", "    ", "      ")
    return lines


def _compared(cell: Cell, verdict: CellVerdict, shaken: bool) -> list[str]:
    """Return the line of a cell: published, ours, and what is thought of it."""
    deviation = "" if verdict.deviation is None else f"{100 * verdict.deviation:+.1f}%"
    spread = " to ".join(verdicts.shown(value) for value in verdict.shaken or ())
    said = f"{verdict.verdict}{' *' if _noted(cell, verdict) else ''}"
    published = str(cell.published or "")
    middle = [spread] if shaken else []
    return [cell.column, cell.unit, published, _number(verdict), deviation, *middle, said]


def _noted(cell: Cell, verdict: CellVerdict) -> bool:
    """Return whether to show the cell's note, which says why a number is hard to reproduce."""
    return bool(cell.note) and verdict.verdict in (verdicts.MISSED, verdicts.WITHIN_SHAKING)


def _grid(cells: Sequence[tuple[Cell, CellVerdict]]) -> list[str]:
    """Return the lab's own numbers alone: a line for each row, with a column for each quantity."""
    columns = list(dict.fromkeys(cell.column for cell, _ in cells))
    rows = dict.fromkeys(cell.row for cell, _ in cells)
    at = {(cell.row, cell.column): _number(verdict) for cell, verdict in cells}
    units = {cell.column: cell.unit for cell, _ in cells}
    heads = [f"{column} {units[column]}".strip() for column in columns]
    lines = [[row, *(at.get((row, column), "") for column in columns)] for row in rows]
    return [grid([["", *heads], *lines], indent=4)]


def _machine(row: str, simulation: Simulation, sources: Sources) -> str:
    source = sources[simulation.workload]
    size = f"{simulation.processors:,} processors" if simulation.processors else "size as in header"
    changes = described(simulation.changes)
    return f"{row}: {source.name}, {size}" + (f", {changes}" if changes else "")


def _number(verdict: CellVerdict) -> str:
    if verdict.ours is None:
        return "-"
    number = verdicts.shown(verdict.ours)
    if verdict.half_width is None:
        return number
    return f"{number} ±{verdicts.shown(verdict.half_width)}"
