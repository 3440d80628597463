"""The variables that tell a job of its parts, as Slurm names those of a heterogeneous job."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_core.jobs.job import Job
from rmsd_daemon.domain.submission import Details
from rmsd_wire.hostlist import compress, short_counts
from rmsd_wire.slurm_names import het_variables

_CPUS_PER_TASK = "SLURM_CPUS_PER_TASK"
_SHARED = (
    *("SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_JOB_QOS", "SLURM_JOB_ACCOUNT"),
    *("SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE"),
)
"""The variables that all parts have alike: the job has one number, and its nodes are alike."""


def part_variables(job: Job, details: Details, env: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the parts of a job, and those that tell its script of the first part.
    `env` has the variables of the whole job.

    In Slurm each component has a number of its own, in SLURM_JOB_ID_HET_GROUP_0 and so on. Here
    that is the number of the job, since no other one belongs to it.
    """
    shared = {name: env[name] for name in _SHARED if name in env}
    components: list[dict[str, str]] = []
    at = 0
    for part in details.parts:
        pieces = job.allocation[at : at + part.nodes]
        at += part.nodes
        each, more = divmod(part.tasks, part.nodes)
        counts = [each + (i < more) for i in range(part.nodes)]
        components.append(
            {
                **shared,
                "SLURM_JOB_NAME": part.name,
                "SLURM_JOB_NODELIST": compress([piece.node for piece in pieces]),
                "SLURM_JOB_NUM_NODES": str(part.nodes),
                "SLURM_JOB_CPUS_PER_NODE": short_counts([piece.cores for piece in pieces]),
                "SLURM_NTASKS": str(part.tasks),
                "SLURM_NPROCS": str(part.tasks),
                "SLURM_TASKS_PER_NODE": short_counts(counts),
                **_cpus_per_task(part.cpus_per_task or details.cpus_asked * details.cpus_per_task),
            }
        )
    first = {name: text for name, text in components[0].items() if name != _CPUS_PER_TASK}
    of_script = {
        "SLURM_NODELIST": first["SLURM_JOB_NODELIST"],
        "SLURM_NNODES": first["SLURM_JOB_NUM_NODES"],
    }
    return {**first, **of_script, **het_variables(components)}


def _cpus_per_task(cpus: int) -> dict[str, str]:
    """Return the variable for the processors of each task; none if they were not asked for."""
    return {_CPUS_PER_TASK: str(cpus)} if cpus else {}
