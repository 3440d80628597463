"""Show the processor time that jobs have used, by account, user, partition or day. A user sees
their own, an operator that of all users."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandUsageError, told_by
from rmsd_cli.server_options import ENVIRONMENT, add_server_arguments, client_of
from rmsd_cli.table_files import STDOUT, FileColumn, check_parquet, write_csv, write_parquet
from rmsd_cli.tables import grid
from rmsd_client.errors import ClientError
from rmsd_wire.api.usage import GROUPS
from rmsd_wire.durations import DurationError, parse_duration_s

EPILOG = f"""\
columns:
  hours    processors given to jobs, times hours
  lost     the hours of attempts after which the job was started again (trials,
           requeues, lost nodes)
  cpu      the processor time that processes took, of the hours
  cluster  the hours, of all that the nodes have now

A run counts with the part that lies within the time asked for. Days are those of UTC.

environment:
  {ENVIRONMENT}

exit codes:
  0   done
  2   wrong usage
  75  no daemon can be reached

examples:
  rmsd usage --since 30d
  rmsd usage --since 7d --by day,partition
  rmsd usage --since 90d --by user --csv > usage.csv
  rmsd usage --since unlimited --by day,account --parquet usage.parquet
"""

_HOUR_S = 3600
_SUMS = [
    FileColumn("jobs", "int"),
    FileColumn("attempts", "int"),
    FileColumn("processor_s", "float"),
    FileColumn("lost_s", "float"),
    FileColumn("cpu_s", "float"),
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--since",
        metavar="TIME",
        default="30d",
        help="the time before the daemon's present that counts (12h, 7d; default: 30d; unlimited: "
        "all)",
    )
    parser.add_argument(
        "--by",
        metavar="GROUPS",
        default="user",
        help="one or several of account, user, partition, day, with commas (default: user)",
    )
    parser.add_argument("--user", default="", metavar="USER", help="only of this user")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one rmsd.usage/1 object")
    form.add_argument("--csv", action="store_true", help="print comma-separated values, in seconds")
    form.add_argument(
        "--parquet",
        type=Path,
        metavar="OUT",
        help="write the same to this file, as Parquet, which needs pyarrow",
    )
    add_server_arguments(parser)


def run(args: argparse.Namespace) -> int:
    asked = args.by.split(",")
    groups = [one for one in GROUPS if one in asked]
    if unknown := sorted({*asked}.difference(GROUPS)):
        raise CommandUsageError(f"--by: '{unknown[0]}' is none of {', '.join(GROUPS)}")
    try:
        ago_s = parse_duration_s(args.since)
    except DurationError as error:
        raise CommandUsageError(f"--since: {error}") from None
    if args.parquet is not None:
        check_parquet(args.parquet)
    try:
        with client_of(args) as client:
            now_us = client.status()["clock"]["model_us"]
            since_us = 0 if ago_s is None else max(0, now_us - round(ago_s * 1e6))
            found = client.usage(since_us, by=args.by, user=args.user)
    except ClientError as error:
        raise told_by(error) from None
    if args.json:
        print(json.dumps(found, indent=2))
    elif args.csv:
        write_csv(STDOUT, _columns(groups), _rows(groups, found["usage"]))
    elif args.parquet is not None:
        write_parquet(args.parquet, _columns(groups), _rows(groups, found["usage"]))
        print(f"{args.parquet}: {len(found['usage']):,} rows")
    else:
        print(_table(groups, found))
    return 0


def _columns(groups: Sequence[str]) -> list[FileColumn]:
    """Return the columns of a table of usage."""
    return [FileColumn(one) for one in groups] + _SUMS


def _rows(groups: Sequence[str], usage: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    return [[row[column.name] for column in _columns(groups)] for row in usage]


def _table(groups: Sequence[str], found: Mapping[str, Any]) -> str:
    """Return the rows, and their sum if there are several."""
    usage = found["usage"]
    if not usage:
        return "nothing ran in this time"
    head = [*groups, "jobs", "attempts", "hours", "lost", "cpu", "cluster"]
    capacity_s = found["capacity_s"] if found["since_us"] and "day" not in groups else 0.0
    rows = [[*(row[one] for one in groups), *_cells(row, capacity_s)] for row in usage]
    if len(usage) > 1:
        total = {
            name: sum(row[name] for row in usage) for name in ("processor_s", "lost_s", "cpu_s")
        }
        # A job that ran in two groups is one job of each.
        total |= dict.fromkeys(("jobs", "attempts"), "")
        rows.append(["total", *[""] * (len(groups) - 1), *_cells(total, capacity_s)])
    return grid([head, *rows], left=range(len(groups)))


def _cells(row: Mapping[str, Any], capacity_s: float) -> list[str]:
    hours = row["processor_s"] / _HOUR_S
    return [
        str(row["jobs"]),
        str(row["attempts"]),
        f"{hours:,.1f}",
        f"{row['lost_s'] / _HOUR_S:,.1f}",
        _share(row["cpu_s"], row["processor_s"]),
        _share(row["processor_s"], capacity_s),
    ]


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "-"
