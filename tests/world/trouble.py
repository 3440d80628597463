"""Faults: one after the other, several at a time."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from rmsd_core.vocabulary import Fault
from tests.world.cluster import Cluster
from tests.world.invariants import Invariants
from tests.world.loop import THREAD_S, Process
from tests.world.people import People

_BETWEEN_FAULTS_S = 3.0
_WITH_A_BACKUP = 0.3


@dataclass(slots=True)
class Trouble:
    """The faults of a story; `faults` counts them by kind."""

    cluster: Cluster
    people: People
    invariants: Invariants
    folder: Path
    rng: random.Random
    faults: Counter[str] = field(default_factory=Counter)
    _backup_kept: bool = False

    async def go_on(self, for_s: float) -> None:
        """Inflict faults for this time, and return when the last one is over."""
        kinds: list[Callable[[], Awaitable[None]]] = [
            self._kill_somebody, self._kill_somebody, self._kill_the_daemon, self._break_a_link,
            self._stall_a_link, self._cut_off, self._slow_down, self._fail_commits,
            self._fill_the_disk, self._slow_the_disk, self._set_a_clock, self._drain,
            self._withdraw_nodes, self._shrink_nodes, self._stop_the_daemon, self._spoil_a_node,
        ]  # fmt: skip
        if self.rng.random() < _WITH_A_BACKUP:
            kinds.append(self._restore_a_backup)
        loop = asyncio.get_running_loop()
        ends_s = loop.time() + for_s
        begun: list[asyncio.Future[None]] = []
        while loop.time() < ends_s:
            await asyncio.sleep(self.rng.expovariate(1 / _BETWEEN_FAULTS_S))
            fault = self.rng.choice(kinds)
            self.faults[fault.__name__.strip("_").replace("_", "-")] += 1
            begun.append(asyncio.ensure_future(fault()))
        await asyncio.gather(*begun)

    def heal(self) -> None:
        """Undo the faults that last; `resume` resumes nodes."""
        self.cluster.network.slow = 1.0
        self.cluster.disk.heal()
        self.cluster.bad.clear()
        self.cluster.loop.thread_s = THREAD_S
        for process in self.cluster.processes.values():
            process.steps_to_live = None
        for number in range(len(self.cluster.machines)):
            self.cluster.host(number)

    async def resume(self) -> None:
        """Resume the nodes that are drained, or to which a job is not sent again, as far as the
        daemon answers. A drain may have come after the resume that was to undo it, or have come
        back with a backup."""
        scheduler = self.cluster.scheduler
        core = scheduler.core if scheduler is not None else None
        nodes = {} if core is None else core.nodes
        drained = {node.name for node in nodes.values() if node.drain_reason is not None}
        avoided = {name for job in core.jobs.values() for name in job.request.avoid} if core else ()
        for name in sorted(drained.union(avoided).intersection(nodes)):
            await self.people.say("POST", f"/v1/nodes/{name}", {"action": "resume"})

    # ------------------------------------------------------------ processes

    async def _kill_somebody(self) -> None:
        process = self.rng.choice(list(self.cluster.processes.values()))
        process.steps_to_live = self.rng.choice([0, self.rng.randint(1, 50), 400])

    async def _kill_the_daemon(self) -> None:
        self.cluster.processes["daemon"].steps_to_live = self.rng.randint(1, 100)

    async def _stop_the_daemon(self) -> None:
        await self.people.say("POST", "/v1/shutdown")

    async def _withdraw_nodes(self) -> None:
        """Let an agent come back with fewer nodes, and later with all of them."""
        number = self.rng.randrange(len(self.cluster.machines))
        self.cluster.host(number, self.rng.randint(0, self.cluster.machines[number].nodes - 1))
        await asyncio.sleep(self.rng.random() * 40)
        self.cluster.host(number)

    async def _shrink_nodes(self) -> None:
        """Let an agent come back with smaller nodes, or with nodes that can start no job, and later
        with nodes of their full size that can."""
        number = self.rng.randrange(len(self.cluster.machines))
        cores = self.rng.randint(1, self.cluster.machines[number].cores)
        unable = "its disk is full" if cores == self.cluster.machines[number].cores else ""
        self.cluster.host(number, cores=cores, unable=unable)
        await asyncio.sleep(self.rng.random() * 40)
        self.cluster.host(number)

    async def _spoil_a_node(self) -> None:
        """Let a node launch nothing for a while. An operator resumes it afterwards, too soon now
        and then."""
        node = self.rng.choice(self.cluster.node_names())
        self.cluster.bad[node] = self.rng.choice([Fault.NODE, Fault.NODE, Fault.UNKNOWN])
        await asyncio.sleep(self.rng.random() * 30)
        if self.rng.random() < 0.3:
            await self.people.say("POST", f"/v1/nodes/{node}", {"action": "resume"})
            await asyncio.sleep(self.rng.random() * 5)
        self.cluster.bad.pop(node, None)
        await self.people.say("POST", f"/v1/nodes/{node}", {"action": "resume"})

    # ------------------------------------------------------------ the network

    async def _break_a_link(self) -> None:
        self.cluster.network.break_one()

    async def _stall_a_link(self) -> None:
        """Stall a link; what was sent on it comes when there is another link already."""
        given_up_s = self.rng.random() * self.rng.choice([0.1, 1, 5])
        self.cluster.network.stall_one(given_up_s, given_up_s + self.rng.random() * 30)

    async def _cut_off(self) -> None:
        process = self.rng.choice(self._agents())
        self.cluster.network.cut_off(process)
        await asyncio.sleep(self.rng.choice([1, 15, 70]))
        self.cluster.network.heal(process)

    async def _slow_down(self) -> None:
        self.cluster.network.slow = self.rng.choice([50, 1000, 5000])
        await asyncio.sleep(self.rng.random() * 10)
        self.cluster.network.slow = 1.0

    # ------------------------------------------------------------ disk and clock

    async def _fail_commits(self) -> None:
        self.cluster.disk.failing = self.rng.choice([0.2, 1.0])
        await asyncio.sleep(self.rng.random() * 8)
        self.cluster.disk.failing = 0.0

    async def _fill_the_disk(self) -> None:
        self.cluster.disk.full = True
        await asyncio.sleep(self.rng.random() * 15)
        self.cluster.disk.full = False

    async def _slow_the_disk(self) -> None:
        self.cluster.loop.thread_s = self.rng.choice([0.1, 1, 5])
        await asyncio.sleep(self.rng.random() * 20)
        self.cluster.loop.thread_s = THREAD_S

    async def _restore_a_backup(self) -> None:
        """Take the daemon back to what it knew up to 30 s ago."""
        if self._backup_kept:
            return  # one such fault at a time
        self._backup_kept = True
        file = self.folder / "backup.db"
        if (held := self.cluster.back_up(file)) is not None:
            told = self.invariants.told_over()
            await asyncio.sleep(self.rng.random() * self.rng.choice([3, 30]))
            self.cluster.restore(file)
            self.invariants.restored(held, told)
        self._backup_kept = False

    async def _set_a_clock(self) -> None:
        process = self.rng.choice(list(self.cluster.processes.values()))
        process.clock_ahead_s += self.rng.choice([-3600, -1, 1, 3600])

    # ------------------------------------------------------------ administrators

    async def _drain(self) -> None:
        node = self.rng.choice(self.cluster.node_names())
        await self.people.say("POST", f"/v1/nodes/{node}", {"action": "drain", "reason": "a test"})
        await asyncio.sleep(self.rng.random() * 20)
        await self.people.say("POST", f"/v1/nodes/{node}", {"action": "resume"})

    def _agents(self) -> list[Process]:
        return [one for name, one in self.cluster.processes.items() if name != "daemon"]
