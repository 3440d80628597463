"""A core with a few small nodes, and jobs for it."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, Effects
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause


def cluster(recipe: str = "easy", nodes: int = 2, cores: int = 4) -> Core:
    core = Core(parse_recipe(recipe), "nodes")
    core.handle(0, [NodeUp(f"n{at}", cores, 1000, ("real",)) for at in range(1, nodes + 1)])
    return core


def handle_all(core: Core, now_us: int, inputs: Sequence[Input]) -> None:
    """Apply the inputs, and have all jobs start that may: a call starts no more than some."""
    while core.handle(now_us, inputs).wake_us == now_us:
        inputs = ()


def job(
    job_id: int,
    units: int = 1,
    cores: int = 1,
    *,
    spread: bool = False,
    mem_mib: int = 0,
    estimate_s: int = 60,
    feature: str | None = None,
    user: str = "ann",
) -> Job:
    request = Request((Component(units, cores, mem_mib, spread, feature),))
    return Job(job_id, user, 0, request, estimate_s * SECOND_US)


def exited(job: Job, node: str, at_s: int, cause: Cause = Cause.EXIT, code: int = 0) -> Exited:
    return Exited(job.id, job.attempt, node, at_s * SECOND_US, Outcome(cause, code))


def kinds(effects: Effects) -> list[type[Decision]]:
    return [type(decision) for decision in effects.decisions]
