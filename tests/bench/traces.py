"""Reading whole traces: lines a second of the reader, memory of a command."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from rmsd_lab.traces.problems import Problems
from rmsd_lab.traces.reading import LogReader
from rmsd_lab_cli.trace_file import open_trace
from tests.bench.measure import BIN, Figures, generated, peak_rss_mib

_TARGET = 200_000  # lines/s
_LOGS = ("KTH-SP2-1996-2.1-cln", "CTC-SP2-1996-3.1-cln")
_TIMES = 7
_REPEATED = (1, 10)


def bench() -> Figures:
    """Measure reading the logs that are there, and a generated trace."""
    folder = Path(os.environ.get("RMSD_TEST_DATA", "")) / "traces"
    logs = [folder / f"{name}.swf.gz" for name in _LOGS]
    figures = {f"{log.name}, all fields": _rate(log) for log in logs if log.is_file()}
    with tempfile.TemporaryDirectory() as temporary:
        trace = generated(50_000, Path(temporary))
        figures["50,000 generated jobs, all fields"] = _rate(trace)
        return figures | _memory(trace, Path(temporary))


def _rate(trace: Path) -> str:
    """Return the best rate of several runs: other work on the machine can only slow it."""
    best_s = min(_read_s(trace) for _ in range(_TIMES))
    with open_trace(trace) as lines:
        count = sum(1 for _ in lines)
    return f"{count / best_s:,.0f} lines/s (target: {_TARGET:,})"


def _read_s(trace: Path) -> float:
    begun = time.perf_counter()
    with open_trace(trace) as lines:
        for _ in LogReader(lines, Problems()):
            pass
    return time.perf_counter() - begun


def _memory(trace: Path, folder: Path) -> Figures:
    """Measure the memory of `rmsd trace shake` for a trace and for one many times as long."""
    figures: Figures = {}
    for times in _REPEATED:
        path = folder / f"{times}-times.swf"
        jobs = _repeat(trace, times, path)
        held = peak_rss_mib([BIN / "rmsd", "trace", "shake", path])
        figures[f"rmsd trace shake, {jobs:,} jobs"] = f"{held:.0f} MiB"
    return figures


def _repeat(trace: Path, times: int, path: Path) -> int:
    """Write the trace several times, one after the other; how many jobs there are then. A line at
    a time: what this process holds is counted to those it starts."""
    number = start_s = submit_s = 0
    with path.open("w") as out:
        for _ in range(times):
            with trace.open() as lines:
                for line in lines:
                    if line.startswith(";"):
                        continue
                    number += 1
                    _, submit, rest = line.split(maxsplit=2)
                    submit_s = start_s + int(submit)
                    out.write(f"{number} {submit_s} {rest}")
            start_s = submit_s
    return number
