"""A user who asks for others' jobs, for more than one share, and for what cannot be."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rmsd_daemon.domain.conditions import MOST_S
from tests.world.cluster import Cluster
from tests.world.http import NoAnswer, ask, request
from tests.world.invariants import Invariants
from tests.world.ledger import Violation
from tests.world.network import PORT
from tests.world.people import NOT_NOW
from tests.world.strangers import (
    EXPIRED_TOKEN,
    MOST_A_SECOND,
    MOST_BYTES,
    MOST_IN_REQUEST,
    MOST_JOBS,
    REVOKED_TOKEN,
    USER,
    USERS_TOKEN,
)

_ADDRESS = f"{PORT}:10.0.0.66"
_BETWEEN_ACTS_S = 2.0
_REQUEST_S = 30.0
_AT_ONCE = 130
_BURST_S = 4.0
_DELAY_S = 1.0
_FLOODS = 2
_LEAVES_WITHIN_S = 10_000.0
_TASK = {"node": "agent0-e1", "step": "s", "task": 0, "argv": ["true"]}

_TEXTS = {
    "name": 256, "constraint": 256, "submit_host": 256, "comment": 4096, "workdir": 4096,
    "submit_dir": 4096, "stdout": 4096, "stderr": 4096,
}  # fmt: skip
"""The greatest length of each text of a submit, in characters."""
_NUMBERS = {
    "tasks": (1, 1 << 24), "cpus_per_task": (1, 1 << 24), "nodes": (1, 1 << 20),
    "mem_mib": (0, 1 << 40), "time_limit_s": (0, MOST_S),
}  # fmt: skip
"""The least and the greatest value of each number of a submit."""
_ODD_QUERIES = [
    "/v1/jobs?limit=99999999999999999999", "/v1/jobs?limit=-1", "/v1/jobs?limit=%00",
    "/v1/jobs?ids=" + ",".join(["1"] * 3000), "/v1/jobs?ids=9223372036854775808",
    "/v1/jobs?states=NONE", "/v1/jobs?states=all&states=PD",
    "/v1/jobs?user=%F0%9F%92%A9&name=%27--",
    "/v1/jobs?name=" + "n" * 4000, "/v1/jobs?no=1", "/v1/jobs/0", "/v1/jobs/-1",
    "/v1/jobs/4611686018427387904", "/v1/jobs/99999999999999999999", "/v1/jobs/%D9%A1",
    "/v1/jobs/1?wait_s=nan", "/v1/jobs/1?wait_s=inf", "/v1/jobs/1?wait_s=-1",
    "/v1/jobs/1?wait_s=1e999", "/v1/jobs/1/output?offset=-1", "/v1/jobs/1/output?limit=1e9",
    "/v1/jobs/1/output?stream=../x", "/v1/jobs/%2e%2e/status", "/v1/nothing", "/v2/jobs", "/",
]  # fmt: skip
_ODD_BODIES: list[Any] = [
    b"", b"{", b"[]", b'{"jobs": 1}', b'{"jobs": []}', b'{"jobs": [[]]}', b"\xff\xfe",
    b"[" * 50_000,
    b'{"jobs": [{"emulate": {"run_s": NaN}}]}', b'{"jobs": [{"emulate": {"run_s": 1e999}}]}',
    b'{"jobs": [{"emulate": {"run_s": 1}, "tasks": ' + b"9" * 400 + b"}]}",
    b'{"jobs": [{"emulate": {"run_s": 1}, "name": "\\ud800"}]}',
    {"jobs": [{"emulate": {"run_s": 1}, "no_such_field": 1}]},
    {"jobs": [{"emulate": {"run_s": 1}, "script": "#!/bin/sh"}]},
    {"jobs": [{}]},
]  # fmt: skip
"""Bodies of submits, each of which the daemon must refuse."""


@dataclass(slots=True)
class HostileUser:
    """The hostile user of a story, who raises Violation if an answer has what is another user's.

    done: counts of the user's acts by kind.
    """

    cluster: Cluster
    invariants: Invariants
    rng: random.Random
    done: Counter[str] = field(default_factory=Counter)
    _own: list[int] = field(default_factory=list)
    # value: the submit that was first accepted
    _keys: dict[str, list[Any]] = field(default_factory=dict)
    _tokens_made: int = 0
    _submits: int = 0
    _floods: int = 0

    async def live(self, for_s: float) -> None:
        acts: list[Callable[[], Awaitable[object]]] = [
            self._submit_at_a_limit, self._submit_at_a_limit, self._submit_too_much,
            self._submit_too_much, self._submit_nonsense, self._submit_as_another,
            self._submit_many, self._flood, self._repeat_a_key, self._take_a_key,
            self._end_others_jobs, self._see_others_jobs, self._list, self._ask_oddly,
            self._be_an_operator, self._show_a_dead_token, self._revoke_a_token, self._hang_up,
        ]  # fmt: skip
        loop = asyncio.get_running_loop()
        ends_s = loop.time() + for_s
        while loop.time() < ends_s:
            await asyncio.sleep(self.rng.expovariate(1 / _BETWEEN_ACTS_S))
            act = self.rng.choice(acts)
            self.done["hostile-" + act.__name__.strip("_").replace("_", "-")] += 1
            with suppress(NoAnswer):
                await act()

    async def leave(self) -> None:
        """Cancel all of the user's jobs, some of which would run for ever. Raises Violation if the
        daemon does not answer for long."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + _LEAVES_WITHIN_S
        while loop.time() < deadline_s:
            with suppress(NoAnswer):
                status, reply = await self._ask("GET", "/v1/jobs")
                if status == 200:
                    ids = [job["job_id"] for job in reply["jobs"]]
                    self.invariants.cancel_asked(ids)
                    if not ids:
                        return
                    status, _ = await self._ask("POST", "/v1/cancel", {"job_ids": ids})
                    if status == 200:
                        return
            await asyncio.sleep(5)
        raise Violation("the hostile user's jobs are never cancelled")

    # ------------------------------------------------------------ submits

    def _spec(self, **more: Any) -> dict[str, Any]:
        run_s = self.rng.choice([0, 1, 5]) * self.cluster.rate
        return {"emulate": {"run_s": run_s, "limited": True}, "time_limit_s": run_s + 60} | more

    async def _submit(self, specs: list[dict[str, Any]], key: str | None = None) -> tuple[int, Any]:
        if key is None:
            self._submits += 1
            key = f"h{self._submits}"
        status, reply = await self._ask("POST", "/v1/jobs", {"jobs": specs}, key)
        if status == 201:
            ids = [job["job_id"] for job in reply["jobs"]]
            self._own += ids
            if self._keys.setdefault(key, specs) != specs:
                if not self.invariants.was_restored:
                    raise Violation(f"key {key} was repeated with another body, and taken")
                self._keys[key] = specs
            self.invariants.accepted(f"{USER}:{key}", ids, self._keys[key])
        return status, reply

    async def _submit_at_a_limit(self) -> None:
        text, most = self.rng.choice(list(_TEXTS.items()))
        number, (least, greatest) = self.rng.choice(list(_NUMBERS.items()))
        fields: dict[str, Any] = self.rng.choice(
            [
                {text: "x" * most},
                {text: "é" * most},
                {number: self.rng.choice([least, greatest])},
                {"env": {"A": "v" * ((128 << 10) - 3)}},
                {"args": ["a" * ((128 << 10) - 1)]},
                {"name": "n" * 256, "stdout": "%x" * 15},
                {"emulate": {"run_s": MOST_S, "limited": False}, "time_limit_s": 0},
                {"emulate": {"run_s": MOST_S, "limited": True}, "time_limit_s": MOST_S},
            ]
        )
        await self._submit([self._spec(**fields)])

    async def _submit_too_much(self) -> None:
        text, most = self.rng.choice(list(_TEXTS.items()))
        number, (least, greatest) = self.rng.choice(list(_NUMBERS.items()))
        too_many = [self._spec() for _ in range(MOST_IN_REQUEST + 1)]
        specs = self.rng.choice(
            [
                [self._spec(**{text: "x" * (most + 1)})],
                [self._spec(**{text: self.rng.choice(["a\nb", "\x1b[2J", "\0", "\u202e"])})],
                [self._spec(**{number: self.rng.choice([least - 1, greatest + 1, 10**30])})],
                [self._spec(env={"A": "v" * ((128 << 10) - 2)})],
                [self._spec(env={"A=B": "v"})],
                [self._spec(env={str(i): "v" * 100_000 for i in range(11)})],
                [self._spec(args=["a\0b"])],
                [self._spec(comment="c" * MOST_BYTES)],
                [self._spec(stdout="%q")],
                [self._spec(notify="touch /tmp/owned")],
                [self._spec(notify="file:///etc/passwd")],
                [self._spec(emulate={"run_s": -1})],
                [self._spec(emulate={"run_s": MOST_S + 1})],
                too_many,
                [*too_many[2:], self._spec(name="x" * 257)],
            ]
        )
        await self._refused("POST", "/v1/jobs", {"jobs": specs})

    async def _submit_nonsense(self) -> None:
        await self._refused("POST", "/v1/jobs", self.rng.choice(_ODD_BODIES))

    async def _submit_as_another(self) -> None:
        await self._refused("POST", "/v1/jobs", {"jobs": [self._spec(user="root")]})

    async def _submit_many(self) -> None:
        """Submit until the daemon refuses, or until the limit of live jobs is passed."""
        for _ in range(MOST_JOBS // MOST_IN_REQUEST + 1):
            status, _ = await self._submit([self._spec()] * MOST_IN_REQUEST)
            if status != 201:
                return

    async def _repeat_a_key(self) -> None:
        """Repeat a key, mostly with another body."""
        if not self._keys:
            await self._submit([self._spec()])
            return
        key, specs = self.rng.choice(list(self._keys.items()))
        if self.rng.random() < 0.7:
            specs = [self._spec(name="other")]
        await self._submit(specs, key)

    async def _take_a_key(self) -> None:
        """Submit with a key that an honest person has used, or will use."""
        await self._submit([self._spec()], f"{self.rng.randint(0, 2)}-{self.rng.randint(0, 5)}")

    # ------------------------------------------------------------ what is others'

    async def _end_others_jobs(self) -> None:
        if not (others := self._others()):
            return
        job_id = self.rng.choice(others)
        ids = [*self._own[-3:], job_id]
        method, target, body = self.rng.choice(
            [
                ("DELETE", f"/v1/jobs/{job_id}", None),
                ("POST", "/v1/cancel", {"job_ids": [job_id]}),
                ("POST", "/v1/cancel", {"job_ids": ids}),
                ("POST", "/v1/cancel", {"job_ids": [*range(1, 10_001), job_id]}),
                ("POST", "/v1/cancel", {"job_ids": list(range(1, 10_002))}),
                ("POST", f"/v1/jobs/{job_id}/tasks", _TASK),
                ("DELETE", f"/v1/jobs/{job_id}/tasks/s/0", None),
            ]
        )
        await self._refused(method, target, body)

    async def _see_others_jobs(self) -> None:
        if not (others := self._others()):
            return
        what = self.rng.choice(["", "?wait_s=30", "/explain", "/attempts", "/output"])
        await self._refused("GET", f"/v1/jobs/{self.rng.choice(others)}{what}")

    async def _list(self) -> None:
        """Ask for lists, plans and explanations, which must tell of the user's own jobs alone."""
        own = self.rng.choice(self._own) if self._own else 1
        targets = ["/v1/jobs", "/v1/jobs?states=all", "/v1/jobs?states=all&user=root", "/v1/plan",
                   "/v1/nodes", "/v1/status", f"/v1/jobs/{own}/explain", f"/v1/jobs/{own}/output",
                   "/v1/tokens"]  # fmt: skip
        await self._ask("GET", self.rng.choice(targets))

    async def _ask_oddly(self) -> None:
        await self._ask("GET", self.rng.choice(_ODD_QUERIES))

    async def _be_an_operator(self) -> None:
        node = self.rng.choice(self.cluster.node_names())
        token = {"id": "0" * 12, "digest": "0" * 64}
        method, target, body = self.rng.choice(
            [
                ("POST", "/v1/shutdown", None),
                ("POST", f"/v1/nodes/{node}", {"action": "drain", "reason": "mine"}),
                ("DELETE", f"/v1/nodes/{node}", None),
                ("GET", "/v1/audit", None),
                ("POST", "/v1/tokens", token | {"role": "admin"}),
                ("POST", "/v1/tokens", token | {"role": "user", "user": "root"}),
                ("POST", "/v1/join", token | {"agent_id": "a", "hostname": "h"}),
                ("GET", "/v1/link", None),
            ]
        )
        await self._refused(method, target, body)

    # ------------------------------------------------------------ tokens

    async def _show_a_dead_token(self) -> None:
        dead = [REVOKED_TOKEN.text, EXPIRED_TOKEN.text, USERS_TOKEN.text[:-1] + "0", "x", ""]
        await self._is_unknown(self.rng.choice(dead))

    async def _revoke_a_token(self) -> None:
        """Make a token, revoke this token, and show it."""
        self._tokens_made += 1
        made = USERS_TOKEN._replace(id=f"bad1{self._tokens_made:08x}")
        asked = {"id": made.id, "digest": made.digest, "role": "user"}
        if (await self._ask("POST", "/v1/tokens", asked))[0] != 201:
            return
        if (await self._ask("DELETE", f"/v1/tokens/{made.id}"))[0] == 200:
            await self._is_unknown(made.text)

    async def _is_unknown(self, token: str) -> None:
        status, _ = await self._ask("GET", "/v1/jobs", token=token)
        if status < 500 and status != 401:
            raise Violation(f"token {token} does not hold, and was answered {status}")

    # ------------------------------------------------------------ floods

    async def _flood(self) -> None:
        """Send more requests at once than the rate allows."""
        self._floods += 1
        if self._floods > _FLOODS:
            return
        loop = asyncio.get_running_loop()
        begun_s, daemon = loop.time(), self.cluster.processes["daemon"]
        asked = [self._ask("GET", "/v1/status") for _ in range(_AT_ONCE)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        served = 0
        for answer in answers:
            if isinstance(answer, Violation):
                raise answer
            served += not isinstance(answer, BaseException) and answer[0] == 200
        may = MOST_A_SECOND * (_BURST_S + _DELAY_S + loop.time() - begun_s)
        if served > may and self.cluster.processes["daemon"] is daemon:
            raise Violation(f"{served} requests of a flood were served, of {may:.0f}")

    async def _hang_up(self) -> None:
        """Close a connection in the middle of a long poll, or of a request."""
        own = self.rng.choice(self._own) if self._own else 1
        whole = self.rng.choice(
            [
                request("GET", f"/v1/jobs/{own}?wait_s=3600", None, None, USERS_TOKEN.text),
                request("GET", f"/v1/jobs/{own}/output?wait_s=60", None, None, USERS_TOKEN.text),
                request("POST", "/v1/cancel", {"job_ids": [own]}, None, "bad"),
            ]
        )
        sent = whole[: self.rng.choice([len(whole), len(whole), self.rng.randrange(len(whole))])]
        with suppress(OSError):
            _, writer = await asyncio.open_unix_connection(_ADDRESS)
            writer.write(sent)
            await asyncio.sleep(self.rng.random() * 10)
            writer.close()

    # ------------------------------------------------------------ what the user is answered

    async def _refused(self, method: str, target: str, body: Any = None) -> None:
        """Ask for what the daemon must refuse."""
        status, _ = await self._ask(method, target, body)
        if status < 400:
            raise Violation(f"{method} {target} of {USER} was answered {status}: {_short(body)}")

    async def _ask(
        self, method: str, target: str, body: Any = None, key: str | None = None,
        token: str = USERS_TOKEN.text,
    ) -> tuple[int, Any]:  # fmt: skip
        """Return the status and the decoded body of an answer, once it is checked.

        Raises:
            NoAnswer: there is none.
        """
        status, reply = await ask(_ADDRESS, method, target, body, key, _REQUEST_S, token)
        if status >= 500 and status not in NOT_NOW:
            raise Violation(f"{method} {target} of {USER} was answered {status}: {reply}")
        if status < 300 and reply and target.startswith(("/v1/jobs", "/v1/plan")):
            for job_id, user in _told_of(reply):
                if user not in ("", USER) or job_id in self.invariants.of_the_honest():
                    raise Violation(f"{method} {target} told {USER} of job {job_id} of {user}")
        return status, reply

    def _others(self) -> list[int]:
        return sorted(self.invariants.of_the_honest())


def _told_of(reply: Any) -> Iterator[tuple[int, str]]:
    """Yield the number and the user of each job that an answer shows."""
    for job in [*reply.get("jobs", ()), *filter(None, [reply.get("job")])]:
        yield job["job_id"], job.get("user", USER)
    for start in reply.get("starts", ()):
        yield start["job_id"], USER


def _short(body: Any) -> str:
    return (body if isinstance(body, bytes) else json.dumps(body).encode())[:300].decode("latin-1")
