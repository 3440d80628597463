"""Write what a daemon has scheduled as a file, for other tools: as a trace in the Standard Workload
Format (--swf), for `rmsd replay` and `rmsd simulate`, or as a table of jobs (--csv, --parquet).

A trace has submit, wait and run time, processors, requested time, status, user and job name of
every job that ran to an end. All times are whole seconds of model time from the first submit,
rounded to the nearest; requested times are rounded up. An unknown value is -1, as the requested
time of an unlimited job. Jobs that are not over, and those that never ran, are left out; the header
counts them. The header also says which number is which user and which job name.

A table has one row for each job that is over, by number, and a line with the names of the columns,
which say the units: submit_time_utc, wait_s, mem_per_node_mib. An unknown value is empty. Parquet
has types, and needs pyarrow.

The history is read from the daemon that runs, or from a state directory, whose daemon may run or
not. --anonymous keeps the names of users and jobs out, and in a table those of accounts and
reservations.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.table_files import STDOUT, check_parquet, open_bytes, write_csv, write_parquet
from rmsd_lab.workloads.swf_log import format_log
from rmsd_lab_cli.history.ended_jobs import COLUMNS, EndedJobs
from rmsd_lab_cli.history.log import HistoryLog, log_of
from rmsd_lab_cli.history.source import (
    add_source_arguments,
    since_us,
    source_of_directory,
    source_of_server,
)

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   done
  1   there is no job to write, or a file cannot be read or written
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd history export --swf last-week.swf.gz --since 7d
  rmsd history export --swf all.swf ~/.local/state/rmsd
  rmsd simulate all.swf --recipe conservative
  rmsd history export --parquet jobs.parquet
  rmsd history export --csv jobs.csv.gz --since 30d
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="export")
    export = actions.add_parser(
        "export",
        help="write the history as a trace or as a table",
        description="Write the history as a trace or as a table.",
        epilog="`rmsd history --help` says what is written, and has examples.",
    )
    form = export.add_mutually_exclusive_group(required=True)
    form.add_argument(
        "--swf",
        type=Path,
        metavar="OUT",
        help="write a trace to this file; with .gz at its end it is compressed; - is standard "
        "output",
    )
    form.add_argument(
        "--csv",
        type=Path,
        metavar="OUT",
        help="write a table of jobs to this file, with commas between values; names as for --swf",
    )
    form.add_argument(
        "--parquet",
        type=Path,
        metavar="OUT",
        help="write a table of jobs to this file, as Parquet, which needs pyarrow",
    )
    export.add_argument(
        "state_dir",
        nargs="?",
        type=Path,
        metavar="STATE_DIR",
        help="read this state directory instead of asking a daemon",
    )
    export.add_argument(
        "--anonymous",
        action="store_true",
        help="leave out the names of users, jobs and, in a table, accounts and reservations",
    )
    add_source_arguments(export)


def run(args: argparse.Namespace) -> int:
    if args.state_dir is not None and args.server is not None:
        raise CommandUsageError("give a STATE_DIR or a --server, not both")
    from_directory = args.state_dir is not None
    opened = (
        nullcontext(source_of_directory(args.state_dir))
        if from_directory
        else source_of_server(args)
    )
    if args.parquet is not None:
        check_parquet(args.parquet)  # before a long history is read
    with opened as source:
        from_us = since_us(args, source.now_us)
        if args.swf is None:
            table = EndedJobs(source.views, from_us, anonymous=args.anonymous)
        else:
            log = log_of(source, from_us, anonymous=args.anonymous)
    return _write_log(args.swf, log) if args.swf is not None else _write_table(args, table)


def _write_table(args: argparse.Namespace, table: EndedJobs) -> int:
    """Write the jobs that are over, and say how many there are."""
    left_out = f"left out: {table.live:,} that are not over"
    if not len(table):
        raise CommandError(f"there is no job that is over ({left_out})")
    columns = [one.column for one in COLUMNS]
    if args.parquet is not None:
        write_parquet(args.parquet, columns, table)
    else:
        write_csv(args.csv, columns, table)
    path = args.parquet or args.csv
    if path != STDOUT:
        print(f"{path}: {len(table):,} jobs ({left_out})")
    return 0


def _write_log(path: Path, log: HistoryLog) -> int:
    """Write the jobs that ran to an end, and say how many there are."""
    if not log.jobs:
        raise CommandError(f"there is no job that ran to an end ({_left_out(log)})")
    with open_bytes(path) as file:
        file.writelines(line.encode() for line in format_log(log.header, log.jobs))
    if path != STDOUT:
        print(f"{path}: {len(log.jobs):,} jobs on {log.processors:,} processors "
              f"({_left_out(log)})")  # fmt: skip
    return 0


def _left_out(log: HistoryLog) -> str:
    return f"left out: {log.live:,} that are not over, {log.never_started:,} that never ran"
