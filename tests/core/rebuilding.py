"""A core that is rebuilt from what the daemon stores of another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from rmsd_core.jobs.accounts import NO_POLICIES, Policies
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.recipes.prediction import runs_needed
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import changing_columns, given_columns, job_of
from tests.core.world import World


def rebuilt(
    world: World, partitions: Sequence[Partition] = (), policies: Policies = NO_POLICIES
) -> Core:
    """Return what a restart makes of the rows of the world's core."""
    core = world.cores[0]
    again = Core(core.recipe, world.cluster.capacity, partitions=partitions, policies=policies)
    rows = json.dumps(
        [given_columns(job, _details(job)) | changing_columns(job) for job in core.jobs.values()]
    )
    again.restore(
        [replace(node, link="up") for node in core.nodes.values()],
        [job_of(row)[0] for row in json.loads(rows)],
        world.history if runs_needed(core.recipe).latest != 0 else [],
        PlannerMemory(**asdict(core.memory())),
    )
    again.pass_over_seqs(core.next_seq)
    return again


def _details(job: Job) -> Details:
    return Details(job.name, account=job.account, qos=job.qos, nice=job.nice, licenses=job.licenses)
