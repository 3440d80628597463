"""Draw schedules: one HTML file with tables, charts and a Gantt chart in it, that needs no network
and opens in any browser; or, with --figure, a single chart as SVG or PNG.

An INPUT is a trace (SWF), which is run through every --recipe now, or a file that `rmsd simulate
--schedule` or `rmsd replay --schedule` has written, together with --trace. What is different by
more than its first line is refused.

The Gantt chart holds every job: the wheel zooms, dragging moves, a job under the pointer says what
it is, also in the other recipes' charts. With the keyboard: arrows, + and -, 0 for all. Of a job
that was restarted after a trial run it shows the last run.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from pathlib import Path

from rmsd_cli.errors import UsageError
from rmsd_cli.pictures.figures import OF_SCHEDULES, charts
from rmsd_cli.pictures.output import made_by, write_page, write_picture
from rmsd_cli.pictures.packed import packed
from rmsd_cli.pictures.page import Page
from rmsd_cli.pictures.runs import Run, is_schedule, recorded, simulated
from rmsd_cli.pictures.tables import table_of_runs
from rmsd_cli.workload import add_workload_options
from rmsd_core.charts.gantt import gantt_of

EPILOG = """\
figures:
  wait-cdf, slowdown-cdf               how many jobs have no more of it
  category-wait, category-slowdown     means of short and long, narrow and wide jobs
  queue, load                          queue length and momentary load over time

exit codes:
  0  done
  1  a file cannot be read or written, or PNG cannot be made
  2  wrong usage

examples:
  rmsd report KTH-SP2-1996-2.1-cln.swf.gz --recipe easy --recipe easy++ -o report.html
  rmsd report trace.swf --recipe fcfs --recipe easy --jobs 1000 -o waits.svg --figure wait-cdf
  rmsd simulate trace.swf --recipe easy --schedule easy.csv
  rmsd report easy.csv --trace trace.swf -o report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs", metavar="INPUT", nargs="+", type=Path, help="a trace, or a schedule of one"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        required=True,
        help="the file to write: .html; with --figure .svg or .png",
    )
    parser.add_argument(
        "--figure", metavar="NAME", choices=[*OF_SCHEDULES], help="only this one; see below"
    )
    parser.add_argument("--title", metavar="TEXT", help="of the page (default: the inputs' names)")
    parser.add_argument(
        "--recipe",
        action="append",
        metavar="R",
        help="the scheduler of a trace (default: easy); several times: side by side",
    )
    parser.add_argument(
        "--trace", metavar="TRACE", type=Path, help="the SWF file that schedules were made from"
    )
    add_workload_options(parser.add_argument_group("workload", "what is changed in a trace"))


def run(args: argparse.Namespace) -> int:
    _check_output(args)
    gc.disable()  # what is read and made lives to the end
    runs = _runs(args)
    schedules = {run.name: run.schedule for run in runs}
    if args.figure:
        [chart] = charts(schedules, [args.figure])
        write_picture(args.output, chart)
        return 0
    gantts = [gantt_of(run.schedule, run.name) for run in runs]
    page = Page(
        args.title or f"Schedules of {', '.join(path.name for path in args.inputs)}",
        list(dict.fromkeys(run.about for run in runs)),
        [table_of_runs(schedules)],
        charts(schedules),
        packed(gantts, calendar=False),
        _notes(runs),
        [made_by()],
    )
    write_page(args.output, page)
    return 0


def _check_output(args: argparse.Namespace) -> None:
    """Raises UsageError: there is no such kind of picture."""
    kinds = (".svg", ".png") if args.figure else (".html",)
    if args.output.suffix not in kinds:
        hint = "" if args.figure else "; a single chart needs --figure NAME"
        raise UsageError(f"-o {args.output}: its name ends in {' or '.join(kinds)}{hint}")


def _runs(args: argparse.Namespace) -> list[Run]:
    schedules = [path for path in args.inputs if is_schedule(path)]
    traces = [path for path in args.inputs if path not in schedules]
    if args.recipe and not traces:
        raise UsageError("--recipe is for traces, and there is none among the inputs")
    if args.trace and not schedules:
        raise UsageError("--trace belongs to schedules, and there is none among the inputs")
    runs = [*simulated(args, traces), *recorded(args, schedules)]
    names = [run.name for run in runs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"'{name}' occurs twice; a report shows everything once")
    return runs


def _notes(runs: Sequence[Run]) -> list[str]:
    trials = [run.name for run in runs if run.trials]
    if not trials:
        return []
    return [f"Of {', '.join(trials)}: trial runs that were killed are not drawn."]
