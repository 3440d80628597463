"""A scheduler on a store, without a daemon around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.prediction import runs_needed
from rmsd_core.recipes.presets import PRESETS
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.mailbox import Links, MakeLaunch
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.clock import make_clock
from rmsd_daemon.store.retention import EVERYTHING, KeptFor
from rmsd_daemon.store.store import Store
from rmsd_wire.link import Command


class NoLinks:
    """The links to no agent, also to those that have said hello."""

    agent_id = "a"
    closed = True

    def acknowledge(self, seq: int) -> None: ...

    def send(self, node: str, message: Command) -> None: ...

    def send_late(self, node: str, make: MakeLaunch) -> None: ...

    def reset(self) -> None: ...

    def next_end_us(self, now_us: int) -> int | None: ...

    def watch_nodes(self, names: Iterable[str]) -> None: ...


def queued(count: int) -> Core:
    """Return a core with so many jobs that wait for the only processor."""
    core = Core(PRESETS["easy"], "counted")
    jobs = [Job(at, "ann", 0, processors(1), at * SECOND_US) for at in range(1, count + 2)]
    core.handle(0, [NodeUp("n1", 1, 0, ()), *map(Submit, jobs)])
    return core


@asynccontextmanager
async def scheduling(
    store: Store,
    capacity: CapacityKind = "nodes",
    links: Links | None = None,
    kept: KeptFor = EVERYTHING,
) -> AsyncIterator[Scheduler]:
    """Run a scheduler on the store, with these links to agents; by default to none."""
    recipe, clock = PRESETS["easy"], make_clock(1.0, 0, False)
    snapshot = store.load(runs_needed(recipe))
    scheduler = Scheduler(store, snapshot, clock, recipe, capacity, kept=kept)
    running = asyncio.create_task(scheduler.run(links or NoLinks(), JobRules(1.0)))
    try:
        yield scheduler
    finally:
        scheduler.close()
        await running
