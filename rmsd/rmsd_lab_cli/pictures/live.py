"""A daemon, or its state directory, as the source of a Gantt chart."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, told_by
from rmsd_cli.server_options import client_of
from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError
from rmsd_core.model_time import DAY_US
from rmsd_daemon.offline.reader import ReadingError, recorded
from rmsd_daemon.queries.reservations import change_view
from rmsd_daemon.store.past_reservations import ReservationChange
from rmsd_lab_cli.history.source import reservations_of
from rmsd_lab_cli.pictures.observed import Observed
from rmsd_lab_cli.pictures.reserved import present_as_changes, reserved_times

_COUNTED = "counted"
_ONLY_PRESENT = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_EVERYTHING = 1 << 40


def of_server(args: argparse.Namespace, ago_us: int | None) -> Observed:
    """Return what the daemon shows. Jobs that ended more than `ago_us` ago are left out; None
    leaves out none.

    Raises:
        CommandError: no daemon can be reached, or it refuses.
    """
    try:
        with client_of(args) as client:
            status, starts = client.status(), client.plan()["starts"]
            now_us = status["clock"]["model_us"]
            since_us = None if ago_us is None else max(0, now_us - ago_us)
            views = client.jobs(
                states="all", ended_since_us=since_us, limit=_EVERYTHING, brief=True
            )
            attempts = {
                view["job_id"]: client.attempts(view["job_id"])
                for view in views
                if view["attempt"] > 1 or (view["attempt"] and view["start_us"] is None)
            }
            changes = _reservation_changes(client, since_us or 0)
            planned_us = max((start["end_us"] for start in starts), default=now_us)
            reserved = reserved_times(changes, since_us or 0, max(planned_us, now_us + DAY_US))
            nodes = {node["name"]: node["cores"] for node in client.nodes()}
            return Observed(
                client.server,
                status["recipe"],
                status["capacity"] == _COUNTED,
                now_us,
                nodes,
                views,
                attempts,
                starts,
                reserved.views,
            )
    except ClientError as error:
        raise told_by(error) from None


def of_directory(state_dir: Path) -> Observed:
    """Return what a state directory shows. Raises CommandError if it cannot be read."""
    try:
        found = recorded(state_dir)
    except ReadingError as error:
        raise CommandError(str(error)) from None
    return Observed(
        str(state_dir),
        found.recipe,
        found.capacity == _COUNTED,
        found.clock_us,
        {node.name: node.cores for node in found.nodes},
        found.views,
        found.attempts,
        None,
        reserved_times(
            [_told(change) for change in found.reservations], 0, found.clock_us + DAY_US
        ).views,
    )


def _told(change: ReservationChange) -> Mapping[str, Any]:
    """Return a change as the API tells it."""
    view = change_view(change)
    return {name: getattr(view, name) for name in view.__struct_fields__}


def _reservation_changes(client: Client, since_us: int) -> list[Mapping[str, Any]]:
    """Return what the daemon tells of reservations since a time: of an older daemon, and where
    there were too many, those that are not over."""
    try:
        return [*client.reservation_changes(since_us)]
    except ApiError as error:
        if error.status not in _ONLY_PRESENT:
            raise
    return present_as_changes(reservations_of(client))
