"""One story: trouble by a seed while people submit, or a script; and then everything heals."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from rmsd_core.lifecycle import late, sorting
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.setup.config import Config
from tests.world.accounts import limited, nodes_shared
from tests.world.accounts import named as named_account
from tests.world.cluster import Cluster, Machine, make_config
from tests.world.hostile import HostileUser
from tests.world.invariants import Invariants
from tests.world.ledger import Violation
from tests.world.liar import Liar
from tests.world.loop import VirtualLoop
from tests.world.partitions import administer, divided, named
from tests.world.people import People
from tests.world.reboots import Rebooters
from tests.world.reservations import Operators
from tests.world.scripted import MACHINES, SCRIPTS, SETTINGS
from tests.world.strangers import LIAR, Strangers
from tests.world.trouble import Trouble

_TROUBLE_S = 60.0
_IN_THE_END_S = 10_000.0
_PEOPLE = 3
_MOST_SORTED = sorting.MOST_SORTED
"""The bound of the product; stories set another one."""
_WITH_RETENTION = 0.3


class Scenario:
    """The cluster of a story, and all who act in it.

    Each part of chance has a source of its own. script: the name of what happens instead of
    trouble, on a cluster that is always the same.
    """

    def __init__(self, seed: int, folder: Path, script: str | None = None) -> None:
        self.folder = folder
        self._script = script
        self._rng = rng = random.Random(seed)
        self.loop = VirtualLoop(random.Random(seed + 1))
        if script is None:
            config = make_config(folder / "state", rng)
            count = rng.randint(1, 3)
            machines = [Machine(rng.randint(1, 3), rng.randint(1, 4)) for _ in range(count)]
        else:
            config = Config(folder / "state", local_node=False, recipe="easy", node_dead_s=60.0)
            config = replace(config, **SETTINGS.get(script, {}))
            machines = [Machine(1, 2)] * MACHINES.get(script, 1)
        chance = random.Random(f"strangers of {seed}")  # the others' story stays what it is
        strangers = Strangers.drawn(chance) if script is None else Strangers(False, False)
        config = strangers.let_in(config)
        if script is None:
            config = _with_retention(config, random.Random(f"retention of {seed}"))
            config = divided(config, machines, random.Random(f"partitions of {seed}"))
            config = limited(config, machines, random.Random(f"limits of {seed}"))
        self.cluster = Cluster(self.loop, random.Random(seed + 2), config, machines)
        self.liar = Liar(self.cluster, random.Random(chance.random())) if strangers.liar else None
        claimed = self.liar.claimed if self.liar else ()
        self.invariants = Invariants(self.cluster, config.database_path, claimed)
        hostile = HostileUser(self.cluster, self.invariants, random.Random(chance.random()))
        self.hostile = hostile if strangers.user else None
        if self.liar:
            self.cluster.strangers[LIAR] = self.liar.main
        by_chance = random.Random(f"partitions named in {seed}")
        in_parts = random.Random(f"parts of late jobs of {seed}")
        late.MOST_SETTLED, late.MOST_SET_ASIDE = (  # type: ignore[attr-defined]
            in_parts.choice([(1, 1), (1000, 1000)])
        )
        in_parts = random.Random(f"parts of sorted jobs of {seed}")
        sorting.MOST_SORTED = in_parts.choice([1, *[_MOST_SORTED] * 7])
        accounts = random.Random(f"accounts named in {seed}")
        repeats = random.Random(f"repeats of reservations of {seed}")
        self.operators = Operators(self.cluster, random.Random(f"reservations of {seed}"), repeats)
        self.rebooters = Rebooters(self.cluster, random.Random(f"reboots of {seed}"))
        reserving = random.Random(f"reservations named in {seed}")
        sharing = random.Random(f"nodes shared in {seed}")
        self.people = People(
            self.cluster,
            self.invariants,
            rng,
            lambda: named(config, by_chance),
            random.Random(f"deadlines of {seed}"),
            lambda: named_account(config, accounts) | nodes_shared(config, sharing),
            lambda: self.operators.of_a_job(reserving),
        )
        self._administer = partial(
            administer, self.cluster, config, rng=random.Random(f"states of partitions of {seed}")
        )
        self.trouble = Trouble(self.cluster, self.people, self.invariants, folder, rng)
        self.loop.after_step = self.invariants.after_step

    @property
    def scheduler(self) -> Scheduler | None:
        """Return the scheduler of the daemon that runs now."""
        return self.cluster.scheduler

    def run(self) -> None:
        """Run the story; raise Violation with what does not hold."""
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._story())

    async def _story(self) -> None:
        self.cluster.start()
        if self._script is None:
            people = [asyncio.ensure_future(self.people.live(_PEOPLE, _TROUBLE_S))]
            if self.hostile is not None:
                people.append(asyncio.ensure_future(self.hostile.live(_TROUBLE_S)))
            administrator = asyncio.ensure_future(self._administer(_TROUBLE_S))
            operators = asyncio.ensure_future(self.operators.act(self.people, _TROUBLE_S))
            rebooters = asyncio.ensure_future(self.rebooters.act(self.people.say, _TROUBLE_S))
            await self.trouble.go_on(_TROUBLE_S)
            self.trouble.heal()
            await administrator
            await operators
            await rebooters
            await self._until_they_leave(people)
        else:
            await SCRIPTS[self._script](self)
        if self.hostile is not None:
            await self.hostile.leave()  # not before: a restore may forget that
        if self.liar is not None:
            await self._until_the_honest_are_done()
            await self._leave_the_liar()
        await self._until_all_is_over()
        self.invariants.at_rest(complete=not self.people.gave_up)

    async def _until_they_leave(self, people: Sequence[asyncio.Future[None]]) -> None:
        """Users leave once their jobs are over. A node may still be drained: then no job starts."""
        deadline_s = self.loop.time() + _IN_THE_END_S
        while not all(one.done() for one in people):
            if self.loop.time() > deadline_s:
                raise Violation("some users wait for ever")
            await self.trouble.resume()
            await self.people.release_all()
            await self.operators.leave(self.people)
            await asyncio.sleep(5)
        for one in people:
            await one

    async def _until_the_honest_are_done(self) -> None:
        """Wait until the jobs on honest nodes alone have ended, though the liar lies on."""
        deadline_s = self.loop.time() + _IN_THE_END_S
        while self.scheduler is None or any(
            job.allocation and not self.invariants.is_with_the_liar(job)
            for job in self.scheduler.core.jobs.values()
        ):
            if self.loop.time() > deadline_s:
                raise Violation("some jobs on honest nodes never end")
            await self.people.release_all()
            await self.operators.leave(self.people)
            await asyncio.sleep(5)

    async def _leave_the_liar(self) -> None:
        """Some of those whose jobs the liar has got cancel them. Then it is not heard of any more,
        for longer than `node_dead`: these jobs are confirmed, and the others are requeued."""
        scheduler = self.scheduler
        for job in list(scheduler.core.jobs.values()) if scheduler else ():
            if self.invariants.is_with_the_liar(job) and self._rng.random() < 0.5:
                await self.people.say("DELETE", f"/v1/jobs/{job.id}")
        self.cluster.dismiss(LIAR)

    async def _until_all_is_over(self) -> None:
        deadline_s = self.loop.time() + _IN_THE_END_S
        while not self.invariants.all_over():
            if self.loop.time() > deadline_s:
                raise Violation("some jobs never end")
            await self.trouble.resume()  # a drain may not have been undone
            await self.people.release_all()
            await self.operators.leave(self.people)
            if self.liar is not None:
                self.cluster.restart_refused()
            await asyncio.sleep(20)
        await asyncio.sleep(20)  # until what was reported is stored


def _with_retention(config: Config, rng: random.Random) -> Config:
    """Let some stories keep events and jobs for a short time."""
    if rng.random() >= _WITH_RETENTION:
        return config
    events_s, history_s = rng.choice([10, 40]), rng.choice([None, 10, 30])
    return replace(
        config,
        keep_events_s=events_s * config.rate,
        keep_history_s=history_s and history_s * config.rate,
    )
