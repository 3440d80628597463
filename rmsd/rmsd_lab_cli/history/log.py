"""A daemon's history as a log in the Standard Workload Format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import SECOND_US
from rmsd_lab.workloads.swf_log import LogJob, at_least_s, nearest_s
from rmsd_lab_cli.history.schedule import has_run, is_live

_STATUS = {"COMPLETED": 1, "CANCELLED": 5}
_FAILED = 0


class Source(NamedTuple):
    """Where a history comes from. now_us: its present, in model time, of which `rate` seconds are
    one of real time."""

    views: Sequence[Mapping[str, Any]]
    nodes: Sequence[Node]
    recipe: str
    capacity: str
    now_us: int
    rate: float = 1.0


class Log(NamedTuple):
    """header: in the order of the file, with several notes."""

    header: list[tuple[str, str]]
    jobs: list[LogJob]
    processors: int
    live: int
    never_started: int
    earlier: int


def log_of(source: Source, since_us: int | None, *, anonymous: bool) -> Log:
    """The jobs that ran to an end and were submitted at `since_us` or later, in arrival order.

    Times are whole seconds from the first submit. anonymous: names of users and jobs stay out.
    """
    inside = [view for view in source.views if since_us is None or view["submit_us"] >= since_us]
    live = sum(is_live(view) for view in inside)
    views = list(filter(has_run, inside))
    users = _numbers(view["user"] for view in views)
    names = _numbers(view["name"] for view in views)
    origin_us = min((view["submit_us"] for view in views), default=source.now_us)
    jobs = [_job(view, origin_us, users[view["user"]], names[view["name"]]) for view in views]
    jobs.sort(key=lambda job: (job.submit_s, job.number))
    processors = max([sum(node.cores for node in source.nodes), *(job.allocated for job in jobs)])
    log = Log(
        _header(source, origin_us, jobs, processors),
        jobs,
        processors,
        live,
        len(inside) - live - len(views),
        len(source.views) - len(inside),
    )
    log.header.extend(("Note", text) for text in _notes(source, log, since_us))
    if not anonymous:
        log.header.extend(("Note", f"user {n} is {name}") for name, n in users.items())
        log.header.extend(("Note", f"executable {n} is {name}") for name, n in names.items())
    return log


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """1, 2, ... in order of appearance."""
    return {name: number for number, name in enumerate(dict.fromkeys(names), 1)}


def _job(view: Mapping[str, Any], origin_us: int, user: int, executable: int) -> LogJob:
    submit_s = nearest_s(view["submit_us"] - origin_us)
    size, cpu_s, estimate_s = view["cpus"], view["cpu_s"], view["estimate_s"]
    memory_kib = view["mem_mib"] * 1024 * (view["nodes"] or 1) // size
    return LogJob(
        view["job_id"],
        submit_s,
        nearest_s(view["start_us"] - origin_us) - submit_s,
        nearest_s(view["end_us"] - view["start_us"]),
        size,
        -1 if cpu_s is None else round(cpu_s / size),
        requested=view["tasks"] * view["cpus_per_task"],
        estimate_s=-1 if estimate_s is None else at_least_s(round(estimate_s * SECOND_US)),
        requested_kib=memory_kib or -1,
        status=_STATUS.get(view["state"], _FAILED),
        user=user,
        executable=executable,
    )


def _header(
    source: Source, origin_us: int, jobs: Sequence[LogJob], processors: int
) -> list[tuple[str, str]]:
    start_s = nearest_s(origin_us)
    last_s = max((job.submit_s + job.wait_s + job.run_s for job in jobs), default=0)
    nodes = len(source.nodes)
    return [
        ("Version", "2.2"),
        ("Computer", f"rmsd {version('rmsd')}, nodes: {nodes}, capacity: {source.capacity}"),
        ("MaxJobs", str(len(jobs))),
        ("MaxRecords", str(len(jobs))),
        ("UnixStartTime", str(start_s)),
        ("TimeZoneString", "UTC"),
        ("StartTime", _date(start_s)),
        ("EndTime", _date(start_s + last_s)),
        ("MaxNodes", str(nodes)),
        ("MaxProcs", str(processors)),
    ]


def _date(unix_s: int) -> str:
    return f"{datetime.fromtimestamp(unix_s, UTC):%a %b %d %H:%M:%S UTC %Y}"


def _notes(source: Source, log: Log, since_us: int | None) -> list[str]:
    notes = [
        f"the scheduler when this was written: recipe {source.recipe}",
        "job numbers are the daemon's; group, queue, partition and used memory are not known",
        "submit, start and run times are rounded to the nearest second, counted from the first "
        "submit; requested times are rounded up; an end can be one second off",
        "of a job that was started more than once, wait and run time are those of its last start",
        "status 0 is failed, killed at its limit or for its memory, or lost with its node; 5 is "
        "cancelled while it ran",
        f"left out: {log.live} jobs that are not over, {log.never_started} that never ran",
    ]
    if since_us is not None:
        notes.append(f"left out: {log.earlier} jobs submitted before {_date(at_least_s(since_us))}")
    return notes
