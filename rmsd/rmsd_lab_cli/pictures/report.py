"""Draw schedules and studies in one HTML file with tables, charts and a Gantt chart. The file needs
no network and opens in any browser. With --figure, draw a single chart as SVG, PDF or PNG.

An INPUT is one of these:
- a trace (SWF), which is run through every --recipe now;
- a schedule, as `rmsd simulate --schedule` and `rmsd replay --schedule` write it, with its --trace;
- results of many runs: what `rmsd study --out` writes (.csv, .parquet), or the --json of `rmsd
  study`, `rmsd simulate` and `rmsd replay` (.json). Runs with several seeds give means with 95%
  intervals; runs at several loads give lines over the load.

The Gantt chart holds every job. The wheel zooms, dragging moves, and the job under the pointer is
described, in the other recipes' charts as well. With the keyboard: arrows, + and -, 0 for all.
Trial runs that were killed are crossed; a schedule file does not know them.
"""

from __future__ import annotations

import argparse
import gc
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.charts.gantt import gantt_of
from rmsd_lab.schedule import Schedule
from rmsd_lab_cli.pictures import results
from rmsd_lab_cli.pictures.chart import Chart
from rmsd_lab_cli.pictures.figures import OF_SCHEDULES, charts
from rmsd_lab_cli.pictures.output import PICTURES, check_output, origin, write_chart, write_page
from rmsd_lab_cli.pictures.packed import packed
from rmsd_lab_cli.pictures.page import Page
from rmsd_lab_cli.pictures.runs import PicturedRun, recorded, simulated
from rmsd_lab_cli.pictures.tables import table_of_runs
from rmsd_lab_cli.studies.results_file import KEYS, Row, rows_of
from rmsd_lab_cli.studies.schedule_comparison import is_schedule
from rmsd_lab_cli.workload import add_workload_options

_RESULTS = (".csv", ".parquet", ".json")

EPILOG = """\
figures of schedules:
  wait-cdf, slowdown-cdf               how many jobs have no more of it
  category-wait, category-slowdown     means of short and long, narrow and wide jobs
  queue, load                          queue length and momentary load over time

figures of results, with the trace's name at their end if there are several (wait-by-load-KTH):
  wait-by-load, slowdown-by-load, response-by-load, utilization-by-load
  wait-by-kind, slowdown-by-kind       of studies with the metric `categories`

exit codes:
  0  done
  1  a file cannot be read or written, or matplotlib is not installed
  2  wrong usage

examples:
  rmsd report KTH-SP2-1996-2.1-cln.swf.gz --recipe easy --recipe easy++ -o report.html
  rmsd report trace.swf --recipe fcfs --recipe easy --jobs 1000 -o waits.svg --figure wait-cdf
  rmsd simulate trace.swf --recipe easy --schedule easy.csv
  rmsd report easy.csv --trace trace.swf -o report.html
  rmsd study study.toml --out results.csv && rmsd report results.csv -o study.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "inputs", metavar="INPUT", nargs="+", type=Path, help="a trace, a schedule, or results"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=Path,
        required=True,
        help="the file to write: .html; with --figure .svg, .pdf or .png",
    )
    parser.add_argument("--figure", metavar="NAME", help="only this one; see below")
    parser.add_argument(
        "--title", metavar="TEXT", help="the title of the page (default: the inputs' names)"
    )
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
    if args.figure:
        check_output(args.output, PICTURES)
    else:
        check_output(args.output, (".html",), "; a single chart needs --figure NAME")
    gc.disable()  # the data live to the end
    found = _found(args)
    schedules = {run.name: run.schedule for run in found.runs}
    if args.figure:
        write_chart(args.output, _figure(args.figure, found, schedules))
        return 0
    page = Page(
        args.title or f"Report of {', '.join(path.name for path in args.inputs)}",
        list(dict.fromkeys(run.about for run in found.runs)),
        [*([table_of_runs(schedules)] if schedules else []), *results.tables(found.rows)],
        [*(charts(schedules) if schedules else []), *results.charts(found.rows)],
        _gantt(found.runs),
        _notes(found.runs),
        [*(run.recipe for run in found.runs if run.recipe), *origin(_files(args))],
    )
    write_page(args.output, page)
    return 0


class _Pictured(NamedTuple):
    """Schedules, and rows of results."""

    runs: list[PicturedRun]
    rows: list[Row]


def _found(args: argparse.Namespace) -> _Pictured:
    schedules = [path for path in args.inputs if is_schedule(path)]
    others = [path for path in args.inputs if path not in schedules]
    tables = [path for path in others if path.suffix in _RESULTS]
    traces = [path for path in others if path not in tables]
    if args.recipe and not traces:
        raise CommandUsageError("--recipe is for traces, and there is none among the inputs")
    if args.trace and not schedules:
        raise CommandUsageError("--trace belongs to schedules, and there is none among the inputs")
    if args.figure and not tables and args.figure not in OF_SCHEDULES:
        raise _no_figure(args.figure, OF_SCHEDULES)
    rows = [row for path in tables for row in rows_of(path)]
    _refuse_twice([", ".join(f"{key} {row[key]}" for key in KEYS) for row in rows])
    runs = [*simulated(args, traces), *recorded(args, schedules)]
    _refuse_twice([run.name for run in runs])
    return _Pictured(runs, rows)


def _refuse_twice(names: Sequence[str]) -> None:
    """Raise CommandUsageError if a name occurs twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise CommandUsageError(f"'{twice[0]}' occurs twice; a report shows everything once")


def _figure(name: str, found: _Pictured, schedules: Mapping[str, Schedule]) -> Chart:
    """Return the named figure. Raises CommandUsageError if the inputs have no such figure."""
    if schedules and name in OF_SCHEDULES:
        return OF_SCHEDULES[name](schedules)
    of_results = {chart.name: chart for chart in results.charts(found.rows)}
    if name in of_results:
        return of_results[name]
    raise _no_figure(name, [*(OF_SCHEDULES if schedules else ()), *of_results])


def _no_figure(name: str, known: Iterable[str]) -> CommandUsageError:
    return CommandUsageError(
        f"--figure: there is no '{name}' of this; there are: {', '.join(known)}"
    )


def _gantt(runs: Sequence[PicturedRun]) -> dict[str, Any] | None:
    if not runs:
        return None
    return packed([gantt_of(run.schedule, run.name) for run in runs], calendar=False)


def _files(args: argparse.Namespace) -> list[Path]:
    return [*args.inputs, *([args.trace] if args.trace else [])]


def _notes(runs: Sequence[PicturedRun]) -> list[str]:
    trials = [run.name for run in runs if run.trials]
    if not trials:
        return []
    return [f"Crossed, of {', '.join(trials)}: trial runs that were killed."]
