"""A schedule in the Trace Event Format, which Perfetto (https://ui.perfetto.dev) and Chrome's
`chrome://tracing` open: a track for each processor, and counters over time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.gantt import KILLED, Bar, gantt_of
from rmsd_lab.charts.series import queue_length
from rmsd_lab.schedule import Schedule

_MACHINE, _COUNTERS = 1, 2
"""The process ids under which the tracks are shown."""

Event = dict[str, Any]


def trace_events(schedule: Schedule, name: str) -> dict[str, Any]:
    """Return the schedule as an object for JSON. Instants are in microseconds, as the format has
    them, from the trace's beginning.

    A job is a slice on the track of the first processor of each of its pieces: a slice on each of
    its processors would make a file of some hundred megabytes of a year. A simulation does not say
    which processors a job had: they are made up by first fit.
    """
    gantt = gantt_of(schedule, name)
    slices = [_slice(bar, piece.first, piece.rows) for bar in gantt.bars for piece in bar.pieces]
    tracks = sorted({one["tid"] for one in slices})
    events: list[Event] = [
        _named("process_name", _MACHINE, 0, name),
        _named("process_name", _COUNTERS, 0, "over time"),
        *(_named("thread_name", _MACHINE, at, f"processor {at}") for at in tracks),
        *(_sorted_at(at) for at in tracks),
        *slices,
        *(_counter("waiting jobs", at_us, jobs) for at_us, jobs in queue_length(schedule.jobs)),
        *(_counter("busy processors", at_us, busy) for at_us, busy in _busy(gantt.bars)),
    ]
    return {"displayTimeUnit": "ms", "otherData": {"name": name}, "traceEvents": events}


def _named(what: str, process: int, track: int, name: str) -> Event:
    return {"ph": "M", "name": what, "pid": process, "tid": track, "args": {"name": name}}


def _sorted_at(track: int) -> Event:
    about = {"sort_index": track}
    return {"ph": "M", "name": "thread_sort_index", "pid": _MACHINE, "tid": track, "args": about}


def _slice(bar: Bar, track: int, processors: int) -> Event:
    return {
        "ph": "X",
        "name": f"{bar.job_id}{' (killed)' * (bar.kind == KILLED)}",
        "cat": bar.kind,
        "pid": _MACHINE,
        "tid": track,
        "ts": bar.start_us,
        "dur": bar.end_us - bar.start_us,
        "args": {
            "user": bar.user,
            "processors": bar.size,
            "processors here": processors,
            "wait_s": (bar.start_us - bar.submit_us) / SECOND_US,
            "estimate_s": None if bar.estimate_us < 0 else bar.estimate_us / SECOND_US,
        },
    }


def _counter(name: str, at_us: int, value: float) -> Event:
    track = {"ph": "C", "name": name, "pid": _COUNTERS, "tid": 0}
    return track | {"ts": at_us, "args": {name: value}}


def _busy(bars: list[Bar]) -> Iterator[tuple[int, int]]:
    """Yield how many processors are in use, whenever that changes."""
    changes: dict[int, int] = {}
    for bar in bars:
        changes[bar.start_us] = changes.get(bar.start_us, 0) + bar.size
        changes[bar.end_us] = changes.get(bar.end_us, 0) - bar.size
    busy = 0
    for at_us, change in sorted(changes.items()):
        if change:
            busy += change
            yield at_us, busy
