"""The details of `scontrol -d show job`: exit codes of steps, and what a job has on each node."""

from __future__ import annotations

import itertools

from rmsd_client.errors import ClientError
from rmsd_client.nodes import device_text
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.job_steps import JobSteps
from rmsd_wire.device_numbers import read_devices
from rmsd_wire.hostlist import compress, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Job = dict[str, Any]

_NOT_KNOWN = "N/A"
MOST_ASKED = 20
"""The most jobs whose nodes are asked: an array may have thousands of tasks that run."""


class JobDetails:
    """The details of `jobs`. With `asks_nodes` the nodes of a few are asked which processors the
    jobs that run are bound to: each answer takes a look at all processes of a node."""

    def __init__(self, client: Client, jobs: Sequence[Job], *, asks_nodes: bool) -> None:
        self._steps = JobSteps(client, jobs)
        running = [job["job_id"] for job in jobs if job["state"] == "RUNNING"]
        asked = running if asks_nodes and len(running) <= MOST_ASKED else ()
        self._bound = {job_id: _bound(client, job_id) for job_id in asked}

    def exit_pair(self, job: Job) -> str:
        """Return the highest exit code of the steps of a job, with its signal."""
        return ":".join(map(str, self._steps.derived_exit(job)))

    def lines(self, job: Job) -> list[str]:
        """Return the lines about the devices of a job, and about its nodes; nodes that are alike
        have one line. A job without nodes has no lines."""
        if not job["nodelist"]:
            return []
        bound = self._bound.get(job["job_id"], {})
        kinds: dict[str, int] = {}
        for text in job.get("node_gres", ()):  # older daemons do not tell them
            for kind, held in read_devices(text):
                kinds[kind] = kinds.get(kind, 0) + len(held)
        gres = ",".join(f"{kind}:{count}" for kind, count in kinds.items())
        lines = [f"JOB_GRES={gres or '(null)'}"]
        for what, nodes in itertools.groupby(_nodes(job, bound), key=lambda node: node[1]):
            lines.append(f"  Nodes={compress([name for name, _ in nodes])} {what}")
        return lines


def _bound(client: Client, number: int) -> dict[str, str]:
    """Return the processors that a job is bound to, by node; nothing if nobody knows."""
    try:
        return {one["node"]: one.get("processors", "") for one in client.use(number)["nodes"]}
    except ClientError:  # the job has just ended, or is emulated
        return {}


def _nodes(job: Job, bound: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the nodes of a job, and what it has there."""
    names = expand(job["nodelist"])
    memory = of.node_memory_mib(job)
    held = job.get("node_gres") or [""] * len(names)
    return [
        (
            name,
            f"CPU_IDs={bound.get(name) or _NOT_KNOWN} Mem={mem_mib} GRES={device_text.held(gres)}",
        )
        for name, mem_mib, gres in zip(names, memory, held, strict=False)
    ]
