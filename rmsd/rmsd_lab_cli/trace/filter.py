"""Write the jobs of a trace for which all conditions hold (--invert: the others). Sizes are
allocated processors. Times are seconds, or have a unit: 90s, 30m, 1.5h, 2d, 3w. If a job has no run
time, its CPU time counts. An unknown value is in no range. Numbers and times of the jobs stay as
they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.traces.selection import Selection
from rmsd_lab.workloads.swf_log import LogJob
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_tolerance_arguments,
    kept_nothing,
    reading,
    report_problems,
    tolerance_of,
)
from rmsd_lab_cli.trace.times import seconds, seconds_of_trace
from rmsd_lab_cli.trace.writing import Body, add_output_argument, changed, command_line

EPILOG = """\
examples:
  rmsd trace filter --user 3,17 trace.swf -o two-users.swf.gz
  rmsd trace filter --min-size 2 --max-run 18h trace.swf
  rmsd trace filter --from 1996-12-01 --until 1997-01-01 KTH-SP2-1996-2.1-cln.swf.gz
  rmsd trace filter --user 135 --from 200d --until 230d --invert CTC.swf.gz
"""

_OPTIONS = (
    *("user", "status", "min-size", "max-size", "min-run", "max-run", "from", "until"),
    "invert",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    group = parser.add_argument_group("conditions")
    group.add_argument("--user", metavar="U,U...", help="only jobs of these users, by number")
    group.add_argument(
        "--status", metavar="S,S...", help="0 failed, 1 completed, 5 cancelled (SWF field 11)"
    )
    group.add_argument("--min-size", type=int, metavar="N", help="N processors or more")
    group.add_argument("--max-size", type=int, metavar="N", help="N processors or fewer")
    group.add_argument(
        "--min-run", type=seconds, metavar="T", help="only jobs that ran T or longer"
    )
    group.add_argument(
        "--max-run", type=seconds, metavar="T", help="only jobs that ran no longer than T"
    )
    group.add_argument(
        "--from", metavar="T", help="submitted at T or later: a time of the trace, or a date"
    )
    group.add_argument("--until", metavar="T", help="submitted before T")
    group.add_argument("--invert", action="store_true", help="all jobs but these")
    add_output_argument(parser)
    add_tolerance_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if not any(getattr(args, name.replace("-", "_")) is not None for name in _OPTIONS[:-1]):
        raise CommandUsageError(
            "give at least one condition; `rmsd trace filter --help` lists them"
        )
    problems = Problems(tolerance_of(args))
    with Body() as body:
        with reading(args.trace, problems) as log:
            chosen = _Chosen(log, _selection(args, log.header), args.invert)
            body.add(chosen)
        if not body.jobs:
            raise kept_nothing(args.trace, chosen.read, "asked for")
        note = f"{command_line('filter', args, _OPTIONS)}: {body.jobs:,} of {chosen.read:,} jobs"
        body.write(args.output, changed(log.header, body.jobs, problems, note), log.later)
    report_problems(args.trace, problems)
    return 0


class _Chosen:
    """The jobs that are selected, and how many were looked at."""

    def __init__(self, log: LogReader, selection: Selection, invert: bool) -> None:
        self.read = 0
        self._log = log
        self._selection = selection
        self._invert = invert

    def __iter__(self) -> Iterator[LogJob]:
        for job in self._log:
            self.read += 1
            if self._selection.takes(job) != self._invert:
                yield job


def _selection(args: argparse.Namespace, header: Header) -> Selection:
    """Return the selection that the options ask for. Raises CommandUsageError for an impossible
    condition."""
    since, until = getattr(args, "from"), args.until
    return Selection(
        users=_numbers("--user", args.user),
        statuses=_numbers("--status", args.status),
        least_size=args.min_size,
        most_size=args.max_size,
        least_run_s=args.min_run,
        most_run_s=args.max_run,
        since_s=None if since is None else seconds_of_trace("--from", since, header),
        until_s=None if until is None else seconds_of_trace("--until", until, header),
    )


def _numbers(option: str, text: str | None) -> frozenset[int] | None:
    try:
        return None if text is None else frozenset(map(int, text.split(",")))
    except ValueError:
        raise CommandUsageError(
            f"{option} {text}: write numbers, with commas between them"
        ) from None
