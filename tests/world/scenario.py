"""One seed's story: trouble while people submit, and then everything heals."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from tests.world.cluster import Cluster, Machine, make_config
from tests.world.invariants import Invariants, Violation
from tests.world.loop import VirtualLoop
from tests.world.people import People
from tests.world.trouble import Trouble

_TROUBLE_S = 60.0
_IN_THE_END_S = 10_000.0
_PEOPLE = 3


class Scenario:
    """Of everything that is by chance, each part has a source of its own."""

    def __init__(self, seed: int, root: Path) -> None:
        self._rng = rng = random.Random(seed)
        self.loop = VirtualLoop(random.Random(seed + 1))
        config = make_config(root / "state", rng)
        machines = [Machine(rng.randint(1, 3), rng.randint(1, 4)) for _ in range(rng.randint(1, 3))]
        self.cluster = Cluster(self.loop, random.Random(seed + 2), config, machines)
        self.invariants = Invariants(self.cluster, config.database_path)
        self.people = People(self.cluster, self.invariants, rng)
        self.trouble = Trouble(self.cluster, self.people, self.invariants, root, rng)
        self.loop.after_step = self.invariants.after_step

    def run(self) -> None:
        """Raises Violation, with what does not hold."""
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._story())

    async def _story(self) -> None:
        self.cluster.start()
        people = asyncio.ensure_future(self.people.live(_PEOPLE, _TROUBLE_S))
        await self.trouble.go_on(_TROUBLE_S)
        self.trouble.heal()
        await people
        await self._until_all_is_over()
        self.invariants.at_rest(complete=not self.people.gave_up)

    async def _until_all_is_over(self) -> None:
        deadline_s = self.loop.time() + _IN_THE_END_S
        while not self.invariants.all_over():
            if self.loop.time() > deadline_s:
                raise Violation("some jobs never end")
            await self.trouble.resume()  # a drain may not have been undone
            await asyncio.sleep(20)
        await asyncio.sleep(20)  # until what was reported is stored
