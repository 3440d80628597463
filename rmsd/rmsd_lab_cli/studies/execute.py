"""One run of a study, in a worker process: prepare, simulate, measure."""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_lab.measures.categories import Boundaries
from rmsd_lab.measures.measures import measure
from rmsd_lab.measures.thresholds import with_thresholds
from rmsd_lab.schedule import Schedule
from rmsd_lab.simulation.references import references
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.models.resampling import resampled
from rmsd_lab.workloads.swf import Trace, TraceJob, takes_part
from rmsd_lab.workloads.workload import (
    cut_at_estimate,
    exempted,
    offered_load,
    predecessors,
    scaled_to_load,
    shaken,
    with_exact_estimates,
)
from rmsd_lab_cli.manifest import Manifest, fingerprint
from rmsd_lab_cli.recipe_option import why_not_on
from rmsd_lab_cli.report import run_report
from rmsd_lab_cli.studies.description import Input, JobSource, Measuring, Run
from rmsd_lab_cli.studies.models import FITTED, MODELS, with_estimates
from rmsd_lab_cli.workload import Workload, read_trace, simulating


class RunTask(NamedTuple):
    """A run to be made. sha256: of the trace's file, as the study was begun with; None: a model.
    groups: of metrics, as `rmsd_lab.measures.measures.GROUPS` has them."""

    run: Run
    sha256: str | None
    groups: tuple[str, ...]


def execute(task: RunTask) -> dict[str, Any]:
    """Make a run, and return its `report`, an `rmsd.run/1` object, and its `manifest`.

    Raises:
        CommandError: the trace is of no use for it, or is another one here.
    """
    gc.disable()  # a run makes no cycles worth looking for while it lasts
    try:
        with simulating(task.run.input.source.name):
            return _executed(task)
    finally:
        gc.enable()
        gc.collect()


def _executed(task: RunTask) -> dict[str, Any]:
    run, measuring = task.run, task.run.measuring
    recipe = recipe_of(run.recipe)
    manifest = Manifest(_options(task))
    workload = _workload(run.input, task.sha256)
    if why_not := why_not_on(recipe, workload):
        raise CommandError(f"recipe {why_not}")
    begun = time.perf_counter()
    recipe = with_thresholds(recipe, workload.jobs, workload.processors)
    exempt = exempted(workload.jobs, run.trials.exempt, _seed(run.input))
    schedule = simulate(
        workload.jobs,
        workload.processors,
        recipe,
        restart_cost_s=run.trials.restart_cost_s,
        not_restartable=exempt,
        closed_loop=run.input.source.closed_loop,
    )
    elapsed_s = time.perf_counter() - begun
    report = run_report(workload, recipe, schedule.jobs, trim=measuring.trim, elapsed_s=elapsed_s)
    if recipe.disposes:
        costs = {"restart_cost_s": run.trials.restart_cost_s, "exempt": len(exempt)}
        report["trials"] |= costs
    report["offered_load"] = _offered_load(workload)
    report["metrics"] = _measured(task, recipe, schedule)
    return {"report": report, "manifest": manifest.finished(recipe, seed=run.input.seed)}


def _options(task: RunTask) -> argparse.Namespace:
    """Return the options of a run in the form of a command's options, for the manifest."""
    source, jobs = task.run.input.source, task.run.input
    return argparse.Namespace(
        trace=source.path,
        model=source.model,
        procs=source.procs,
        jobs=source.jobs,
        weeks=source.weeks,
        estimates=source.estimates,
        badness=source.badness,
        max_estimate_s=source.max_estimate_s,
        kill_at_estimate=source.kill_at_estimate,
        load=jobs.load,
        shake_s=jobs.shake_s if source.is_shaken and jobs.seed is not None else None,
        metrics=list(task.groups) or None,
        closed_loop=source.closed_loop,
        **asdict(task.run.trials),
        **asdict(task.run.measuring),
    )


# ---------------------------------------------------------------- jobs


@lru_cache(maxsize=1)
def checked_trace(path: Path, sha256: str | None) -> Trace:
    """Return the trace of a run. Runs of one trace follow each other, so that it is read once."""
    if fingerprint(path)["sha256"] != sha256:
        raise CommandError(
            f"{path} is another file than it was when the study began; on a cluster it must be the "
            "same on every machine"
        )
    return read_trace(path)


