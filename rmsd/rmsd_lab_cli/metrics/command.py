"""Measure a schedule by the metrics of the papers. The schedule is the history of a running daemon,
or a file of `rmsd simulate --schedule` or `rmsd replay --schedule` together with its trace.

Without SCHEDULE the daemon is asked for its jobs. Jobs that are not over, and those that were never
started, are left out and counted; they hold no processors in the figures of backfilling. Times are
model time; the machine is all cores that the daemon's nodes have now (--procs says otherwise). A
metric that cannot be known is shown as -, and is null in JSON: it is never guessed. Predictions
that changed are known as long as the daemon keeps its events. A job that was held, or had a begin
time or dependencies, waits from the time at which the last of these conditions came true. A
schedule file tells submit, start and end, and its trace the rest.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError, told_by
from rmsd_cli.server_options import add_server_arguments, client_of
from rmsd_client.console.cli import plural
from rmsd_client.errors import ClientError
from rmsd_lab.measures.metrics import trimmed_positions
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab_cli.history.schedule import history_of, read_schedule
from rmsd_lab_cli.history.source import orders_of
from rmsd_lab_cli.metrics.options import HELP, add_metric_arguments
from rmsd_lab_cli.metrics.report import MetricReport
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.workload import simulating, told_trace

EPILOG = f"""\
{HELP}
environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   done
  1   a file cannot be read, or there is no job to measure
  2   wrong usage
  75  no daemon can be reached
  77  not permitted

examples:
  rmsd metrics                                   the daemon's history, all groups
  rmsd metrics --jobs 1000 --metrics waits,fairness --json
  rmsd simulate t.swf --recipe easy++ --schedule s.csv
  rmsd metrics s.csv --trace t.swf --metrics categories,failures --trim thesis
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "schedule",
        metavar="SCHEDULE",
        nargs="?",
        type=Path,
        help="a file of job_id,submit,start,end",
    )
    parser.add_argument(
        "--trace", metavar="TRACE", type=Path, help="the SWF file that SCHEDULE was made from"
    )
    parser.add_argument("--jobs", type=int, metavar="K", help="only the daemon's newest K jobs")
    parser.add_argument(
        "--procs",
        type=int,
        metavar="N",
        help="processors of the machine (default: the cores of the daemon's nodes, or MaxProcs of "
        "the trace)",
    )
    add_metric_arguments(parser, default="all")
    parser.add_argument(
        "--trim",
        choices=("none", "thesis"),
        default="none",
        help="thesis: leave out the first 1%% of terminated jobs and all that terminate after "
        "the last arrival (default: none)",
    )
    add_server_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one rmsd.metrics/1 object")


def run(args: argparse.Namespace) -> int:
    metrics = MetricReport.asked(args)
    if args.procs is not None and args.procs < 1:
        raise CommandUsageError(f"--procs {args.procs}: a machine has at least one processor")
    schedule, report = from_daemon(args) if args.schedule is None else _from_file(args)
    counted = len(trimmed_positions(schedule.jobs)) if metrics.trim else len(schedule)
    report["jobs"] = {"measured": len(schedule), "counted": counted}
    with simulating(report["source"]):
        report["metrics"] = metrics.measure(schedule)
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        sys.stdout.write(f"{_describe(report)}\n\n{metrics.text(report['metrics'])}")
    return 0


def from_daemon(
    args: argparse.Namespace, ago_us: int | None = None
) -> tuple[Schedule, dict[str, Any]]:
    """Return the daemon's history, and the `rmsd.metrics/1` object without its metrics. `ago_us`:
    only of jobs that were submitted within this time before the daemon's present.

    Raises:
        CommandUsageError, CommandError: as `run` does.
    """
    if args.trace is not None:
        raise CommandUsageError("--trace belongs to a SCHEDULE file, and none is given")
    if args.jobs is not None and args.jobs < 1:
        raise CommandUsageError(f"--jobs {args.jobs}: ask for at least one job")
    try:
        with client_of(args) as client:
            status, source = client.status(), client.server
            recipe = recipe_named(status["recipe"])
            since_us = None if ago_us is None else status["clock"]["model_us"] - ago_us
            pages = client.job_pages(
                states="all", limit=args.jobs, decisions=True, since_us=since_us
            )
            views = (view for page in pages for view in page)
            history = history_of(views, propagated=recipe.history.propagate)
            orders = orders_of(client, history.jobs) if recipe.order == "dynp" else []
    except ClientError as error:
        raise told_by(error) from None
    left_out = {"live": history.live, "never_started": history.never_started}
    processors = args.procs or status["cores"]
    return measurable(history.jobs, processors, source, recipe.name, left_out, orders)


def _from_file(args: argparse.Namespace) -> tuple[Schedule, dict[str, Any]]:
    if args.trace is None:
        raise CommandUsageError(f"{args.schedule} needs the trace it was made from: --trace TRACE")
    for option, value in (("--jobs", args.jobs), ("--server", args.server)):
        if value is not None:
            raise CommandUsageError(f"{option} is for a daemon's history, not for a SCHEDULE file")
    trace = told_trace(args.trace)
    procs = args.procs or trace.processors
    jobs = read_schedule(args.schedule, trace)
    if procs is None:
        raise CommandUsageError(f"{args.trace}: the header has no usable MaxProcs; give --procs")
    return measurable(jobs, procs, str(args.schedule), None, {}, [])


def measurable(
    jobs: list[Scheduled],
    procs: int,
    source: str,
    recipe: str | None,
    left_out: dict[str, int],
    orders: list[tuple[int, str]],
) -> tuple[Schedule, dict[str, Any]]:
    """Return the schedule, and the `rmsd.metrics/1` object without its metrics.

    Raises:
        CommandError: there is no job.
        CommandUsageError: a job is larger than the machine.
    """
    if not jobs:
        raise CommandError(f"{source} has no job that ran to an end")
    largest = max(jobs, key=lambda job: job.size)
    if largest.size > procs:
        raise CommandUsageError(
            f"job {largest.job_id} had {largest.size} processors, more than the machine's {procs}; "
            "say with --procs how many there were"
        )
    report = {"schema": "rmsd.metrics/1", "source": source, "recipe": recipe, "procs": procs}
    return Schedule(jobs, procs, orders), report | {"left_out": left_out}


def _describe(report: dict[str, Any]) -> str:
    jobs = report["jobs"]
    recipe = f", recipe {report['recipe']}" if report["recipe"] else ""
    left_out = "".join(
        f", {count:,} left out ({what.replace('_', ' ')})"
        for what, count in report["left_out"].items()
        if count
    )
    counted = "" if jobs["counted"] == jobs["measured"] else f", {jobs['counted']:,} counted"
    return (
        f"{report['source']}, {plural(report['procs'], 'processor')}{recipe}\n"
        f"{plural(jobs['measured'], 'job')}{counted}{left_out}"
    )
