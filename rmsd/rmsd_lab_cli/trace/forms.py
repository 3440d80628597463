"""The forms of a log that other tools read: evalys, Batsim, Perfetto."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from rmsd_lab.charts.trace_events import trace_events
from rmsd_lab.schedule import Schedule
from rmsd_lab.traces.as_logged import as_schedule
from rmsd_lab.traces.batsim import batsim_workload, can_be_delay
from rmsd_lab.traces.jobset import COLUMNS, has_happened, jobset
from rmsd_lab.workloads.swf_log import LogJob, trace_job

FORMS = ("swf", "csv", "batsim", "perfetto")

_BY_ENDING = {".csv": "csv", ".json": "batsim"}


def form_of(output: Path | None) -> str:
    """Return the form that the name of a file asks for; SWF for standard output."""
    name = "" if output is None else output.name.removesuffix(".gz")
    return _BY_ENDING.get(Path(name).suffix, "swf")


def usable(jobs: Sequence[LogJob], form: str) -> tuple[list[LogJob], str]:
    """Return the jobs that can be in a form, and what the others lack."""
    if form == "batsim":
        kept = [job for job in jobs if can_be_delay(trace_job(job))]
        return kept, "run time or processors"
    return [job for job in jobs if has_happened(job)], "wait time, run time or processors"


def write_form(
    out: BinaryIO, form: str, jobs: Sequence[LogJob], processors: int, name: str
) -> None:
    """Write jobs that are `usable` in a form other than SWF."""
    if form == "csv":
        text = io.TextIOWrapper(out, encoding="utf-8", newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows(jobset(jobs, processors, name))
        text.detach()
    elif form == "batsim":
        traced = [trace_job(job) for job in jobs]
        _write_json(out, batsim_workload(traced, processors, f"{name}, written by rmsd"))
    else:
        write_events(out, as_schedule(jobs, processors), name)


def write_events(out: BinaryIO, schedule: Schedule, name: str) -> None:
    """Write a schedule for Perfetto."""
    _write_json(out, trace_events(schedule, name))


def _write_json(out: BinaryIO, value: object) -> None:
    out.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")
