"""The question to the agents of a running job: what it uses now."""

from __future__ import annotations

import asyncio

import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Piece
from rmsd_core.vocabulary import RUNNING_STATES
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.domain.errors import Conflict, DaemonError
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.front.problems import check_reply
from rmsd_wire.api.steps import JobUseReply, NodeUse
from rmsd_wire.link_calls import PresentUse, ReadUse

_CALL_S = 10.0


async def job_use(links: AgentLinks, job: Job, details: Details) -> JobUseReply:
    """Return what a job uses now on each of its nodes.

    Raises:
        Conflict: the job does not run, or is emulated.
    """
    if job.state not in RUNNING_STATES:
        raise Conflict(
            f"job {job.id} is {job.state.value}: it uses nothing now "
            "('rstat --efficiency' shows what it has used)"
        )
    if details.emulate is not None:
        raise Conflict(f"job {job.id} is emulated: it has no processes")
    asked = [_on_node(links, job.id, job.attempt, piece) for piece in job.allocation]
    return JobUseReply(job.id, job.attempt, await asyncio.gather(*asked))


async def _on_node(links: AgentLinks, job_id: int, attempt: int, piece: Piece) -> NodeUse:
    node = piece.node
    try:
        reply = await links.session_of(node).call(
            lambda call: ReadUse(call, job_id, attempt, node), _CALL_S
        )
        check_reply(reply)
        use = msgspec.msgpack.decode(reply.data, type=PresentUse)
    except (DaemonError, msgspec.MsgspecError) as error:
        return NodeUse(node, piece.cores, problem=str(error))
    return NodeUse(
        node, piece.cores, use.cpu_s, use.mem_mib, use.max_rss_mib, use.processes, use.threads
    )
