"""After a restore: agents are asked page by page what has ended, and not for ever.

Long: daemons are stopped, restored and started again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec
import pytest

from rmsd_core.vocabulary import Cause
from rmsd_daemon.agents import ended as agents_ended
from rmsd_daemon.agents.ended import ended_attempts
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.domain.errors import NodeUnreachable
from rmsd_wire import link
from rmsd_wire.link_calls import ReadEnded, Reply
from tests.daemon.scripted_agent import ScriptedAgent, node, off_loop, scripted
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


async def restored_with_a_job(daemon: Daemon) -> int:
    """Start the daemon anew from a backup in which a job runs on node `late`; the job's id."""
    file = daemon.root / "backup.db"
    async with scripted(daemon) as agent:
        await agent.hello(node())
        job_id: int = await off_loop(daemon.submit, "true")
        await agent.hear(link.Launch)
        await off_loop(daemon.rmsd, "backup", file, expect=0)
    await off_loop(restore, daemon, file)
    return job_id


def restore(daemon: Daemon, file: Path) -> None:
    daemon.stop()
    daemon.rmsd("restore", file, expect=0)
    daemon.start(nodes=0)
    assert daemon.client.status()["awaited"] == ["late"]


def ended(job_id: int) -> link.EndedAttempt:
    return link.EndedAttempt(job_id, 1, "late", True, 1, 0, 1, Cause.EXIT, exit_code=3)


@pytest.mark.parametrize("of_before", [False, True])
async def test_what_has_ended_is_asked_for_until_it_is_all(
    start_daemon: Callable[..., Daemon], of_before: bool
) -> None:
    """An agent of the version before answers once, and says neither `offset` nor `eof`."""
    daemon = start_daemon("--no-local-node")

    async def answer(agent: ScriptedAgent, pages: list[list[link.EndedAttempt]]) -> None:
        told = 0
        for i, page in enumerate(pages):
            asked = await agent.hear(ReadEnded)
            assert asked.offset == told
            assert asked.limit > 0
            told += len(page)
            reply = Reply(asked.call, data=link.encoder.encode(page))
            if not of_before:
                reply.offset, reply.eof = told, i == len(pages) - 1
            await agent.say(reply)

    job_id = await restored_with_a_job(daemon)
    others = [ended(900 + i) for i in range(3)]
    pages = [[*others, ended(job_id)]] if of_before else [others[:2], others[2:], [ended(job_id)]]
    async with scripted(daemon) as agent:
        await agent.hello(node(), remembers=True)
        await answer(agent, pages)
        job = await off_loop(daemon.wait, job_id)
        assert (job["state"], job["exit_code"]) == ("FAILED", 3)


async def test_a_node_whose_agent_cannot_tell_is_given_up(
    start_daemon: Callable[..., Daemon],
) -> None:
    """This holds however often the agent dials: the others must not wait for ever."""
    daemon = start_daemon("--no-local-node", config='node_dead = "3s"\n')

    async def dial() -> None:
        async with scripted(daemon) as agent:
            await agent.hello(node(), remembers=True)
            asked = await agent.hear(ReadEnded)
            await agent.say(Reply(asked.call, data=b"\xc1"))
            while True:
                await agent.hear(link.Ack)  # until the daemon closes the link

    async def dial_for_ever() -> None:
        while True:
            try:
                await dial()
            except (ConnectionError, OSError):
                await asyncio.sleep(0.05)

    await restored_with_a_job(daemon)
    dialing = asyncio.create_task(dial_for_ever())
    try:
        await off_loop(wait_until, lambda: daemon.client.status()["awaited"] == [])
    finally:
        dialing.cancel()


async def answer_for_ever(daemon: Daemon, page: list[link.EndedAttempt]) -> int:
    """Have an agent say, page by page, that more has ended; how often it was asked."""
    async with scripted(daemon) as agent:
        await agent.hello(node(), remembers=True)
        asked = 0
        while True:
            try:
                question = await agent.hear(ReadEnded)
            except (ConnectionError, OSError):
                return asked
            asked += 1
            data = link.encoder.encode(page)
            await agent.say(Reply(question.call, data=data, offset=asked, eof=False))


async def test_a_page_without_attempts_ends_the_reading(
    start_daemon: Callable[..., Daemon],
) -> None:
    """An agent that announces more and tells nothing counts as one that cannot tell."""
    daemon = start_daemon("--no-local-node", config='node_dead = "3s"\n')
    await restored_with_a_job(daemon)
    assert await answer_for_ever(daemon, []) == 1
    await off_loop(wait_until, lambda: daemon.client.status()["awaited"] == [])


async def test_the_deadline_of_a_node_goes_on_while_its_agent_tells_without_end(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", config='node_dead = "3s"\n')
    await restored_with_a_job(daemon)
    telling = asyncio.create_task(answer_for_ever(daemon, [ended(900)]))
    try:
        await off_loop(wait_until, lambda: daemon.client.status()["awaited"] == [])
        assert not telling.done()
    finally:
        telling.cancel()


class _Telling:
    """A session of an agent that says, in pages of 100, that so many attempts have ended."""

    nodes = ("late",)

    def __init__(self, told: list[link.EndedAttempt]) -> None:
        self._told = told

    async def call(self, make: Callable[[int], ReadEnded], _: float) -> Reply:
        offset = make(1).offset
        page, end = self._told[offset : offset + 100], offset + 100
        data = link.encoder.encode(page)
        return Reply(1, data=data, offset=end, eof=end >= len(self._told))


async def test_what_has_ended_of_other_jobs_and_nodes_is_not_kept() -> None:
    """The journals of a thousand agents would take 7 GB until all of them are heard."""
    elsewhere = msgspec.structs.replace(ended(7), node="elsewhere")
    told = [*(ended(900 + i) for i in range(250)), ended(7), elsewhere]
    assert await ended_attempts(cast("Session", _Telling(told)), {7}.__contains__) == [ended(7)]


async def test_an_agent_tells_so_many_ends_of_the_backups_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agents_ended, "MOST_ENDED", 150)
    telling = cast("Session", _Telling([ended(7)] * 250))
    with pytest.raises(NodeUnreachable, match="more than 150 ends"):
        await ended_attempts(telling, {7}.__contains__)
