"""Run the jobs of a trace through the scheduler, on a virtual clock: a year of a supercomputer in
about a second. The scheduling core is the one that the daemon runs.

Jobs are read by the rules of docs/simulation-rules.md: those without a known run time or larger
than the machine are dropped and counted. Metrics are plain means over all jobs; bounded slowdown
is max(1, (wait + run) / max(10 s, run)). Utilization is the share of the processors held between
the first arrival and the last end.

If a recipe's starvation thresholds come from a conservative run of the trace (`selective`), that
run is made first, and the report shows the thresholds. With trial runs (`timed-easy`) it shows how
many jobs were restarted, and the processor time lost to killed trials and to restarting.

JSON says what the result was made with (manifest). These are versions, the recipe written out, the
trace's size and SHA-256, options, seed, machine, and the times of its beginning and end.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.measures.thresholds import needs_thresholds
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.reservations import ReservationsError, read_reservations
from rmsd_lab.workloads.swf import MOST, Trace
from rmsd_lab.workloads.workload import exempted
from rmsd_lab_cli.manifest import Manifest
from rmsd_lab_cli.metrics.options import HELP, add_metric_arguments, metrics_asked
from rmsd_lab_cli.recipe_option import OneRecipe, recipe_for, recipe_named
from rmsd_lab_cli.report import (
    measures_table,
    refuse_unwritable,
    run_report,
    run_text,
    write_schedule,
)
from rmsd_lab_cli.workload import Workload, add_workload_arguments, load_workload, simulating

EPILOG = f"""\
{HELP}
exit codes:
  0  done
  1  the trace cannot be read, or has no job that can take part
  2  wrong usage: an unknown recipe, one that needs users on a trace without, an impossible option

examples:
  rmsd simulate KTH-SP2-1996-2.1-cln.swf.gz --recipe easy++
  rmsd simulate trace.swf --recipe easy --procs 128 --load 0.9 --json
  rmsd simulate trace.swf --recipe fcfs --schedule schedule.csv
  rmsd simulate trace.swf --recipe selective --metrics waits,categories,fairness
  rmsd simulate trace.swf --recipe easy++ --closed-loop
  rmsd simulate trace.swf --recipe timed-easy --restart-cost 30 --exempt 0.2
  rmsd simulate trace.swf --recipe easy --reservations maintenances.txt
