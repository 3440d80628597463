"""The schedules of a report: from traces that are run now, and from files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_core.recipes.text import written_out
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab_cli.history.schedule import read_schedule
from rmsd_lab_cli.recipe_option import recipe_for, recipe_named
from rmsd_lab_cli.workload import Workload, load_workload, simulating, told_trace


@dataclass(frozen=True, slots=True)
class PicturedRun:
    """A schedule to draw. `about`: where it comes from, for people. `trials`: whether it has trial
    runs. `recipe`: its recipe, written out; empty if that is not known."""

    name: str
    schedule: Schedule
    about: str
    trials: bool = False
    recipe: str = ""


def simulated(args: argparse.Namespace, traces: Sequence[Path]) -> Iterator[PicturedRun]:
    """Yield the run of every trace through every recipe that is asked for.

    Raises:
        CommandUsageError, CommandError: as `load_workload` and `recipe_named`.
    """
    names = args.recipe or ["easy"]
    recipes = [recipe_named(name) for name in names]
    for trace in traces:
        workload = load_workload(argparse.Namespace(**(vars(args) | {"trace": trace})))
        about = _about(workload)
        for name, recipe in zip(names, recipes, strict=True):
            with (
                simulating(workload.trace),
                Progress(f"simulating {name}", len(workload.jobs)) as progress,
            ):
                full = recipe_for(recipe, workload)
                schedule = simulate(
                    workload.jobs,
                    workload.processors,
                    full,
                    progress.update,
                    closed_loop=workload.following > 0,
                )
            shown = name if len(traces) == 1 else f"{workload.trace}, {name}"
            yield PicturedRun(
                shown, schedule, about, bool(full.trial_us), f"recipe {shown}: {written_out(full)}"
            )


def _about(workload: Workload) -> str:
    return (
        f"{workload.trace}: {len(workload.jobs):,} jobs of {workload.read:,} read "
        f"({workload.dropped:,} dropped) on {workload.processors:,} processors"
    )


def recorded(args: argparse.Namespace, paths: Sequence[Path]) -> Iterator[PicturedRun]:
    """Yield the schedules that `--schedule` wrote, with the trace from which they were made.

    Raises:
        CommandUsageError: the trace is not given, or tells no size of the machine.
        CommandError: a file is not there, cannot be read, or is not of this trace.
    """
    if not paths:
        return
    for path in paths:
        if not path.exists():
            raise CommandError(f"cannot read {path}: no such file")
    if args.trace is None:
        raise CommandUsageError(f"{paths[0]} needs the trace that it was made from: --trace TRACE")
    trace = told_trace(args.trace)
    processors = args.procs or trace.processors
    if processors is None:
        raise CommandUsageError(f"{args.trace}: the header has no usable MaxProcs; give --procs")
    for path in paths:
        jobs = read_schedule(path, trace)
        if not jobs:
            raise CommandError(f"{path} has no job")
        largest = max(job.size for job in jobs)
        if largest > processors:
            raise CommandUsageError(
                f"{path}: a job had {largest:,} processors, more than the machine's "
                f"{processors:,}; say with --procs how many there were"
            )
        about = f"{path.name}: {len(jobs):,} jobs on {processors:,} processors"
        yield PicturedRun(path.stem, Schedule(jobs, processors), about)
