"""A daemon's history as a log in the Standard Workload Format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

from rmsd_core.jobs.accounts import NO_POLICIES, Policies
from rmsd_core.machine.nodes import Node
from rmsd_core.machine.partitions import Partition
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_lab.workloads.swf_log import at_least_s, nearest_s
from rmsd_lab_cli.history.schedule import has_run, is_live
from rmsd_lab_cli.history.spool import Spool


class HistorySource(NamedTuple):
    """The source of a history. `now_us` is its present, in model time; `rate` seconds of model time
    are one second of real time. `partitions`: none if all nodes are one. `policies`: the
    accounts, QOS and licenses, with the limits in force. `reservations`: those that there were;
    None: an older daemon does not tell."""

    views: Iterable[Mapping[str, Any]]
    nodes: Sequence[Node]
    recipe: str
    capacity: str
    now_us: int
    rate: float = 1.0
    partitions: Sequence[Partition] = ()
    policies: Policies = NO_POLICIES
    reservations: Sequence[ReservationChange] | None = ()


class HistoryLog(NamedTuple):
    """A daemon's history as a log in SWF.

    header: in the order of the file, with several notes. live, never_started: how many jobs are
    left out.
    """

    header: list[tuple[str, str]]
    jobs: Spool
    processors: int
    live: int
    never_started: int


def log_of(source: HistorySource, since_us: int | None, *, anonymous: bool) -> HistoryLog:
    """Return the jobs that ran to an end and were submitted at `since_us` or later, in arrival
    order.

    Times are whole seconds from the first submit. anonymous: names of users and jobs stay out.
    """
    left_out = Counter[bool]()

    def that_ran() -> Iterator[Mapping[str, Any]]:
        for view in source.views:
            if since_us is not None and view["submit_us"] < since_us:
                continue
            if has_run(view):
                yield view
            else:
                left_out[is_live(view)] += 1

    jobs = Spool(that_ran())
    processors = max(sum(node.cores for node in source.nodes), jobs.largest)
    log = HistoryLog(
        _header(source, jobs, processors), jobs, processors, left_out[True], left_out[False]
    )
    log.header.extend(("Note", text) for text in _notes(source, log, since_us))
    if not anonymous:
        log.header.extend(("Note", f"user {n} is {name}") for name, n in jobs.users.items())
        log.header.extend(
            ("Note", f"executable {n} is {name}") for name, n in jobs.executables.items()
        )
    return log


def _header(source: HistorySource, jobs: Spool, processors: int) -> list[tuple[str, str]]:
    start_s = nearest_s(jobs.origin_us if len(jobs) else source.now_us)
    nodes = len(source.nodes)
    return [
        ("Version", "2.2"),
        ("Computer", f"rmsd {version('rmsd')}, nodes: {nodes}, capacity: {source.capacity}"),
        ("MaxJobs", str(len(jobs))),
        ("MaxRecords", str(len(jobs))),
        ("UnixStartTime", str(start_s)),
        ("TimeZoneString", "UTC"),
        ("StartTime", _date(start_s)),
        ("EndTime", _date(start_s + jobs.last_s)),
        ("MaxNodes", str(nodes)),
        ("MaxProcs", str(processors)),
    ]


def _date(unix_s: int) -> str:
    return f"{datetime.fromtimestamp(unix_s, UTC):%a %b %d %H:%M:%S UTC %Y}"


def _notes(source: HistorySource, log: HistoryLog, since_us: int | None) -> list[str]:
    notes = [
        f"the scheduler when this was written: recipe {source.recipe}",
        "job numbers are the daemon's; group, queue, partition and used memory are not known",
        "the submit time of a job that waited on purpose (held, for a begin time or for other "
        "jobs) is the time at which the last of these conditions came true",
        "submit, start and run times are rounded to the nearest second, counted from the first "
        "submit; requested times are rounded up; an end can be one second off",
        "of a job that was started more than once, wait and run time are those of its last start",
        "status 0 is failed, killed at its limit or for its memory, or lost with its node; 5 is "
        "cancelled while it ran",
        f"left out: {log.live} jobs that are not over, {log.never_started} that never ran",
    ]
    if since_us is not None:
        notes.append(f"left out: all jobs submitted before {_date(at_least_s(since_us))}")
    return notes
