"""People who submit, and what goes wrong meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

from tests.world.cluster import Cluster, make_config
from tests.world.invariants import Invariants, Violation
from tests.world.loop import VirtualLoop

_TROUBLE_S = 200.0
_BETWEEN_FAULTS_S = 4.0
_IN_THE_END_S = 10_000.0
_REQUEST_S = 30.0
_GIVE_UP = 40


class Scenario:
    """One seed's story."""

    def __init__(self, seed: int, root: Path) -> None:
        self._rng = rng = random.Random(seed)
        self.loop = VirtualLoop(random.Random(seed + 1))
        self.config = make_config(root / "state", rng)
        machines = [(rng.randint(1, 3), rng.randint(1, 4)) for _ in range(rng.randint(1, 3))]
        self.cluster = Cluster(self.loop, random.Random(seed + 2), self.config, machines)
        self.invariants = Invariants(self.cluster, self.config.database_path)
        self.loop.after_step = self.invariants.after_step
        self._given_up = False

    def run(self) -> None:
        """Raises Violation, with what does not hold."""
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._story())

    async def _story(self) -> None:
        self.cluster.start()
        connector = aiohttp.UnixConnector(str(self.config.socket_path), force_close=True)
        timeout = aiohttp.ClientTimeout(total=_REQUEST_S)
        async with aiohttp.ClientSession(
            "http://rmsd", connector=connector, timeout=timeout
        ) as self._http:
            people = [asyncio.ensure_future(self._person(i)) for i in range(3)]
            trouble = asyncio.ensure_future(self._trouble())
            await trouble
            self._heal()
            await asyncio.gather(*people)
            await self._until_all_is_over()
            self.invariants.at_rest(complete=not self._given_up)

    # ------------------------------------------------------------ people

    async def _person(self, number: int) -> None:
        rng = random.Random(self._rng.random())
        for count in range(rng.randint(5, 15)):
            await asyncio.sleep(rng.random() * _TROUBLE_S / 10)
            specs = [self._spec(rng) for _ in range(rng.choice([1, 1, 2, 5]))]
            await self._submit(f"{number}-{count}", specs)
            if rng.random() < 0.3 and self.invariants.acknowledged:
                job_id = rng.choice(list(self.invariants.acknowledged))
                await self._try("DELETE", f"/v1/jobs/{job_id}")
            if rng.random() < 0.2:
                await self._try("GET", rng.choice(["/v1/jobs", "/v1/plan", "/v1/nodes"]))

    def _spec(self, rng: random.Random) -> dict[str, Any]:
        run_s = rng.choice([0, 0.1, 1, 3, 10, 60]) * self.config.rate
        most = max(count * cores for count, cores in self.cluster.machines)
        return {
            "emulate": {"run_s": run_s, "limited": True},
            "tasks": rng.randint(1, most),
            "time_limit_s": rng.choice([run_s + 1, 2 * run_s + 60, max(1, run_s // 2)]),
            "requeue": rng.random() < 0.9,
        }

    async def _submit(self, key: str, specs: list[dict[str, Any]]) -> None:
        """Again with the same key until there is an answer, as the clients do."""
        for _ in range(_GIVE_UP):
            reply = await self._try("POST", "/v1/jobs", {"jobs": specs}, key)
            if reply is not None:
                ids = [job["job_id"] for job in reply["jobs"]]
                self.invariants.accepted(key, ids, specs)
                return
            await asyncio.sleep(self._rng.random() * 20)
        self._given_up = True

    async def _try(
        self, method: str, path: str, body: Any = None, key: str | None = None
    ) -> dict[str, Any] | None:
        """The answer; None: there is none, or it is a refusal."""
        headers = {"Idempotency-Key": key} if key else {}
        try:
            async with self._http.request(method, path, json=body, headers=headers) as reply:
                if reply.status == 500:
                    raise Violation(f"{method} {path}: {await reply.text()}")
                return await reply.json() if reply.status < 300 else None
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
            return None

    # ------------------------------------------------------------ trouble

    async def _trouble(self) -> None:
        ends_s = self.loop.time() + _TROUBLE_S
        faults: list[Callable[[], Awaitable[None]]] = [
            self._kill_somebody, self._kill_somebody, self._kill_the_daemon, self._break,
            self._cut, self._slow, self._bad_disk, self._wrong_clock, self._drain, self._stop,
        ]  # fmt: skip
        under_way: set[asyncio.Future[None]] = set()
        while self.loop.time() < ends_s:
            await asyncio.sleep(self._rng.expovariate(1 / _BETWEEN_FAULTS_S))
            fault = asyncio.ensure_future(self._rng.choice(faults)())
            under_way.add(fault)
            fault.add_done_callback(under_way.discard)
        await asyncio.gather(*under_way)

    async def _kill_somebody(self) -> None:
        process = self._rng.choice(list(self.cluster.processes.values()))
        process.steps_to_live = self._rng.choice([0, self._rng.randint(1, 50), 400])

    async def _kill_the_daemon(self) -> None:
        daemon = self.cluster.processes["daemon"]
        daemon.steps_to_live = self._rng.randint(1, 100)

    async def _break(self) -> None:
        self.cluster.network.break_one()

    async def _cut(self) -> None:
        agents = [one for name, one in self.cluster.processes.items() if name != "daemon"]
        process = self._rng.choice(agents)
        self.cluster.network.cut_off(process)
        await asyncio.sleep(self._rng.choice([1, 15, 70]))
        self.cluster.network.heal(process)

    async def _slow(self) -> None:
        self.cluster.network.slow = self._rng.choice([50, 1000, 5000])
        await asyncio.sleep(self._rng.random() * 10)
        self.cluster.network.slow = 1.0

    async def _bad_disk(self) -> None:
        self.cluster.disk.failing = self._rng.choice([0.2, 1.0])
        await asyncio.sleep(self._rng.random() * 8)
        self.cluster.disk.failing = 0.0

    async def _wrong_clock(self) -> None:
        process = self._rng.choice(list(self.cluster.processes.values()))
        process.clock_ahead_s += self._rng.choice([-3600, -1, 1, 3600])

    async def _drain(self) -> None:
        count, _ = self.cluster.machines[0]
        node = f"/v1/nodes/agent0-e{self._rng.randint(1, count)}"
        await self._try("POST", node, {"action": "drain", "reason": "a test"})
        await asyncio.sleep(self._rng.random() * 20)
        await self._try("POST", node, {"action": "resume"})

    async def _stop(self) -> None:
        await self._try("POST", "/v1/shutdown")

    # ------------------------------------------------------------ the end

    def _heal(self) -> None:
        self.cluster.network.slow = 1.0
        self.cluster.disk.failing = 0.0
        for process in self.cluster.processes.values():
            process.steps_to_live = None

    async def _until_all_is_over(self) -> None:
        deadline_s = self.loop.time() + _IN_THE_END_S
        while not self.invariants.all_over():
            if self.loop.time() > deadline_s:
                raise Violation("some jobs never end")
            for number, (count, _) in enumerate(self.cluster.machines):
                for node in range(1, count + 1):  # a drain may not have been undone
                    path = f"/v1/nodes/agent{number}-e{node}"
                    await self._try("POST", path, {"action": "resume"})
            await asyncio.sleep(20)
        await asyncio.sleep(20)  # until what was reported is stored
