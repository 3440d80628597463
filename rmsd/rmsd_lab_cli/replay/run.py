"""One replay: the jobs of a workload through a daemon, held against their simulation."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.progress import Progress
from rmsd_client.api import Client
from rmsd_client.replays.paced_replay import replay_paced
from rmsd_client.replays.replay import Replay, Replayed, ReplayJob, replay
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import Recipe
from rmsd_daemon.domain.conditions import MOST_S
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import predecessors
from rmsd_lab_cli.history.schedule import history_of
from rmsd_lab_cli.history.source import orders_of
from rmsd_lab_cli.manifest import Manifest
from rmsd_lab_cli.recipe_option import recipe_named
from rmsd_lab_cli.replay.fidelity import differing, fidelity
from rmsd_lab_cli.report import run_report
from rmsd_lab_cli.workload import Workload, load_workload, simulating
from rmsd_wire.link_values import PACED

_TAKES_JOBS = ("idle", "mixed", "allocated")
_AS_IT_SHOULD = ("COMPLETED", "TIMEOUT")


class ReplaySetting(NamedTuple):
    """The workload, the recipe and the rate of a replay, `PACED` for a paced one. `nodes`: those on
    which the daemon places jobs; none if it counts processors."""

    workload: Workload
    recipe: Recipe
    rate: float
    nodes: tuple[NodeUp, ...] = ()


class ReplayComparison(NamedTuple):
    """A replay and the simulation of the same jobs; `report` is of the replay. If the daemon went
    away for good, both are of the jobs that were known to be over (`partial`). `orders`: as in a
    `Schedule`."""

    report: dict[str, Any]
    reference: dict[str, Any]
    schedule: list[Scheduled]
    orders: list[tuple[int, str]]


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
    if args.paced != (rate == PACED):
        raise CommandUsageError(
            f"--paced: the clock of {args.server} is not paced; start it with --rate paced"
            if args.paced
            else f"the clock of {args.server} is paced: give --paced"
        )
    if not args.paced:
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
    orders: list[tuple[int, str]] = []
    known = [at for at, job in enumerate(live.jobs) if job is not None]
    replayed = [job for job in live.jobs if job is not None]
    schedule = [_scheduled(job, workload.jobs[at]) for at, job in zip(known, replayed, strict=True)]
    if args.metrics and not live.broken:
        schedule, orders = _with_decisions(client, recipe, schedule, replayed)
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
        **({"paced": _paced(schedule, simulated, replayed)} if rate == PACED else {}),
        "daemon": timings,
        "restarts": live.restarts,
        "partial": bool(live.broken),
        "manifest": manifest.finished(recipe, rate=rate, exec=args.exec),
    }
    if live.broken:
        report |= {"partial_because": live.broken, "known": len(known)}
    return ReplayComparison(report, reference, schedule, orders)


def _paced(
    schedule: Sequence[Scheduled], simulated: Sequence[Scheduled], replayed: Sequence[Replayed]
) -> dict[str, Any]:
    """Return the `paced` object of a report. Jobs that differ may do so because the daemon has
    learnt from earlier ones, so their number is told: the daemon numbers jobs from 1."""
    found = differing(schedule, simulated)
    earlier = min((job.job_id for job in replayed), default=1) - 1
    return found | ({"earlier_jobs": earlier} if found["differ"] and earlier else {})


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
    limited: bool = args.kill_at_estimate
    if args.paced:
        live = replay_paced(client, jobs, limited=limited, progress=progress)
    else:
        live = replay(client, jobs, execute=args.exec, limited=limited, progress=progress)
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


def _with_decisions(
    client: Client, recipe: Recipe, schedule: list[Scheduled], replayed: Sequence[Replayed]
) -> tuple[list[Scheduled], list[tuple[int, str]]]:
    """Return the schedule with what metrics take from the daemon's decisions, and the orders that
    the queue was in."""
    numbers = {job.job_id: one.job_id for one, job in zip(schedule, replayed, strict=True)}
    views: dict[int, Mapping[str, Any]] = {}
    for page in client.job_pages(states="all", decisions=True):
        views |= {view["job_id"]: view for view in page if view["job_id"] in numbers}
        if len(views) == len(numbers):
            break
    history = history_of(views.values(), propagated=recipe.history.propagate)
    told = {job.job_id: job for job in history.jobs}
    since_us = told[replayed[0].job_id].submit_us - replayed[0].submit_us
    orders = orders_of(client, history.jobs) if recipe.order == "dynp" else []
    decided = [
        _decided(one, told[job.job_id], numbers, since_us)
        for one, job in zip(schedule, replayed, strict=True)
    ]
    return decided, [(at_us - since_us, order) for at_us, order in orders]


def _decided(
    job: Scheduled, told: Scheduled, numbers: Mapping[int, int], since_us: int
) -> Scheduled:
    """Return a replayed job with what the daemon tells of its decisions. The job's time line begins
    at `since_us` of the daemon's."""
    is_reserved = told.reserved_at_us >= 0
    return job._replace(
        predictions=tuple([(at_us - since_us, length_us) for at_us, length_us in told.predictions]),
        behind=numbers.get(told.behind, -1),
        rank=told.rank,
        reserved_at_us=told.reserved_at_us - since_us if is_reserved else -1,
        reserved_rank=told.reserved_rank,
        reserved_us=told.reserved_us - since_us if is_reserved else -1,
    )
