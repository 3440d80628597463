"""The source of a daemon's history: the daemon that runs, or its state directory."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError, told_by
from rmsd_cli.server_options import add_server_arguments, client_of
from rmsd_client.api import Client
from rmsd_client.errors import EXIT_NOT_PERMITTED, ApiError, ClientError
from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, License, Policies, QosPolicy
from rmsd_core.jobs.gres import Share
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import Link, Node
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_daemon.offline.reader import ReadingError, recorded
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_lab.schedule import Scheduled
from rmsd_lab_cli.history.log import HistorySource
from rmsd_wire.durations import DurationError, parse_duration_s
from rmsd_wire.hostlist import HostlistError, expand


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="only jobs submitted within this time before the daemon's present (7d, 12h; "
        "default: all)",
    )
    add_server_arguments(parser)


@contextmanager
def source_of_server(
    args: argparse.Namespace,
    *,
    of_everybody: bool = False,
    earlier: Callable[[str], bool] | None = None,
    apart: bool = False,
) -> Iterator[HistorySource]:
    """Yield the history that the caller may see. Jobs are read from the daemon as the caller
    consumes them, once, the newest page first.

    `of_everybody`: fail unless the caller sees the jobs of all users. `earlier`: if given, jobs
    count that were not over at `--since`, whenever they were submitted; it says of the recipe in
    force whether jobs that were over are wanted as well. `apart`: each waiting task of an array
    is a job, instead of one for all.

    Raises:
        CommandError: no daemon can be reached, or it refuses.
    """
    try:
        with client_of(args) as client:
            status, nodes = client.status(), client.nodes()
            you = status["you"]
            if of_everybody and you["role"] == "user":
                raise CommandError(
                    f"this needs the jobs of all users, and {you['user']} sees only their own; "
                    "an operator can run it",
                    EXIT_NOT_PERMITTED,
                )
            now_us = status["clock"]["model_us"]
            from_us = since_us(args, now_us)
            if earlier is None:
                pages = client.job_pages(states="all", since_us=from_us)
            else:
                ended_us = None if earlier(status["recipe"]) else from_us
                pages = client.job_pages(states="all", ended_since_us=ended_us, apart=apart)
            yield HistorySource(
                (view for page in pages for view in page),
                list(map(_node, nodes)),
                status["recipe"],
                status["capacity"],
                now_us,
                status["clock"]["rate"],
                list(map(_partition, client.partitions())),
                _policies(client.accounts()),
                past_reservations_of(client, from_us or 0),
            )
    except ClientError as error:
        raise told_by(error) from None


def reservations_of(client: Client) -> Sequence[Mapping[str, Any]]:
    """Return the advance reservations; daemons of before there were any tell of none."""
    try:
        return client.reservations()
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return []
        raise


def past_reservations_of(client: Client, since_us: int) -> list[ReservationChange] | None:
    """Return the advance reservations that there were since that time, but for whose they were;
    None: an older daemon does not tell."""
    try:
        found = client.reservation_changes(since_us)
    except ApiError as error:
        if error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
            return None
        raise
    return [
        ReservationChange(view["at_us"], view["name"], None if view["deleted"] else _made(view))
        for view in found
    ]


def _made(view: Mapping[str, Any]) -> AdvanceReservation:
    """Return the reservation of a view. Raises CommandError if there can be none."""
    try:
        nodes = tuple(expand(view["nodelist"])) if view["nodelist"] else ()
    except HostlistError as error:
        raise CommandError(
            f"the daemon tells of a reservation with impossible nodes: {error}"
        ) from None
    made = AdvanceReservation(
        view["name"],
        view["start_us"],
        view["end_us"],
        nodes,
        view["cores"],
        is_maintenance=view["maintenance"],
        every_us=view["every_us"],
        until_us=view["until_us"],
        weekdays=view["weekdays"],
    )
    if not made.can_be:
        raise CommandError("the daemon tells of a reservation with impossible times")
    return made


def orders_of(client: Client, jobs: Sequence[Scheduled]) -> list[tuple[int, str]]:
    """Return the orders that the queue was in from the first arrival to the last end; none if an
    older daemon does not tell them."""
    if not jobs:
        return []
    first_us, last_us = min(job.submit_us for job in jobs), max(job.end_us for job in jobs)
    try:
        found = client.orders(first_us, last_us)
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return []
        raise
    return [(one["since_us"], one["order"]) for one in found]


def _node(view: Mapping[str, Any]) -> Node:
    """Return the node of a view. A draining node counts as drained, since it takes no new jobs
    either."""
    state, features = view["state"], tuple(view["features"])
    drained = view["reason"] if state in ("draining", "drained", "rebooting") else None
    link: Link = state if state in ("suspect", "down") else "up"
    gres = tuple(
        [
            Share(one["kind"], len(one["numbers"]), tuple(one["numbers"]))
            for one in view.get("devices", ())  # older daemons do not tell them
        ]
    )
    return Node(view["name"], view["cores"], view["mem_mib"], features, link, drained, gres=gres)


def _partition(view: Mapping[str, Any]) -> Partition:
    """Return the partition of a view, with the nodes that the daemon knows."""
    return Partition(
        view["name"],
        tuple(expand(view["nodelist"], view["nodes"])),
        view["state"],
        None if view["max_time_s"] is None else round(view["max_time_s"] * SECOND_US),
        view["max_nodes"],
        view["max_cpus"],
        view["tier"],
        view.get("preempt", "off"),  # older daemons do not tell it
        preempt_exempt_us=round(view.get("preempt_exempt_s", 0) * SECOND_US),
        priority=view.get("priority", 0),
    )


def _policies(reply: Mapping[str, Any]) -> Policies:
    """Return the accounts, QOS and licenses of an answer, as the scheduler knows them."""
    return Policies(
        tuple(
            AccountPolicy(
                one["name"],
                one["parent"],
                _limits(one["limits"]),
                one.get("shares", 1),  # older daemons do not tell them
            )
            for one in reply["accounts"]
        ),
        tuple(map(_qos, reply["qos"])),
        tuple(License(one["name"], one["total"]) for one in reply.get("licenses", ())),
    )


def _qos(view: Mapping[str, Any]) -> QosPolicy:
    return QosPolicy(
        view["name"],
        _limits(view["limits"]),
        tuple(view.get("preempts", ())),  # older daemons do not tell them
        view.get("preempt", "requeue"),
        preempt_exempt_us=round(view.get("preempt_exempt_s", 0) * SECOND_US),
        priority=view.get("priority", 0),
    )


def _limits(view: Mapping[str, Any]) -> JobLimits:
    return JobLimits(
        view["max_running"],
        view["max_cpus"],
        view["max_running_per_user"],
        view["max_cpus_per_user"],
        None if view["max_time_s"] is None else round(view["max_time_s"] * SECOND_US),
    )


def source_of_directory(state_dir: Path, *, apart: bool = False) -> HistorySource:
    """Return the history in a state directory, with waiting tasks of arrays as `source_of_server`
    has them. Raises CommandError if it cannot be read."""
    try:
        found = recorded(state_dir, apart=apart)
    except ReadingError as error:
        raise CommandError(str(error)) from None
    return HistorySource(
        found.views,
        found.nodes,
        found.recipe,
        found.capacity,
        found.clock_us,
        found.rate,
        found.partitions,
        found.policies,
        found.reservations,
    )


def since_us(args: argparse.Namespace, now_us: int) -> int | None:
    """Return the earliest submit time that `--since` asks for [us]; None for all. Raises
    CommandUsageError."""
    if args.since is None:
        return None
    try:
        ago_s = parse_duration_s(args.since)
    except DurationError as error:
        raise CommandUsageError(f"--since: {error}") from None
    return None if ago_s is None else max(0, now_us - round(ago_s * SECOND_US))
