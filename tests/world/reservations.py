"""Advance reservations in stories: in some clusters operators make and delete them, and some jobs
run inside.

The stories of other clusters stay what they were: all chance in here has sources of its own.
"""

from __future__ import annotations

import asyncio
import getpass
import random
from typing import Any

from tests.world.cluster import Cluster
from tests.world.people import People

_WITH_RESERVATIONS = 0.4
_REPEATS = [("hourly", 3600), ("daily", 86400), ("weekday", 86400), ("weekend", 86400)]
"""The ways to repeat a reservation, and the seconds within which an instance must be over."""
_NAMES = ("course", "repair", "demo")
_OF_A_JOB = 0.4
_BETWEEN_ACTS_S = 4.0


class Operators:
    """The operators of a cluster; they are idle in most stories. `of_a_job` draws what a submit
    says of a reservation."""

    def __init__(self, cluster: Cluster, rng: random.Random, repeats: random.Random) -> None:
        self._cluster = cluster
        self._rng = rng
        self._repeats = repeats
        self._is_active = rng.random() < _WITH_RESERVATIONS

    def of_a_job(self, rng: random.Random) -> dict[str, Any]:
        """Return the reservation that a submit names, one that is there, with a job that is small
        enough for most."""
        scheduler = self._cluster.scheduler
        if not self._is_active or scheduler is None or rng.random() >= _OF_A_JOB:
            return {}
        names = sorted(
            one.name for one in scheduler.core.reservations.values() if one.users or one.groups
        )
        if not names:
            return {}
        run_s = rng.choice([0, 1, 3]) * self._cluster.rate
        return {
            "reservation": rng.choice(names),
            "emulate": {"run_s": run_s, "limited": True},
            "time_limit_s": run_s + rng.choice([1, 3]) * self._cluster.rate,
            "tasks": rng.choice([1, 1, 2]),
        }

    async def act(self, people: People, for_s: float) -> None:
        """Make, replace and delete reservations for this time."""
        ends_s = self._cluster.loop.time() + for_s
        while self._is_active and self._cluster.loop.time() < ends_s:
            await asyncio.sleep(self._rng.expovariate(1 / _BETWEEN_ACTS_S))
            if self._rng.random() < 0.2:
                await people.say("DELETE", f"/v1/reservations/{self._rng.choice(_NAMES)}")
            else:
                await people.say("POST", "/v1/reservations", self._drawn())

    def _drawn(self) -> dict[str, Any]:
        rng, rate = self._rng, self._cluster.rate
        body: dict[str, Any] = {
            "name": rng.choice(_NAMES),
            "start_in_s": rng.choice([0, 0, 2, 10, 40]) * rate,
            "duration_s": rng.choice([5, 60, 400]) * rate,
            "ignore_jobs": rng.random() < 0.7,
            "replace": rng.random() < 0.2,
        }
        if self._repeats.random() < 0.2:
            repeat, every_s = self._repeats.choice(_REPEATS)
            if body["duration_s"] <= every_s:
                body["repeat"] = repeat
        if rng.random() < 0.4:
            body["maintenance"] = True
        else:
            of_whom = "groups" if self._repeats.random() < 0.2 else "users"
            body[of_whom] = [getpass.getuser()]
        scheduler = self._cluster.scheduler
        counted = scheduler is not None and scheduler.cluster.capacity == "counted"
        if counted or rng.random() < 0.3:
            return body | {"cores": rng.randint(1, 2 if counted else 4)}
        names = self._cluster.node_names()
        return body | {"nodes": ",".join(rng.sample(names, rng.randint(1, len(names))))}

    async def leave(self, people: People) -> None:
        """Delete all reservations, and cancel the jobs that waited for them, so that all end."""
        scheduler = self._cluster.scheduler
        if not self._is_active or scheduler is None:
            return
        for name in list(scheduler.core.reservations):
            await people.say("DELETE", f"/v1/reservations/{name}")
        waiting = [job for job in scheduler.core.jobs.values() if job.reservation]
        for job in waiting:
            if job.reservation not in scheduler.core.reservations and not job.allocation:
                await people.say("DELETE", f"/v1/jobs/{job.id}")
