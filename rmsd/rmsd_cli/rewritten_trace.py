"""A trace whose lines are kept, so that it can be written again with some fields changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rmsd_cli.workload import trace_lines
from rmsd_core.swf import TraceJob, parse_swf

_SUBMIT, _RUN, _ESTIMATE = 1, 3, 8


@dataclass(frozen=True, slots=True)
class TraceFile:
    """header: comment lines. rows: the lines of the jobs, as they are; jobs: what is read of them;
    both in arrival order."""

    header: list[str]
    rows: list[str]
    jobs: list[TraceJob]

    @property
    def known(self) -> list[TraceJob]:
        """Those with a known run time."""
        return [job for job in self.jobs if job.run_s >= 0]

    def lines_with(self, changed: Sequence[TraceJob], notes: Sequence[str]) -> Iterator[str]:
        """The lines of the file with the estimates, and the run times where they differ, of
        `changed`, which stand for those of `known`; notes at the end of the header."""
        yield from self.header
        yield from (f"; Note: {note}\n" for note in notes)
        new = iter(changed)
        for row, job in zip(self.rows, self.jobs, strict=True):
            yield row if job.run_s < 0 else _with(row, job, next(new))


def _with(row: str, before: TraceJob, after: TraceJob) -> str:
    fields = row.split()
    fields[_ESTIMATE] = str(after.estimate_s)
    if after.run_s != before.run_s:
        fields[_RUN] = str(after.run_s)
    return " ".join(fields) + "\n"


def read_trace_file(path: Path) -> TraceFile:
    """Raises CommandError: it cannot be read, or is no SWF; the message names file and line."""
    header: list[str] = []
    rows: list[str] = []
    with trace_lines(path) as lines:
        trace = parse_swf(_sorted_out(lines, header, rows))
    rows.sort(key=lambda row: int(float(row.split(None, 2)[_SUBMIT])))  # stable, as reading does
    return TraceFile(header, rows, trace.jobs)


def _sorted_out(lines: Iterable[str], header: list[str], rows: list[str]) -> Iterator[str]:
    for line in lines:
        kept = line.rstrip("\r\n") + "\n"
        if kept.lstrip().startswith(";"):
            header.append(kept)
        elif kept.strip():
            rows.append(kept)
        yield line
