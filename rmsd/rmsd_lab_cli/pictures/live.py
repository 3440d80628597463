"""A daemon, or its state directory, as the source of a Gantt chart."""

from __future__ import annotations

import argparse
from pathlib import Path

from rmsd_cli.errors import CommandError, told_by
from rmsd_cli.server_options import client_of
from rmsd_client.errors import ClientError
from rmsd_daemon.offline.reader import ReadingError, recorded
from rmsd_lab_cli.history.source import reservations_of
from rmsd_lab_cli.pictures.observed import Observed

_COUNTED = "counted"
_NOT_FOUND = 404
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
                reservations_of(client),
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
    )