@lru_cache(maxsize=1)
def _workload(wanted: Input, sha256: str | None) -> Workload:
    """Return the workload of a run. Raises CommandError if the trace cannot be used, or if the
    study's demands cannot be met with it."""
    source = wanted.source
    seed = _seed(wanted)
    first = _drawn(source, seed) if source.path is None else _read(source, source.path, sha256)
    try:
        jobs = with_estimates(
            first.jobs, source.estimates, seed, source.badness, source.max_estimate_s
        )
        if source.kill_at_estimate:
            jobs = cut_at_estimate(jobs)
        if source.model == FITTED:
            jobs = resampled(jobs, first.processors, source.weeks or 1, seed, wanted.load)
        elif wanted.load is not None:
            jobs = scaled_to_load(jobs, first.processors, wanted.load)
    except ValueError as error:
        at = "" if wanted.load is None else f" at load {wanted.load:g}"
        raise CommandError(f"{source.name}{at}: {error}") from None
    if source.is_shaken and wanted.seed is not None:
        jobs = shaken(jobs, wanted.seed, wanted.shake_s)
    following = _following(source, jobs) if source.closed_loop else 0
    return replace(first, jobs=jobs, following=following)


def _following(source: JobSource, jobs: Sequence[TraceJob]) -> int:
    """Return how many jobs come after the end of another job.

    Raises:
        CommandError: none does, or it is not clear after which.
    """
    try:
        following = sum(at >= 0 for at in predecessors(jobs))
    except ValueError as error:
        raise CommandError(f"{source.name}: closed_loop: {error}") from None
    if not following:
        raise CommandError(
            f"{source.name}: closed_loop: no job names a preceding one among those that take part "
            "(SWF fields 17 and 18)"
        )
    return following


def _seed(wanted: Input) -> int:
    """Return the seed of random draws; 1, as in the commands, if none is asked for."""
    return 1 if wanted.seed is None else wanted.seed


def _drawn(source: JobSource, seed: int) -> Workload:
    model = MODELS[source.model or ""]
    processors = model.processors or source.procs or 0
    assert model.draw is not None, "the others have a file"
    try:
        jobs = model.draw(source.jobs or 0, processors, seed)
    except ValueError as error:
        raise CommandError(f"{source.name}: {error}") from None
    return Workload(source.name, processors, jobs, len(jobs), 0)


def _read(source: JobSource, path: Path, sha256: str | None) -> Workload:
    trace = checked_trace(path, sha256)
    processors = source.procs or trace.processors
    if processors is None:
        raise CommandError(
            f"{path}: the header has no usable MaxProcs or MaxNodes; give the machine's size with "
            "`procs` in [[traces]]"
        )
    jobs = [job for job in trace.jobs if takes_part(job, processors)]
    dropped = len(trace.jobs) - len(jobs)
    if not jobs:
        raise CommandError(
            f"{path}: no job can take part: {len(trace.jobs)} jobs read, none with a size between "
            f"1 and {processors} and known times"
        )
    return Workload(source.name, processors, jobs[: source.jobs], len(trace.jobs), dropped)


def _offered_load(workload: Workload) -> float | None:
    try:
        return offered_load(workload.jobs, workload.processors)
    except ValueError:  # all arrive at once
        return None


# ---------------------------------------------------------------- measures


def _measured(task: RunTask, recipe: Recipe, schedule: Schedule) -> dict[str, Any]:
    run = task.run
    conservative, exact = None, None
    if "fairness" in task.groups and run.input.source.closed_loop:
        _, conservative, exact = references(schedule)  # arrivals are this schedule's own
    elif "fairness" in task.groups:
        conservative = _reference(run.input, task.sha256, exact=False)
        exact = _reference(run.input, task.sha256, exact=True)
    return measure(
        schedule,
        task.groups,
        trim=run.measuring.trim,
        boundaries=_boundaries(run.measuring, recipe),
        conservative=conservative,
        exact=exact,
    )


def _boundaries(measuring: Measuring, recipe: Recipe) -> Boundaries:
    """Return the boundaries of job kinds. Unless the study says otherwise, a short job ends within
    a trial."""
    short_us = recipe.trial_us or Boundaries().short_us
    if measuring.short_up_to_s is not None:
        short_us = measuring.short_up_to_s * SECOND_US
    return Boundaries(measuring.long_above_s * SECOND_US, measuring.wide_above, short_us)


@lru_cache(maxsize=2)
def _reference(wanted: Input, sha256: str | None, *, exact: bool) -> Schedule:
    """Return the schedule of the same jobs under conservative backfilling, the reference of
    fairness."""
    workload = _workload(wanted, sha256)
    jobs = with_exact_estimates(workload.jobs) if exact else workload.jobs
    return simulate(jobs, workload.processors, PRESETS["conservative"])
