"""Draw a Gantt chart of a daemon, or of a file that `rmsd simulate --schedule` or `rmsd replay
--schedule` has written. A daemon's chart shows past runs (killed trial runs and attempts as well),
running jobs with their predicted ends, and expected starts of waiting jobs.

Without -o the chart is text, as wide as the terminal. It has a line for each core if they fit, else
for each node, and a letter for each job. -o writes an HTML file to move about in, or a picture.

SOURCE is a schedule file, or the state directory of a daemon that may run or not; only a running
daemon knows the plan. Without SOURCE the daemon is asked. Times are its model time. The nodes of a
planned job are not known: the job is drawn where it fits.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.server_options import OPTIONS, add_server_arguments
from rmsd_client.console.cli import plural
from rmsd_client.console.terminal import table_width, wants_colour
from rmsd_client.show.job_fields import local_time
from rmsd_core.model_time import SECOND_US
from rmsd_lab.charts.gantt import Gantt, gantt_of
from rmsd_lab_cli.pictures.chart import instant_of_trace
from rmsd_lab_cli.pictures.gantt_text import gantt_text
from rmsd_lab_cli.pictures.live import of_directory, of_server
from rmsd_lab_cli.pictures.observed import gantt_of_observed
from rmsd_lab_cli.pictures.output import PICTURES, check_output, origin, write_page, write_picture
from rmsd_lab_cli.pictures.packed import packed
from rmsd_lab_cli.pictures.page import Page
from rmsd_lab_cli.pictures.runs import recorded
from rmsd_wire.durations import DurationError, parse_duration_s

_SINCE = "1d"
_WIDTH = 100  # into a pipe
_OTHER_LINES = 6
_KINDS = (
    "Solid: over. Paler: running, until its predicted end. Faint and dashed: planned, where there "
    "is space. Crossed: ended, to run again."
)

EPILOG = """\
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients
  NO_COLOR, COLUMNS                              no colours, another width

exit codes:
  0   done
  1   there is nothing to draw, a file cannot be read or written, or matplotlib is not installed
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd gantt
  rmsd gantt --since 2h --ahead 2h
  rmsd gantt --since 7d -o week.html
  rmsd gantt ~/.local/state/rmsd --since UNLIMITED -o all.svg
  rmsd gantt schedule.csv --trace trace.swf -o schedule.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        type=Path,
        help="a schedule file or a state directory (default: ask the daemon)",
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", type=Path, help="write .html, .svg, .pdf or .png"
    )
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="what there was within this time before the daemon's present, or before the end of a "
        f"schedule (default: {_SINCE}; of a schedule, and UNLIMITED: all)",
    )
    parser.add_argument(
        "--ahead", metavar="TIME", help="how much of the future of a daemon (default: all)"
    )
    parser.add_argument(
        "--trace", metavar="TRACE", type=Path, help="the SWF file that a schedule was made from"
    )
    parser.add_argument(
        "--procs",
        type=int,
        metavar="N",
        help="processors of a schedule's machine (default: MaxProcs of the trace)",
    )
    add_server_arguments(parser)
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour the text; auto is on a terminal, unless NO_COLOR is set",
    )


def run(args: argparse.Namespace) -> int:
    if args.output is not None:
        check_output(args.output, (".html", *PICTURES), draws=args.output.suffix != ".html")
    of_file = args.source is not None and not args.source.is_dir()
    gantt, about, since_us = _of_schedule(args) if of_file else _of_daemon(args)
    if not gantt.bars:
        raise CommandError(f"there is nothing to draw: {about} knows no run in this time")
    first_us, until_us = gantt.span_us()
    since_us = first_us if since_us is None else max(since_us, first_us)
    if args.ahead is not None:
        until_us = min(until_us, _until_us(args, gantt))
    if until_us <= since_us:
        raise CommandError(f"there is nothing to draw: {about} knows no run in this time")
    if args.output is None:
        print("\n".join([about, *_text(args, gantt, since_us, until_us)]))
    elif args.output.suffix == ".html":
        inputs = [args.source, args.trace] if of_file else []
        write_page(args.output, _page(gantt, about, since_us, until_us, inputs))
    else:
        from rmsd_lab_cli.pictures.gantt_drawing import gantt_drawn  # imports matplotlib

        instant = instant_of_trace if gantt.now_us is None else _to_the_minute
        write_picture(args.output, gantt_drawn(gantt, since_us, until_us, instant))
    return 0


def _of_schedule(args: argparse.Namespace) -> tuple[Gantt, str, int | None]:
    """Return the chart, its description, and the instant from which it is shown [us] (None:
    all)."""
    for option in (*OPTIONS, "ahead"):
        if getattr(args, option) is not None:
            name = option.replace("_", "-")
            raise CommandUsageError(f"--{name} is for a daemon, and {args.source} is a file")
    [run] = recorded(args, [args.source])
    gantt = gantt_of(run.schedule, run.name)
    ago_us = None if args.since is None else _duration_us("--since", args.since)
    return gantt, run.about, None if ago_us is None else gantt.span_us()[1] - ago_us


def _of_daemon(args: argparse.Namespace) -> tuple[Gantt, str, int | None]:
    if args.trace is not None or args.procs is not None:
        raise CommandUsageError("--trace and --procs belong to a schedule file, and none is given")
    if args.source is not None and args.server is not None:
        raise CommandUsageError("give a state directory or a --server, not both")
    ago_us = _duration_us("--since", args.since or _SINCE)
    observed = of_server(args, ago_us) if args.source is None else of_directory(args.source)
    since_us = None if ago_us is None else observed.now_us - ago_us
    gantt = gantt_of_observed(observed, since_us)
    about = (
        f"{observed.source}, recipe {observed.recipe}, {plural(len(observed.nodes), 'node')} with "
        f"{plural(sum(observed.nodes.values()), 'core')}, now {local_time(observed.now_us)}"
    )
    if observed.starts is None:
        about += "; what is planned is not stored"
    return gantt, about, since_us


def _until_us(args: argparse.Namespace, gantt: Gantt) -> int:
    ahead_us = _duration_us("--ahead", args.ahead)
    _, until_us = gantt.span_us()
    return until_us if ahead_us is None or gantt.now_us is None else gantt.now_us + ahead_us


def _duration_us(option: str, text: str) -> int | None:
    """Return a duration [us]; None if it is unlimited. Raises CommandUsageError."""
    try:
        seconds = parse_duration_s(text)
    except DurationError as error:
        raise CommandUsageError(f"{option}: {error}") from None
    return None if seconds is None else round(seconds * SECOND_US)


def _to_the_minute(instant_us: int) -> str:
    return local_time(instant_us)[:16].replace("T", " ")


def _text(
    args: argparse.Namespace,
    gantt: Gantt,
    since_us: int,
    until_us: int,
) -> list[str]:
    return gantt_text(
        gantt,
        since_us,
        until_us,
        width=table_width() or _WIDTH,
        height=max(8, shutil.get_terminal_size().lines - _OTHER_LINES),
        colour=wants_colour(args.color),
        instant=instant_of_trace if gantt.now_us is None else local_time,
    )


def _page(gantt: Gantt, about: str, since_us: int, until_us: int, inputs: Sequence[Path]) -> Page:
    live = gantt.now_us is not None
    data = packed([gantt], calendar=live, window_us=(since_us, until_us))
    return Page(
        f"Gantt chart: {gantt.name}",
        [about],
        gantt=data,
        gantt_notes=[_KINDS] if live else [],
        made=origin(inputs),
    )
