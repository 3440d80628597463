"""People: they submit, cancel, look and wait, and say again what was not answered."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.world.arrays import array, number_of
from tests.world.cluster import Cluster
from tests.world.http import NoAnswer, ask
from tests.world.invariants import Invariants
from tests.world.ledger import Violation
from tests.world.purpose import conditions, deadline

_REQUEST_S = 30.0
_GIVE_UP = 40
_RUN_S = [0, 0.1, 1, 3, 10, 60]
_ALL, LIVE = "/v1/jobs?states=all", "/v1/jobs"
_LOOK_AT = ["/v1/plan", "/v1/nodes", "/v1/status"]
_BETWEEN_LOOKS_S = 5.0
_KEY_TAKEN = "was used for another request"
_OF_A_RESERVATION = " reservation '"
_NO_SUCH_JOB = "there is no job"
NOT_NOW = (503, 504, 507)
"""Statuses of what cannot be done while something is amiss."""


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    body: Any = None
    key: str | None = None


@dataclass(slots=True)
class People:
    """`specs` are what they submit. `partition`, `account` and `reservation` draw what a submit
    names, and `lateness` its deadline and what is suspended. `gave_up`: somebody never got an
    answer."""

    cluster: Cluster
    invariants: Invariants
    rng: random.Random
    partition: Callable[[], str]
    lateness: random.Random
    account: Callable[[], dict[str, str]]
    reservation: Callable[[], dict[str, Any]]
    gave_up: bool = False
    doubled: int = 0
    _copies: set[asyncio.Future[None]] = field(default_factory=set)

    async def live(self, count: int, within_s: float) -> None:
        """Run all people, until each has done what it wanted."""
        people = [self._person(number, within_s) for number in range(count)]
        await asyncio.gather(*people, self._onlooker(within_s))
        await asyncio.gather(*self._copies)

    async def _person(self, number: int, within_s: float) -> None:
        rng = random.Random(self.rng.random())
        for count in range(rng.randint(2, 6)):
            await asyncio.sleep(rng.random() * within_s / 4)
            specs = [self._spec(rng) for _ in range(rng.choice([1, 1, 2, 5]))]
            known = list(self.invariants.acknowledged)
            for spec in specs:
                spec |= array(rng)
                if (drawn := conditions(rng, known, self.cluster.rate)) is not None:
                    spec["conditions"] = drawn
                spec |= deadline(self.lateness, spec, self.cluster.rate)
            await self.submit(f"{number}-{count}", specs)
            known = list(self.invariants.acknowledged)
            if known and rng.random() < 0.3:
                name = self.invariants.some_part(rng, rng.choice(known))
                await self.say("DELETE", f"/v1/jobs/{name}")
            if known and rng.random() < 0.3:
                action = rng.choice(["hold", "release", "requeue"])
                await self.act(rng.choice(known), action)
            if known and rng.random() < 0.3:
                await self.update(rng.choice(known), rng.choice([1, 5, 30, 300]))
            if known and self.lateness.random() < 0.5:
                action = self.lateness.choice(["suspend", "suspend", "resume"])
                await self.act(self.lateness.choice(known[-5:]), action)
            if known and rng.random() < 0.2:
                await self.say("GET", f"/v1/jobs/{rng.choice(known)}?wait_s=20")
            if rng.random() < 0.2:
                await self.say("GET", rng.choice(_LOOK_AT))

    async def _onlooker(self, for_s: float) -> None:
        """Look at the live jobs, and then at all, again and again."""
        rng = random.Random(self.rng.random())
        ends_s = self.cluster.loop.time() + for_s
        while self.cluster.loop.time() < ends_s:
            await asyncio.sleep(rng.random() * _BETWEEN_LOOKS_S)
            await self.say("GET", LIVE)
            await self.say("GET", _ALL)

    def _spec(self, rng: random.Random) -> dict[str, Any]:
        run_s = rng.choice(_RUN_S) * self.cluster.rate
        most = max(machine.nodes * machine.cores for machine in self.cluster.machines)
        return {
            "emulate": {"run_s": run_s, "limited": True},
            "tasks": rng.randint(1, most),
            "time_limit_s": rng.choice([run_s + 1, 2 * run_s + 60, max(1, run_s // 2)]),
            "requeue": rng.random() < 0.9,
            "partition": self.partition(),
            **self.account(),
            **self.reservation(),
        }

    async def act(self, job_id: int, action: str) -> bool:
        """Hold, release, requeue, suspend or resume a job. Return whether it was done, for all that
        is known."""
        self.invariants.action_asked(job_id, action)
        return await self.say("POST", f"/v1/jobs/{job_id}", {"action": action})

    async def update(self, job_id: int, time_limit_s: float) -> None:
        """Change the limit of a job, once."""
        limit_s = time_limit_s * self.cluster.rate
        asked = {"time_limit_s": limit_s}
        first = self.invariants.update_asked(job_id, limit_s)
        if first and await self.say("PATCH", f"/v1/jobs/{job_id}", asked):
            self.invariants.updated(job_id)

    async def release_all(self) -> None:
        """Release the jobs that are held, and resume the suspended ones, so that all end."""
        for job_id in self.invariants.suspended():
            await self.act(job_id, "resume")
        for job_id in self.invariants.held():
            await self.act(job_id, "release")

    async def submit(self, key: str, specs: list[dict[str, Any]]) -> None:
        """Submit, again with the same key until there is an answer, as the clients do."""
        request = _Request("POST", "/v1/jobs", {"jobs": specs}, key)
        if self.rng.random() < 0.2:
            self._send_a_copy(request)
        for _ in range(_GIVE_UP):
            if await self._ask(request) is not None:
                return
            await asyncio.sleep(self.rng.random() * 20)
        self.gave_up = True

    def _send_a_copy(self, request: _Request) -> None:
        """Send the same request on a connection of its own: before or after the other, or long
        after it."""
        self.doubled += 1

        async def copy(after_s: float) -> None:
            await asyncio.sleep(after_s)
            await self._ask(request)

        copied = asyncio.ensure_future(copy(self.rng.random() * self.rng.choice([0.01, 1, 60])))
        self._copies.add(copied)

    async def say(self, method: str, target: str, body: Any = None) -> bool:
        """Send a request, and return whether it was carried out, for all that is known."""
        return await self._ask(_Request(method, target, body)) is not None

    async def _ask(self, request: _Request) -> dict[str, Any] | None:
        """Return the answer, checked, or None if there is none or it is a refusal."""
        known, over = set(self.invariants.acknowledged), self.invariants.told_over()
        if request.method == "DELETE" and request.target.startswith("/v1/jobs/"):
            self.invariants.cancel_asked([number_of(request.target.rpartition("/")[2])])
        try:
            status, reply = await ask(
                self.cluster.socket_path,
                request.method,
                request.target,
                request.body,
                request.key,
                _REQUEST_S,
            )
        except NoAnswer:
            return None
        if status == 500 or (request.key is not None and _KEY_TAKEN in str(reply)):
            raise Violation(f"{request.method} {request.target}: {reply}")
        if status == 400 and _NO_SUCH_JOB in str(reply):
            return {}  # a restore has lost a job that the new ones depend on
        if status in (400, 403, 422) and _OF_A_RESERVATION in str(reply):
            return {}  # the reservation is over, or the job would not end inside
        if status >= 300:
            return None
        assert isinstance(reply, dict)
        if request.key is not None:
            ids = [job["job_id"] for job in reply["jobs"]]
            self.invariants.accepted(request.key, ids, request.body["jobs"])
        elif request.target.startswith("/v1/jobs"):
            jobs = [*reply.get("jobs", ()), *filter(None, [reply.get("job")])]
            self.invariants.told(jobs, over)
            if request.target == LIVE and request.method == "GET":
                self.invariants.told_live(jobs, known)
        return reply
