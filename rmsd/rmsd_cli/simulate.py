"""Run the jobs of a trace through the scheduler, on a virtual clock: a year of a supercomputer in
about a second. The scheduling core is the one that the daemon runs.

Jobs are read by the rules of docs/simulation-rules.md: those without a known run time or larger
than the machine are dropped and counted. Metrics are plain means over all jobs; bounded slowdown
is max(1, (wait + run) / max(10 s, run)). Utilization is the share of the processors held between
the first arrival and the last end.

A recipe whose starvation thresholds come from a conservative run of the trace (`selective`) has
that run made first, and the report shows them.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path

from rmsd_cli.metric_options import HELP, add_metric_arguments, metrics_asked
from rmsd_cli.progress import Progress
from rmsd_cli.recipe_option import recipe_for, recipe_named
from rmsd_cli.report import describe, run_report, table, write_schedule
from rmsd_cli.workload import add_workload_arguments, load_workload
from rmsd_core.simulation import simulate

EPILOG = f"""\
{HELP}
exit codes:
  0  done
  1  the trace cannot be read, or has no job that can take part
  2  usage: an unknown recipe, one that needs users on a trace without, an impossible option

examples:
  rmsd simulate KTH-SP2-1996-2.1-cln.swf.gz --recipe easy++
  rmsd simulate trace.swf --recipe easy --procs 128 --load 0.9 --json
  rmsd simulate trace.swf --recipe fcfs --schedule schedule.csv
  rmsd simulate trace.swf --recipe selective --metrics waits,categories,fairness
"""


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """What simulate and replay have in common besides the workload."""
    group = parser.add_argument_group("results")
    group.add_argument(
        "--trim",
        choices=("none", "thesis"),
        default="none",
        help="thesis: leave out the first 1%% of terminated jobs and all that terminate after "
        "the last arrival (default: none)",
    )
    group.add_argument(
        "--schedule", type=Path, metavar="OUT.csv", help="write job_id,submit,start,end here"
    )
    group.add_argument("--json", action="store_true", help="print one rmsd.run/1 object")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recipe", default="easy", metavar="R", help="the scheduler; see `rmsd recipes`"
    )
    add_workload_arguments(parser)
    add_run_arguments(parser)
    add_metric_arguments(parser)


def run(args: argparse.Namespace) -> int:
    begun = time.perf_counter()
    recipe = recipe_named(args.recipe)
    metrics = metrics_asked(args, recipe.trial_us)
    workload = load_workload(args)
    recipe = recipe_for(recipe, workload)
    gc.freeze()  # what was read lives to the end; walking it again and again costs a tenth
    gc.disable()
    with Progress("simulating", len(workload.jobs)) as progress:
        schedule = simulate(workload.jobs, workload.processors, recipe, progress.update)
    report = run_report(
        workload,
        recipe,
        schedule.jobs,
        trim=args.trim == "thesis",
        elapsed_s=time.perf_counter() - begun,
    )
    if args.schedule:
        write_schedule(args.schedule, schedule.jobs)
    if metrics:
        report["metrics"] = metrics.measure(schedule)
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        sys.stdout.write(f"{describe(report)}\n\n{table({'simulation': report})}\n")
        if metrics:
            sys.stdout.write(f"\n{metrics.text(report['metrics'])}")
    return 0
