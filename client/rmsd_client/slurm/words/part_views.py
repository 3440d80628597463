"""The parts of jobs as rows: a job with parts is shown as Slurm shows the components of a
heterogeneous job, `12+0`, `12+1` and so on."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_wire.hostlist import compress, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.slurm.words.jobs import Wanted

    Job = dict[str, Any]

_BY_NODE = ("node_cpus", "node_mem_mib", "node_gres")
"""The lists of a job that have a value for each node, or none at all."""


def parts_apart(jobs: Iterable[Job]) -> list[Job]:
    """Return the jobs, each that has parts as these."""
    return [part for job in jobs for part in parts_of(job)]


def parts_of(job: Job) -> list[Job]:
    """Return the parts of a job as jobs with its number, which have their place among the parts as
    `part`; or the job, if it has no parts."""
    parts = job.get("parts")  # older daemons do not tell them
    if not parts:
        return [job]
    nodes = expand(job["nodelist"]) if job["nodelist"] else []
    found: list[Job] = []
    at = 0
    for number, part in enumerate(parts):
        own = slice(at, at + part["nodes"])
        at += part["nodes"]
        by_node = {name: job.get(name, [])[own] for name in _BY_NODE}
        cpus = sum(by_node["node_cpus"]) or job["cpus"] * part["nodes"] // (job["nodes"] or 1)
        found.append(
            {
                **job,
                **part,
                **by_node,
                "cpus_per_task": part.get("cpus_per_task") or job["cpus_per_task"],
                "part": number,
                "nodelist": compress(nodes[own]),
                "cpus": cpus,
                # The use of the job's processes is known of all parts together.
                "cpu_s": None,
                "max_rss_mib": None,
                "whole": job,
            }
        )
    return found


def without_nodes(job: Job, taken: Sequence[str]) -> Job:
    """Return the job with those of its nodes that are not taken."""
    nodes = expand(job["nodelist"])
    kept = [at for at, node in enumerate(nodes) if node not in taken]
    by_node = {name: [values[at] for at in kept] for name in _BY_NODE if (values := job.get(name))}
    names = compress([nodes[at] for at in kept])
    return {**job, **by_node, "nodelist": names, "nodes": len(kept)}


def named_parts(jobs: Iterable[Job], wanted: Sequence[Wanted]) -> list[Job]:
    """Return the jobs, each that has parts as these, or as those of them that are wanted."""
    found = parts_apart(jobs)
    if all(one.part is None for one in wanted):
        return found
    return [job for job in found if any(one.is_job(job) for one in wanted)]


def check_whole(program: str, wanted: Iterable[Wanted]) -> None:
    """Raise SlurmError if a job that is to be changed or ended is named by one of its
    components."""
    for one in wanted:
        if one.part is not None:
            raise SlurmError(
                f"{program}: error: {one.name}+{one.part} is a component: those of a job are "
                f"changed and ended together; name the job, {one.name}"
            )


def het_fields(job: Job) -> tuple[str, str, str]:
    """Return the number of a heterogeneous job, the place of its component, and the numbers of all
    components: all have one. N/A if the job is none."""
    if "part" not in job:
        return "N/A", "N/A", "N/A"
    number = str(job["job_id"])
    return number, str(job["part"]), number
