"""Ours beside the published: deviation and verdict."""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_lab_cli.papers.experiment import Cell

REPRODUCED = "reproduced"
WITHIN_SHAKING = "within shaking"
MISSED = "missed"
NO_TRACE = "no trace"
UNDEFINED = "not defined"
HOLDS = "holds"
FAILS = "does not hold"
SHOWN = ""
"""The verdict on a point without a published number."""


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The judgement on one published value. `ours` is in the unit of the cell, None where there is
    none. `deviation` is relative to the published value, None where that is zero or not given.
    `shaken` has the 5th and the 95th percentile. `half_width` is that of the 95% confidence
    interval of a cell that asks for one."""

    verdict: str
    ours: float | None = None
    deviation: float | None = None
    shaken: tuple[float, float] | None = None
    half_width: float | None = None


def judge(cell: Cell, ours: float | None, shaken: list[float] | None = None) -> CellVerdict:
    """Return the verdict on a cell. `ours` and the values of `shaken` runs are in the measure's
    unit."""
    if ours is None:
        return CellVerdict(UNDEFINED if cell.published is not None else SHOWN)
    ours *= cell.scale
    spread = percentiles([value * cell.scale for value in shaken]) if shaken else None
    if cell.published is None:
        return CellVerdict(SHOWN, ours, None, spread)
    published = float(cell.published)
    deviation = ours / published - 1 if published else None
    if agrees(cell, ours):
        return CellVerdict(REPRODUCED, ours, deviation, spread)
    if spread and spread[0] <= published <= spread[1]:
        return CellVerdict(WITHIN_SHAKING, ours, deviation, spread)
    return CellVerdict(MISSED, ours, deviation, spread)


def agrees(cell: Cell, ours: float) -> bool:
    """Return whether a value is near enough to the published one, or equal to it when rounded to
    the printed decimals."""
    if cell.published is None:
        return True
    published = float(cell.published)
    near = abs(ours - published) <= cell.within * abs(published)
    return near or rounded_as(cell.published, ours) == cell.published


def rounded_as(printed: str, value: float) -> str:
    """Return `value` with as many decimals as `printed` has."""
    return f"{value:.{len(printed.partition('.')[2])}f}"


def percentiles(values: list[float]) -> tuple[float, float]:
    """Return the 5th and the 95th percentile, by nearest rank."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return ordered[round(0.05 * last)], ordered[round(0.95 * last)]


def shown(value: float) -> str:
    """Return a value with three or four significant digits."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 1 or value == 0 else f"{value:.3f}"
