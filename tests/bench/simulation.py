"""`rmsd simulate` as a whole process: a year of a supercomputer."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.bench.measure import BIN, Figures, median_wall_s, wall_s

TRACES = [
    ("KTH-SP2-1996-2.1-cln.swf.gz", 100),
    ("CTC-SP2-1996-3.1-cln.swf.gz", 338),
]


def bench() -> Figures:
    figures: Figures = {}
    bare_s = median_wall_s([sys.executable, "-c", "pass"], 9)
    folder = Path(os.environ.get("RMSD_TEST_DATA", "")) / "traces"
    for name, processors in TRACES:
        if (folder / name).is_file():
            figures |= _time(folder / name, processors, bare_s)
    if not figures:
        with tempfile.TemporaryDirectory() as temporary:
            sample = Path(temporary) / "sample-30000-jobs.swf"
            generate = f"{BIN}/rmsd generate --jobs 30000 --procs 100 > {sample}"
            wall_s(["sh", "-c", generate])
            figures = _time(sample, 100, bare_s)
    return figures


def _time(trace: Path, processors: int, bare_s: float) -> Figures:
    figures = {}
    for recipe in ("easy", "easy++"):
        command = [BIN / "rmsd", "simulate", trace, "--recipe", recipe, "--procs", str(processors)]
        taken_s = median_wall_s(command, 3)
        figures[f"{trace.name.partition('.')[0]} on {processors} processors, {recipe}"] = (
            f"{taken_s:.2f} s ({taken_s / bare_s:.0f} x `python3 -c pass`)"
        )
    return figures
