"""The list of the attempts that have ended at an agent, read page by page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.domain.errors import NodeUnreachable
from rmsd_daemon.front.problems import check_reply
from rmsd_wire import link
from rmsd_wire.frames import FRAME_BYTES
from rmsd_wire.link_calls import ReadEnded

_ENDED_WITHIN_S = 60.0
_MAX_ENDED_BYTES = 64 << 20
"""The most bytes in all that an agent may send about ended attempts."""
MOST_ENDED = 200_000
"""Attempts of the backup's jobs among these, ten times as many as a journal has. The daemon keeps
them in memory, in some 350 bytes each, until all agents are heard."""


async def ended_attempts(
    session: Session, is_live: Callable[[int], bool]
) -> list[link.EndedAttempt]:
    """Ask an agent page by page for the attempts that have ended; return those of live jobs on its
    nodes.

    The other attempts, nearly all, are dropped page by page: the journals of a thousand agents
    would take gigabytes.

    Raises:
        DaemonError: the agent does not answer, or says that it cannot. Or its list has no end: it
            is longer than possible, or a page announces more and has nothing.
        One of MALFORMED: the answer is no list of ended attempts.
    """
    ended: list[link.EndedAttempt] = []
    offset = size_bytes = 0
    while True:
        make = partial(ReadEnded, offset=offset, limit=FRAME_BYTES)
        reply = await session.call(make, _ENDED_WITHIN_S)
        check_reply(reply)
        page = link.ended_attempts.decode(reply.data)
        ended += (one for one in page if is_live(one.job_id) and one.node in session.nodes)
        size_bytes += len(reply.data)
        if reply.eof or reply.offset <= offset:  # an agent of the previous version sends one page
            return ended
        if not page:
            raise NodeUnreachable("the agent says that there is more, and does not tell it")
        if size_bytes > _MAX_ENDED_BYTES:
            raise NodeUnreachable(f"the agent says more than {_MAX_ENDED_BYTES} bytes")
        if len(ended) > MOST_ENDED:
            raise NodeUnreachable(f"the agent tells more than {MOST_ENDED} ends of these jobs")
        offset = reply.offset
