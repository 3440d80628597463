"""The question to the agents of a running job: what it uses now."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Piece
from rmsd_core.vocabulary import RUNNING_STATES
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.domain.errors import Conflict, DaemonError
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.front.problems import check_reply
from rmsd_wire.api.steps import GpuUseView, JobUseReply, NodeUse
from rmsd_wire.link_calls import MOST_GPUS, PresentUse, ReadUse

AT_ONCE = 64
"""The nodes that are asked at a time for one caller, who has one question at a time: a job may have
thousands of nodes, and each call is kept until it is answered."""
_CALL_S = 10.0
_ALL_S = 20.0
"""The longest time for all nodes of a job."""
_MOST_BYTES = 4096
"""The most bytes of an agent's answer that are read; an honest one has less than two thousand."""


async def job_use(links: AgentLinks, job: Job, details: Details, turn: Turn) -> JobUseReply:
    """Return what a job uses now on each of its nodes. `turn`: that of the caller.

    Raises:
        Conflict: the job does not run, or is emulated.
    """
    if job.state not in RUNNING_STATES:
        raise Conflict(
            f"job {job.label} is {job.state.value}: it uses nothing now "
            "('rstat --efficiency' shows what it has used)"
        )
    if details.emulate is not None:
        raise Conflict(f"job {job.label} is emulated: it has no processes")
    attempt, pieces = job.attempt, job.allocation
    uses: list[NodeUse | None] = [None] * len(pieces)
    async with turn.large:
        until_s = asyncio.get_running_loop().time() + _ALL_S
        left = iter(enumerate(pieces))

        async def ask_in_turn(pieces: Iterator[tuple[int, Piece]]) -> None:
            for at, piece in pieces:
                left_s = until_s - asyncio.get_running_loop().time()
                uses[at] = await _on_node(links, job.id, attempt, piece, min(_CALL_S, left_s))

        await asyncio.gather(*(ask_in_turn(left) for _ in range(min(AT_ONCE, len(pieces)))))
    return JobUseReply(job.id, attempt, [use for use in uses if use is not None])


async def _on_node(
    links: AgentLinks, job_id: int, attempt: int, piece: Piece, within_s: float
) -> NodeUse:
    node = piece.node
    if within_s <= 0:
        return NodeUse(node, piece.cores, problem="not asked: other nodes took too long to answer")
    try:
        reply = await links.session_of(node).call(
            lambda call: ReadUse(call, job_id, attempt, node), within_s
        )
        check_reply(reply)
        use = msgspec.msgpack.decode(reply.data[:_MOST_BYTES], type=PresentUse)
    except (DaemonError, msgspec.MsgspecError) as error:
        return NodeUse(node, piece.cores, problem=str(error))
    gpus = [
        GpuUseView(one.number, one.busy_percent, one.mem_used_mib, one.mem_mib)
        for one in use.gpus[:MOST_GPUS]
    ]
    held = use.mem_mib, use.max_rss_mib, use.processes, use.threads
    return NodeUse(node, piece.cores, use.cpu_s, *held, gpus=gpus, processors=use.processors)
