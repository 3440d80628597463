"""Show the audit trail: submits, cancels, changes of nodes and tokens, agents that joined, and
refusals. It comes from a running daemon, for administrators, or from a state directory, whether its
daemon runs or not."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError, told_by
from rmsd_cli.server_options import ENVIRONMENT, OPTIONS, add_server_arguments, client_of
from rmsd_client.console.cli import printable
from rmsd_client.errors import ClientError
from rmsd_client.show.job_fields import local_time
from rmsd_daemon.offline.reader import ReadingError, audit_of
from rmsd_wire.durations import DurationError, parse_duration_s

EPILOG = f"""\
Of refusals up to 20 at once and then one a second are on record; the next one says how many were
left out. Times are of the wall clock of the daemon's machine.

environment:
  {ENVIRONMENT}

exit codes:
  0   done
  1   the state directory cannot be read
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd audit --since 1d
  rmsd audit --user ann --json /var/lib/rmsd
"""

_LIMIT = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "state_dir",
        nargs="?",
        type=Path,
        metavar="STATE_DIR",
        help="read this state directory instead of asking a daemon",
    )
    parser.add_argument("--since", metavar="TIME", help="how far back: 1d, 12h (default: all)")
    parser.add_argument("--user", metavar="USER", help="only what this user did")
    parser.add_argument("--json", action="store_true", help="print one rmsd.audit/1 object")
    add_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    since_us = _since_us(args.since)
    if args.state_dir is None:
        entries = _of_daemon(args, since_us)
    elif any(getattr(args, option) is not None for option in OPTIONS):
        raise CommandUsageError("give a STATE_DIR or a --server, not both")
    else:
        entries = _of_directory(args, since_us)
    if args.json:
        print(json.dumps({"schema": "rmsd.audit/1", "entries": entries}, indent=2))
    else:
        for entry in entries:
            print(_line(entry))
    return 0


def _since_us(text: str | None) -> int:
    """Return the time of --since in microseconds; 0 without one. Raises CommandUsageError."""
    if text is None:
        return 0
    try:
        ago_s = parse_duration_s(text)
    except DurationError as error:
        raise CommandUsageError(f"--since: {error}") from None
    return 0 if ago_s is None else max(0, round((time.time() - ago_s) * 1e6))


def _of_daemon(args: argparse.Namespace, since_us: int) -> list[dict[str, Any]]:
    try:
        with client_of(args) as client:
            return client.audit(since_us, args.user)
    except ClientError as error:
        raise told_by(error) from None


def _of_directory(args: argparse.Namespace, since_us: int) -> list[dict[str, Any]]:
    try:
        return audit_of(args.state_dir, since_us, args.user, _LIMIT)
    except ReadingError as error:
        raise CommandError(str(error)) from None


def _line(entry: Mapping[str, Any]) -> str:
    who = f"{entry['user'] or '-'} ({entry['role'] or 'unknown'}"
    who += f", {entry['via']})" if entry["via"] else ")"
    text = f"{local_time(entry['at_us'])}  {who}  {entry['action']} {entry['subject']}"
    return printable(text if entry["outcome"] == "done" else f"{text}: {entry['outcome']}")
