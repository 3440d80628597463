"""One replay: the jobs of a workload through a daemon, held against their simulation."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_client.api import Client
from rmsd_client.replay import Replay, Replayed, ReplayJob, replay
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.domain.conditions import MOST_S
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import predecessors
from rmsd_lab_cli.manifest import Manifest
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.replay.fidelity import fidelity
from rmsd_lab_cli.report import run_report
from rmsd_lab_cli.workload import Workload, load_workload, simulating

_TAKES_JOBS = ("idle", "mixed", "allocated")
_AS_IT_SHOULD = ("COMPLETED", "TIMEOUT")


class ReplaySetting(NamedTuple):
    """The workload, the recipe and the rate of a replay. `nodes`: those on which the daemon places
    jobs; none if it counts processors."""

    workload: Workload
    recipe: Recipe
    rate: float
    nodes: tuple[NodeUp, ...] = ()


class ReplayComparison(NamedTuple):
    """A replay and the simulation of the same jobs; `report` is of the replay. If the daemon went
    away for good, both are of the jobs that were known to be over (`partial`)."""

    report: dict[str, Any]
    reference: dict[str, Any]
    schedule: list[Scheduled]


def setting_of(client: Client, args: argparse.Namespace) -> ReplaySetting:
    """Return the setting of the daemon that --server names, with the workload that fits it.

    Raises:
        CommandUsageError: the options ask for something else.
        CommandError: it has no emulated nodes, one of them takes no jobs, or the trace cannot be
            read.
    """
    status = client.status()
    recipe, rate = recipe_named(status["recipe"]), status["clock"]["rate"]
    for name in args.recipe or ():
        _refuse_difference("--recipe", recipe_named(name).name, recipe.name)
    _refuse_difference("--rate", args.rate, rate)
    emulated = [node for node in client.nodes() if node["kind"] == "emulated"]
    if not emulated:
        raise CommandError(f"{args.server} has no emulated node; start it with --emulate")
    for node in emulated:
        if node["state"] not in _TAKES_JOBS:
            raise CommandError(
                f"node {node['name']} is {node['state']}: a replay needs all emulated nodes"
            )
    processors = sum(node["cores"] for node in emulated)
    _refuse_difference("--procs", args.procs, processors)
    placed_on = emulated if status["capacity"] == "nodes" else []
    nodes = tuple(NodeUp(node["name"], node["cores"], node["mem_mib"]) for node in placed_on)
    return ReplaySetting(load_workload(args, processors), recipe, rate, nodes)


def _refuse_difference(option: str, asked: object, actual: object) -> None:
    if asked is not None and asked != actual:
        raise CommandUsageError(f"{option} {asked}: the daemon that --server names has {actual}")


def compare(
    client: Client, setting: ReplaySetting, args: argparse.Namespace, label: str = ""
) -> ReplayComparison:
    """Replay and simulate the jobs, and compare the two. `label` names the progress bar.

    Raises:
        ClientError: as the client does.
        CommandUsageError: a job is longer than a daemon takes.
        CommandError: a job did not end as it should.
    """
    workload, recipe, rate = setting[:3]
    _refuse_too_long(workload)
    manifest = Manifest(args)
    trim = args.trim == "thesis"
    begun = time.perf_counter()
    with Progress(label or f"replaying {recipe.name}", 2 * len(workload.jobs)) as progress:
        live = _replay(client, workload, args, progress.update)
    timings = {} if live.broken else _timings(client.status())
    known = [at for at, job in enumerate(live.jobs) if job is not None]
    replayed = [job for job in live.jobs if job is not None]
    schedule = [_scheduled(job, workload.jobs[at]) for at, job in zip(known, replayed, strict=True)]
    elapsed_s = time.perf_counter() - begun
    report = run_report(workload, recipe, schedule, trim=trim, elapsed_s=elapsed_s)

    begun = time.perf_counter()
    with simulating(workload.trace):
        simulated = _simulated(setting, known)
    elapsed_s = time.perf_counter() - begun
    reference = run_report(workload, recipe, simulated, trim=trim, elapsed_s=elapsed_s)

    lags_us = [job.submit_us - job.due_us for job in replayed]
    report |= {
        "rate": rate,
        "exec": args.exec,
        "fidelity": fidelity(schedule, simulated, lags_us, workload.processors, rate),
        "daemon": timings,
        "restarts": live.restarts,
        "partial": bool(live.broken),
        "manifest": manifest.finished(recipe, rate=rate, exec=args.exec),
    }
    if live.broken:
        report |= {"partial_because": live.broken, "known": len(known)}
    return ReplayComparison(report, reference, schedule)


def _refuse_too_long(workload: Workload) -> None:
    """Refuse a workload with a job that is too long for a daemon's times in microseconds."""
    for job in workload.jobs:
        if max(job.run_s, job.estimate_s) > MOST_S:
            raise CommandUsageError(
                f"{workload.trace}: job {job.number} runs or asks for more than {MOST_S:,} s, "
                "which no daemon takes"
            )


def _timings(status: Mapping[str, Any]) -> dict[str, Any]:
    """Return the timings of the daemon's latest passes and commits."""
    return {key: status[key] for key in ("passes", "pass_ms", "commits", "commit_ms")}


def _simulated(setting: ReplaySetting, known: Sequence[int]) -> list[Scheduled]:
    """Return the simulated jobs at these positions of the workload."""
    workload = setting.workload
    closed = workload.following > 0
    jobs = simulate(
        workload.jobs,
        workload.processors,
        setting.recipe,
        closed_loop=closed,
        nodes=setting.nodes,
    ).jobs
    if closed:  # the jobs are in the order in which they came, and their numbers are unique
        by_number = {job.job_id: job for job in jobs}
        jobs = [by_number[job.number] for job in workload.jobs]
    return [jobs[at] for at in known]


def _replay(
    client: Client, workload: Workload, args: argparse.Namespace, progress: Callable[[int], None]
) -> Replay:
    follows = predecessors(workload.jobs) if workload.following else [-1] * len(workload.jobs)
    jobs = [
        ReplayJob(
            job.submit_s,
            job.run_s,
            job.size,
            job.estimate_s,
            f"user-{job.user}",
            before,
            job.think_s,
        )
        for job, before in zip(workload.jobs, follows, strict=True)
    ]
    live = replay(client, jobs, execute=args.exec, limited=args.kill_at_estimate, progress=progress)
    wrong = [job for job in live.jobs if job is not None and job.state not in _AS_IT_SHOULD]
    if wrong:
        raise CommandError(
            f"{len(wrong)} of {len(jobs)} jobs did not end as they should; the first is "
            f"job {wrong[0].job_id}: {wrong[0].state}"
        )
    return live


def _scheduled(job: Replayed, asked: TraceJob) -> Scheduled:
    """Return the record of a replayed job. Values that the daemon does not report are left unknown;
    whether the job failed comes from the trace."""
    return Scheduled(
        asked.number,
        job.submit_us,
        job.start_us,
        job.end_us,
        job.end_us - job.start_us,
        asked.size,
        job.backfilled,
        asked.user,
        asked.estimate_s * SECOND_US,
        asked.status == 0,
        corrections=job.corrections,
        attempts=job.attempts,
        lost_us=job.lost_us,
    )
