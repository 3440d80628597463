"""Workload traces: both readers of the Standard Workload Format."""

from __future__ import annotations

from contextlib import suppress

from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.traces.survey import Survey, header_faults
from rmsd_lab.workloads.swf import MOST, TraceError, format_swf, parse_swf
from rmsd_lab.workloads.swf_log import line_of, trace_job
from tests.fuzz.harness import Harness


def quick_reader(lines: list[str]) -> None:
    """Expect a trace or a TraceError; what is written of the trace is read again."""
    with suppress(TraceError):
        trace = parse_swf(lines)
        assert trace.processors is None or trace.processors > 0
        assert parse_swf(format_swf(trace.jobs, {})).jobs == trace.jobs


def whole_reader(lines: list[str]) -> None:
    """Tolerant, it reads anything; careful, a trace or a TraceError. What is written of it is read
    again, and by the quick reader in the same way."""
    problems = Problems(Tolerance.TOLERANT)
    reader = LogReader(lines, problems)
    survey = Survey(8)
    jobs = list(reader)
    for job in jobs:
        assert all(-1 <= value <= MOST for value in job)
        survey.add(job, 1, 0)
    header_faults(reader.header, survey)
    assert all(1 <= p.line <= len(lines) for first in problems.first.values() for p in first)
    written = list(map(line_of, jobs))
    assert list(LogReader(written, Problems(Tolerance.CAREFUL))) == jobs
    derived = sorted(map(trace_job, jobs), key=lambda job: job.submit_s)
    assert parse_swf(written).jobs == derived
    with suppress(TraceError):
        assert list(LogReader(lines, Problems(Tolerance.CAREFUL)))[: len(jobs)] == jobs


def check(data: bytes) -> None:
    lines = data.decode("latin-1").splitlines(keepends=True)
    quick_reader(lines)
    whole_reader(lines)


HARNESS = Harness(
    what="traces, both readers",
    check=check,
    readers=(
        "rmsd_lab.traces.reading",
        "rmsd_lab.traces.survey",
        "rmsd_lab.traces.problems",
        "rmsd_lab.workloads.swf",
    ),
    seeds=(
        b"; MaxProcs: 1,024 of two\n; UnixStartTime: 0\n"
        b"1 100 -1 50 8 -1 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1\n",
        b"2 90 0.5 1e3 8 1.5 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1 7\n\n;\n1 2\n",
        b"1 inf -1 nan 8 -1 -1 8 99999999999999999999 -1 1 3 -1 -1 -1 -1 -1 -1\n",
        b"1 " * 18 + b"\n" + b"9" * 5000 + b" 1" * 17,
    ),
)
