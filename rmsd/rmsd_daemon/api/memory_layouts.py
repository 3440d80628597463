"""The numbers of nodes for jobs that ask for memory by processor and say no number of nodes.

Memory is taken once from every node of a job. Tasks with memory by processor that fit on no node
together are laid out on as few nodes as hold equal shares of them, so that each gives what its own
tasks need. Slurm does likewise, and may also use more nodes with fewer tasks on some of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from rmsd_core.jobs.request import Request
from rmsd_core.lifecycle.core import Core
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.submission import NewJob
from rmsd_daemon.domain.turns import Turn
from rmsd_wire.api.submission import SubmitSpec


class MemoryLayouts:
    """The layouts of the jobs of one request: alike jobs are laid out once."""

    def __init__(self, core: Core, turn: Turn) -> None:
        self._core = core
        self._turn = turn
        self._known: dict[Request, int | None] = {}

    async def laid_out(
        self, spec: SubmitSpec, plain: NewJob, make: Callable[[SubmitSpec], NewJob]
    ) -> NewJob:
        """Return the job of a submit, on a number of nodes if that is needed. `plain` is the job as
        it is asked for, and `make` makes one."""
        tasks = plain.details.tasks
        if not spec.mem_per_cpu_mib or spec.nodes is not None or spec.nodelist or tasks == 1:
            return plain
        asked = plain.job.request
        if asked not in self._known:
            async with self._turn:
                began_s = time.monotonic()
                self._known[asked] = self._nodes_for(spec, plain, make)
                self._turn.worked(time.monotonic() - began_s)
        nodes = self._known[asked]
        return plain if nodes is None else make(msgspec.structs.replace(spec, nodes=nodes))

    def _nodes_for(
        self, spec: SubmitSpec, plain: NewJob, make: Callable[[SubmitSpec], NewJob]
    ) -> int | None:
        """Return on how many nodes the tasks fit; None: on any one, or on no number of nodes."""
        counts = self._counts(plain.details.tasks, plain.details.cpus_per_task, spec)
        if 1 in counts and self._core.never_fits(plain.job.request) is None:
            return None
        for nodes in sorted(counts - {1}):
            try:
                job = make(msgspec.structs.replace(spec, nodes=nodes)).job
            except DaemonError:  # a partition has fewer nodes for a job
                return None
            if self._core.never_fits(job.request) is None:
                return nodes
        return None

    def _counts(self, tasks: int, cpus: int, spec: SubmitSpec) -> set[int]:
        """Return the least numbers of nodes for the tasks, for each size of nodes that there is."""
        sizes = {(node.cores, node.mem_mib) for node in self._core.nodes.values()}
        each_mib = spec.mem_per_cpu_mib * cpus
        most = {min(cores // cpus, mem_mib // each_mib) for cores, mem_mib in sizes}
        return {-(-tasks // held) for held in most if held}
