"""`rmsd simulate` as a whole process: a year of a supercomputer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import BIN, Figures, generated, median_wall_s


class Case(NamedTuple):
    """One run. target_s: on two slow cores; others: what other programs take for it there."""

    log: str
    processors: int
    recipe: str
    target_s: float | None = None
    others: str = ""


KTH, CTC = "KTH-SP2-1996-2.1-cln", "CTC-SP2-1996-3.1-cln"
CASES = [
    Case(KTH, 100, "easy", 0.7, "pyss 3 s, a C++ program 0.07 s"),
    Case(KTH, 100, "easy++"),
    Case(KTH, 100, "timed-easy"),
    Case(CTC, 338, "easy", 2.5, "pyss 107 s, a C++ program 0.21 s"),
    Case(CTC, 338, "easy++"),
    Case("LANL-CM5-1994-4.1-cln", 1024, "easy", 4),
    Case("SDSC-SP2-1998-4.2-cln", 128, "conservative", 20, "pyss 144 s, a C++ program 1.0 s"),
]


def bench() -> Figures:
    """Measure simulations of the logs that are there; without any, of a generated trace."""
    folder = Path(os.environ.get("RMSD_TEST_DATA", "")) / "traces"
    figures: Figures = {}
    for case in CASES:
        trace = folder / f"{case.log}.swf.gz"
        if trace.is_file():
            figures |= _time(trace, case)
    if not figures:
        with tempfile.TemporaryDirectory() as temporary:
            trace = generated(30_000, Path(temporary))
            for recipe in ("easy", "easy++"):
                figures |= _time(trace, Case("30,000 generated jobs", 100, recipe))
    return figures


def _time(trace: Path, case: Case) -> Figures:
    command = [str(BIN / "rmsd"), "simulate", str(trace), "--recipe", case.recipe]
    taken_s = median_wall_s([*command, "--procs", str(case.processors)], 3)
    figure = f"{taken_s:.2f} s"
    if case.target_s is not None:
        figure += f" (target: {case.target_s:g} s)"
    if case.others:
        figure += f"; {case.others}"
    return {f"{case.log} on {case.processors}, {case.recipe}": figure}
