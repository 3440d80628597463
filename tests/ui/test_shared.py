"""Pages share values, which are made once for all of them, and the daemon's events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from rmsd_ui import shared as shared_module
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.following import EventRelay
from rmsd_ui.nodes import PAGE_NODES, nodes_page
from rmsd_ui.shared import Shared
from tests.live import Daemon
from tests.waiting import DEADLINE_S


class Maker:
    """Makes values, each when it is let to. `begun`: how many makings have begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.let = asyncio.Event()
        self.let.set()

    async def __call__(self) -> int:
        self.begun += 1
        number = self.begun
        await self.let.wait()
        return number


@pytest.fixture
def follower() -> EventRelay:
    made = EventRelay(DaemonSocket("/nowhere"))
    made.is_heard = True
    return made


async def test_a_value_is_made_again_after_a_change_alone(
    follower: EventRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_module, "PAUSE_S", 0.0)
    monkeypatch.setattr(shared_module, "PATIENCE_S", DEADLINE_S)
    shared, make = Shared(follower), Maker()
    assert [await shared.get("a", make) for _ in range(3)] == [(1, False)] * 3
    follower.note_act()
    assert await shared.get("a", make) == (2, False)
    assert await shared.get("b", make) == (3, False)
    follower.is_heard = False  # changes are not told
    assert await shared.get("a", make) == (4, False)


async def test_pages_that_come_together_have_one_value_made(
    follower: EventRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_module, "PATIENCE_S", DEADLINE_S)
    shared, make = Shared(follower), Maker()
    make.let.clear()
    pages = [asyncio.create_task(shared.get("a", make)) for _ in range(50)]
    await asyncio.sleep(0)
    make.let.set()
    assert await asyncio.gather(*pages) == [(1, False)] * 50
    assert make.begun == 1


async def test_what_is_slow_is_late_and_the_value_before_is_shown(
    follower: EventRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_module, "PAUSE_S", 0.0)
    monkeypatch.setattr(shared_module, "PATIENCE_S", 0.0)
    shared, make = Shared(follower), Maker()
    make.let.clear()
    assert await shared.get("a", make) is None
    make.let.set()
    assert await shared.whole("a", make) == 1
    make.let.clear()
    follower.note_act()
    assert await shared.get("a", make) == (1, True)
    make.let.set()
    assert await shared.whole("a", make) == 2
    assert await shared.get("a", make) == (2, False)


async def test_under_changes_without_end_a_value_is_made_now_and_then(
    follower: EventRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_module, "PAUSE_S", 3600.0)
    monkeypatch.setattr(shared_module, "PATIENCE_S", DEADLINE_S)
    shared, make = Shared(follower), Maker()
    assert await shared.get("a", make) == (1, False)
    follower.version += 1
    assert await shared.get("a", make) == (1, True)
    follower.note_act()  # the caller's own acts are seen at once
    assert await shared.get("a", make) == (2, False)


async def test_a_refusal_is_told_to_each_page_and_not_kept(follower: EventRelay) -> None:
    shared = Shared(follower)

    async def refuse() -> int:
        raise RefusedError(403, "no")

    for _ in range(2):
        with pytest.raises(RefusedError):
            await shared.get("a", refuse)
    assert await shared.whole("a", Maker()) == 1


async def test_values_are_bounded(follower: EventRelay) -> None:
    shared, make = Shared(follower), Maker()
    for key in range(200):
        await shared.whole(key, make)
    await shared.whole(199, make)
    assert make.begun == 200
    await shared.whole(0, make)
    assert make.begun == 201


class Source:
    """A daemon whose events are told here. `opened`: how many streams there were."""

    def __init__(self) -> None:
        self.opened = 0
        self.parts: asyncio.Queue[bytes] = asyncio.Queue()
        self.content = self

    async def stream(self, path: str, headers: dict[str, str]) -> Source:  # noqa: ARG002
        self.opened += 1
        return self

    async def iter_any(self) -> AsyncIterator[bytes]:
        while part := await self.parts.get():
            yield part

    def close(self) -> None:
        pass


async def test_one_stream_of_the_daemon_feeds_all_pages() -> None:
    source: Any = Source()
    follower = EventRelay(source)
    async with contextlib.AsyncExitStack() as stack:
        pages = [
            await stack.enter_async_context(contextlib.aclosing(follower.events()))
            for _ in range(3)
        ]
        first = [asyncio.create_task(anext(page)) for page in pages]
        source.parts.put_nowait(b"event: anew\ndata: {}\n\nevent: jo")
        assert {*await asyncio.gather(*first)} == {b"event: anew\ndata: {}\n\n"}
        before = follower.version
        source.parts.put_nowait(b"bs\ndata: 1\n\n:\n\n")
        for page in pages:
            assert await anext(page) == b"event: jobs\ndata: 1\n\n"
            assert await anext(page) == b":\n\n"
        assert follower.version == before + 1  # a comment is no change
        async with contextlib.aclosing(follower.events()) as late:
            assert await anext(late) == b"event: anew\ndata: {}\n\n"
        assert source.opened == 1
        source.parts.put_nowait(b"")  # the daemon leaves
        for page in pages:
            with pytest.raises(StopAsyncIteration):
                await anext(page)
        assert not follower.is_heard


def test_nodes_are_shown_a_hundred_at_a_time_by_filters() -> None:
    nodes = [
        {
            "name": f"n{number:03}",
            "state": "down" if number % 2 else "idle",
            "features": ["fast"] if number < 10 else [],
            "partitions": ["main"],
        }
        for number in range(250)
    ]
    part = nodes_page(nodes, "", "", 0)
    assert (len(part.nodes), part.total, part.before, part.after) == (PAGE_NODES, 250, None, 100)
    part = nodes_page(nodes, "", "", 10**8)
    assert (len(part.nodes), part.first, part.before, part.after) == (50, 200, 100, None)
    assert part.states == {"down": 125, "idle": 125}
    part = nodes_page(nodes, "down", "fast", 0)
    assert [node["name"] for node in part.nodes] == ["n001", "n003", "n005", "n007", "n009"]
    assert nodes_page(nodes, "gone", "", 5).nodes == []


@pytest.mark.live
def test_a_plan_tells_how_many_starts_it_leaves_out(daemon: Daemon) -> None:
    daemon.wait_for(daemon.submit("sleep 600", tasks=8, time_limit_s=1200.0), "RUNNING")
    jobs = [daemon.submit("true", tasks=8, time_limit_s=60.0) for _ in range(5)]
    whole = daemon.client.plan()
    assert [start["job_id"] for start in whole["starts"]] == jobs
    assert (whole["more"], whole["later"]) == (0, 0)
    third_us = whole["starts"][2]["start_us"]
    part = daemon.client.plan(until_us=third_us + 1, limit=2)
    assert [start["job_id"] for start in part["starts"]] == jobs[:2]
    assert (part["more"], part["later"]) == (1, 2)