"""


def add_run_arguments(parser: argparse.ArgumentParser, schedule_has: str = "") -> None:
    """Add the arguments that simulate and replay have in common besides the workload.
    `schedule_has`: what the help says of the schedule file besides its columns."""
    group = parser.add_argument_group("results")
    group.add_argument(
        "--trim",
        choices=("none", "thesis"),
        default="none",
        help="thesis: leave out the first 1%% of terminated jobs and all that terminate after "
        "the last arrival (default: none)",
    )
    group.add_argument(
        "--schedule",
        type=Path,
        metavar="OUT.csv",
        help=f"write job_id,submit,start,end here{schedule_has}",
    )
    group.add_argument("--json", action="store_true", help="print one rmsd.run/1 object")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--recipe",
        action=OneRecipe,
        default="easy",
        metavar="R",
        help="the scheduler (default: easy); see `rmsd recipes`",
    )
    add_workload_arguments(parser)
    parser.add_argument(
        "--reservations",
        type=Path,
        metavar="FILE",
        help="advance reservations: lines NAME START END PROCESSORS, in seconds of the schedule; "
        "the processors are not used then, and no job starts that could still run by its estimate",
    )
    _add_trial_arguments(parser)
    add_run_arguments(parser, "; with --restart-cost also the run time")
    add_metric_arguments(parser)


def _add_trial_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("trials", "for recipes with trial runs: timed-X, or trial=90")
    group.add_argument(
        "--restart-cost",
        type=float,
        metavar="SECONDS",
        help="how much longer a job runs that starts anew, also a fraction (default: 0)",
    )
    group.add_argument(
        "--exempt",
        type=float,
        metavar="SHARE",
        help="the share of the jobs, 0 to 1, that may not be restarted and so get no trial; which "
        "they are is random (default: 0)",
    )
    group.add_argument(
        "--seed", type=int, metavar="S", help="the seed that chooses them (default: 1)"
    )


class SimulatedRun(NamedTuple):
    """A workload that was run: the recipe as it was, the schedule, and the `rmsd.run/1` object."""

    workload: Workload
    recipe: Recipe
    schedule: Schedule
    report: dict[str, Any]


def run(args: argparse.Namespace) -> int:
    manifest = Manifest(args)
    recipe = recipe_named(args.recipe)
    if args.schedule:
        refuse_unwritable(args.schedule)
    metrics = metrics_asked(args, recipe.trial_us)
    done = simulated(args, to_the_end=True)
    report = done.report
    if metrics:
        with simulating(done.workload.trace):
            report["metrics"] = metrics.measure(done.schedule)
    try:
        if args.json:
            seed = {} if args.exempt is None else {"seed": _seed(args)}
            report["manifest"] = manifest.finished(done.recipe, **seed)
            print(json.dumps(report, indent=2))
        else:
            sys.stdout.write(f"{run_text(report)}\n\n{measures_table({'simulation': report})}\n")
            if metrics:
                sys.stdout.write(f"\n{metrics.text(report['metrics'])}")
    finally:  # write the schedule even if standard output is closed
        if args.schedule:
            write_schedule(args.schedule, done.schedule.jobs)
    return 0


def simulated(
    args: argparse.Namespace, read: Trace | None = None, *, to_the_end: bool = False
) -> SimulatedRun:
    """Return the run that the options ask for. `read` is its trace, if it has been read already.
    `to_the_end`: whether this process does nothing else afterwards.

    Raises:
        CommandUsageError, CommandError: as `run` does, before anything is simulated.
    """
    begun = time.perf_counter()
    recipe = recipe_named(args.recipe)
    _refuse_trial_options(args, recipe)
    reservations = _reservations(args, recipe)
    workload = load_workload(args, read=read)
    exempt = _exempt(args, workload)
    with simulating(workload.trace), _uncollected(to_the_end):
        recipe = recipe_for(recipe, workload)
        with Progress("simulating", len(workload.jobs)) as progress:
            schedule = simulate(
                workload.jobs,
                workload.processors,
                recipe,
                progress.update,
                restart_cost_s=args.restart_cost or 0,
                not_restartable=exempt,
                closed_loop=workload.following > 0,
                reservations=reservations,
            )
    report = run_report(
        workload,
        recipe,
        schedule.jobs,
        trim=args.trim == "thesis",
        elapsed_s=time.perf_counter() - begun,
    )
    if recipe.disposes:
        report["trials"] |= {"restart_cost_s": args.restart_cost or 0, "exempt": len(exempt)}
    if reservations:
        report["reservations"] = len(reservations)
    return SimulatedRun(workload, recipe, schedule, report)


@contextmanager
def _uncollected(to_the_end: bool) -> Iterator[None]:
    """Keep the garbage collector away from a simulation, which makes no cycles worth looking for:
    walking the trace again and again costs a tenth."""
    enabled = gc.isenabled()
    if to_the_end:
        gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if enabled and not to_the_end:
            gc.enable()


def _reservations(args: argparse.Namespace, recipe: Recipe) -> list[AdvanceReservation]:
    """Return the advance reservations of `--reservations`.

    Raises:
        CommandError: the file cannot be read.
        CommandUsageError: a line of it is not understood, or other runs would be compared that have
            no reservations.
    """
    if args.reservations is None:
        return []
    asked = set((args.metrics or "").split(","))
    if asked & {"all", "fairness"}:
        raise CommandUsageError("--reservations: the runs that fairness is taken from have none")
    if needs_thresholds(recipe):
        raise CommandUsageError("--reservations: the run that thresholds are taken from has none")
    try:
        return read_reservations(args.reservations.read_text())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"--reservations: {args.reservations}: {error}") from None
    except ReservationsError as error:
        raise CommandUsageError(f"--reservations: {args.reservations}, {error}") from None


def _refuse_trial_options(args: argparse.Namespace, recipe: Recipe) -> None:
    """Raise CommandUsageError if an option on trials is out of range, or if the recipe has no
    trials."""
    options = {"--restart-cost": args.restart_cost, "--exempt": args.exempt, "--seed": args.seed}
    given = [name for name, value in options.items() if value is not None]
    if given and not recipe.disposes:
        raise CommandUsageError(
            f"{given[0]}: recipe {recipe.name} has no trial runs; take timed-{recipe.name}, or add "
            "trial=90"
        )
    if args.restart_cost is not None and not 0 <= args.restart_cost <= MOST:
        raise CommandUsageError(f"--restart-cost {args.restart_cost:g}: it is 0 to {MOST} s")
    if args.seed is not None and args.exempt is None:
        raise CommandUsageError("--seed chooses the jobs of --exempt; give that as well")


def _exempt(args: argparse.Namespace, workload: Workload) -> frozenset[int]:
    """Return the numbers of the jobs without trials. Raises CommandUsageError if there is no such
    share."""
    if args.exempt is None:
        return frozenset()
    try:
        return exempted(workload.jobs, args.exempt, _seed(args))
    except ValueError as error:
        raise CommandUsageError(f"--exempt {args.exempt:g}: {error}") from None


def _seed(args: argparse.Namespace) -> int:
    return 1 if args.seed is None else args.seed
