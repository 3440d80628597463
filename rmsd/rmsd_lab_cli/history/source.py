"""Where a daemon's history is read: from the daemon that runs, or from its state directory."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, UsageError, told_by
from rmsd_cli.server_options import add_server_arguments, client_of
from rmsd_client.errors import EXIT_NOT_PERMITTED, ClientError
from rmsd_core.machine.nodes import Link, Node
from rmsd_core.model_time import SECOND_US
from rmsd_daemon.offline.reading import ReadingError, recorded
from rmsd_lab_cli.history.log import Source
from rmsd_wire.durations import DurationError, parse_duration_s

_EVERYTHING = 1 << 40


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="only jobs submitted within this time before the daemon's present (7d, 12h; "
        "default: all)",
    )
    add_server_arguments(parser)


def source_of_server(args: argparse.Namespace, *, of_everybody: bool = False) -> Source:
    """What the caller sees. `of_everybody`: less than everybody's jobs would not do.

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
            views = client.jobs(states="all", limit=_EVERYTHING, brief=True)
    except ClientError as error:
        raise told_by(error) from None
    return Source(
        views,
        list(map(_node, nodes)),
        status["recipe"],
        status["capacity"],
        status["clock"]["model_us"],
        status["clock"]["rate"],
    )


def _node(view: Mapping[str, Any]) -> Node:
    """A node that is leaving counts as drained: it takes nothing new either."""
    state, features = view["state"], tuple(view["features"])
    drained = view["reason"] if state in ("draining", "drained") else None
    link: Link = state if state in ("suspect", "down") else "up"
    return Node(view["name"], view["cores"], view["mem_mib"], features, link, drained)


def source_of_directory(state_dir: Path) -> Source:
    """Raises CommandError: it cannot be read."""
    try:
        found = recorded(state_dir)
    except ReadingError as error:
        raise CommandError(str(error)) from None
    return Source(
        found.views, found.nodes, found.recipe, found.capacity, found.clock_us, found.rate
    )


def since_us(args: argparse.Namespace, source: Source) -> int | None:
    """The earliest submit time that `--since` asks for; None: all. Raises UsageError."""
    if args.since is None:
        return None
    try:
        ago_s = parse_duration_s(args.since)
    except DurationError as error:
        raise UsageError(f"--since: {error}") from None
    return None if ago_s is None else source.now_us - round(ago_s * SECOND_US)
