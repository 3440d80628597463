"""Nodes that are forgotten while others ask for their names, and Hellos that others replace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from rmsd_core.lifecycle.inputs import NodeDead, NodeGone, Resume
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.loop.mailbox import Register
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from tests.daemon.fold import events
from tests.daemon.rows import NODE
from tests.daemon.scheduling import NoLinks, scheduling
from tests.waiting import DEADLINE_S


class HeldStore(Store):
    """A store in which the commit that forgets a node begins, and goes on when a test says so."""

    fails = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def commit(self, changes: Changes) -> None:
        if changes.gone_nodes:
            self.begun.set()
            assert self.go_on.wait(DEADLINE_S)
            if self.fails:
                raise StoreError("the disk is full")
        super().commit(changes)


def hello(agent_id: str) -> Register:
    """Return the Hello of an agent with node `a`."""
    return Register(NoLinks(), [{**NODE, "agent_id": agent_id}], [], [])


@asynccontextmanager
async def scheduling_a_node(store: Store) -> AsyncIterator[Scheduler]:
    """Yield a scheduler on the store, to which the first agent says hello."""
    async with scheduling(store) as scheduler:
        scheduler.put(hello("first"))
        yield scheduler


async def forget(store: HeldStore) -> tuple[bool | None, list[str]]:
    """Forget node `a`, which is down. Whether it was, None: it is not stored; and whose it is while
    that is committed, and in the end, when another agent has asked for it at once."""
    async with scheduling_a_node(store) as scheduler:
        await scheduler.carry_out(NodeDead("a"), audit_entries=[])
        forgetting = asyncio.create_task(scheduler.carry_out(NodeGone("a"), audit_entries=[]))
        try:
            assert await asyncio.to_thread(store.begun.wait, DEADLINE_S)
            owners = [scheduler.node_rows["a"]["agent_id"]]
            if not store.fails:
                scheduler.put(hello("second"))
        finally:
            store.go_on.set()
        try:
            forgotten = await forgetting
        except DaemonError:
            forgotten = None
        await scheduler.carry_out(Resume("a"), audit_entries=[])  # after the other agent's turn
        return forgotten, [*owners, scheduler.node_rows["a"]["agent_id"]]


@pytest.mark.parametrize(
    ("fails", "told"), [(False, (True, ["first", "second"])), (True, (None, ["first", "first"]))]
)
async def test_a_nodes_name_is_free_once_that_is_stored(
    tmp_path: Path, fails: bool, told: tuple[bool | None, list[str]]
) -> None:
    """The caller that has forgotten the node is told so, though the name is in use again by
    then."""
    with closing(HeldStore(tmp_path / "rmsd.db")) as store:
        store.fails = fails
        assert await forget(store) == told


async def test_a_node_that_is_not_down_is_not_forgotten(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling_a_node(store) as scheduler:
            assert not await scheduler.carry_out(NodeGone("a"), audit_entries=[])


async def test_the_latest_hello_of_an_agent_counts_in_a_batch(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        async with scheduling_a_node(store) as scheduler:
            for number in range(1, 100):
                scheduler.put(hello(f"other-{number}"))
            await scheduler.carry_out(Resume("a"), audit_entries=[])
            assert [row["agent_id"] for row in scheduler.node_rows.values()] == ["other-99"]
    assert [event["kind"] for event in events(tmp_path / "rmsd.db")].count("node-up") == 1
