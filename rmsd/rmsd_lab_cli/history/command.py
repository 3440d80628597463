"""Write what a daemon has scheduled as a trace in the Standard Workload Format, for `rmsd replay`,
`rmsd simulate` and other tools. The trace has submit, wait and run time, processors, requested
time, status, user and job name of every job that ran to an end.

The history is read from the daemon that runs, or from a state directory, whose daemon may run or
not. All times are whole seconds of model time from the first submit, rounded to the nearest;
requested times are rounded up. An unknown value is -1, as the requested time of an unlimited job.
Jobs that are not over, and those that never ran, are left out; the header counts them. The header
also says which number is which user and which job name (--anonymous keeps the names out).
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterable
from contextlib import ExitStack, nullcontext
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.workloads.swf_log import format_log
from rmsd_lab_cli.history.log import HistoryLog, log_of
from rmsd_lab_cli.history.source import (
    add_source_arguments,
    since_us,
    source_of_directory,
    source_of_server,
)
from rmsd_lab_cli.trace_file import STDIN

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
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="export")
    export = actions.add_parser(
        "export",
        help="write the history as a trace",
        description="Write the history as a trace.",
        epilog="`rmsd history --help` says what is written, and has examples.",
    )
    export.add_argument(
        "--swf",
        required=True,
        type=Path,
        metavar="OUT",
        help="the file to write; with .gz at its end it is compressed; - is standard output",
    )
    export.add_argument(
        "state_dir",
        nargs="?",
        type=Path,
        metavar="STATE_DIR",
        help="read this state directory instead of asking a daemon",
    )
    export.add_argument(
        "--anonymous", action="store_true", help="leave out the names of users and jobs"
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
    with opened as source:
        log = log_of(source, since_us(args, source.now_us), anonymous=args.anonymous)
    if not log.jobs:
        raise CommandError(f"there is no job that ran to an end ({_left_out(log)})")
    lines = format_log(log.header, log.jobs)
    if args.swf == STDIN:
        # bytes, as in a file: no newline is translated
        sys.stdout.buffer.writelines(line.encode() for line in lines)
        return 0
    _write(args.swf, lines)
    print(f"{args.swf}: {len(log.jobs):,} jobs on {log.processors:,} processors ({_left_out(log)})")
    return 0


def _left_out(log: HistoryLog) -> str:
    return f"left out: {log.live:,} that are not over, {log.never_started:,} that never ran"


def _write(path: Path, lines: Iterable[str]) -> None:
    """Write the lines to a file, compressed if its name says so. Raises CommandError if the file
    cannot be written."""
    try:
        with ExitStack() as opened:
            file = opened.enter_context(path.open("wb"))
            data = (line.encode() for line in lines)
            if path.suffix == ".gz":
                packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
                opened.enter_context(packed).writelines(data)
            else:
                file.writelines(data)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
