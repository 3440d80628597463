"""An agent that reports what is not so, and ignores what the daemon tells it."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import aiohttp
import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import Cause
from rmsd_wire import PROTOCOL, link
from rmsd_wire.frames import Unreadable, messages_in
from rmsd_wire.link_calls import ReadEnded, ReadFile, Reply, StartTask, StopTask
from rmsd_wire.node_info import NodeInfo
from tests.world.cluster import Cluster
from tests.world.network import PORT
from tests.world.strangers import LIAR, LIARS_KEY

_BETWEEN_LIES_S = 1.5
_FLOOD = 1000
_IDS, _INSTANTS, _TEXT = (1 << 62) - 1, (1 << 62) - 1, 1 << 16
_KEPT = 20

_Key = tuple[int, int, str]
_Said = list[Any] | bytes
_One = TypeVar("_One")


@dataclass(slots=True)
class Liar:
    """The lying agent of a story.

    claimed: the jobs that the liar has claimed to hold, or to have run, on nodes of its own. done:
    counts of its lies by kind.

    What it knows of others' jobs it reads in the scheduler's memory: the worst that it could guess.
    """

    cluster: Cluster
    rng: random.Random
    claimed: set[int] = field(default_factory=set)
    done: Counter[str] = field(default_factory=Counter)
    _given: dict[_Key, link.Launch] = field(default_factory=dict)
    _said: list[_Said] = field(default_factory=list)
    _seq: int = 0
    _answers: set[asyncio.Task[None]] = field(default_factory=set)

    async def main(self) -> None:
        """Dial the daemon for ever: the main function of the liar's process."""
        while True:
            with suppress(aiohttp.ClientError, OSError, TimeoutError, RuntimeError):
                await self._session()
            await asyncio.sleep(self.rng.random() * self.rng.choice([0.1, 2, 10]))

    async def _session(self) -> None:
        connector = aiohttp.UnixConnector(f"{PORT}:10.0.0.13")
        async with (
            aiohttp.ClientSession(connector=connector) as http,
            http.ws_connect(
                "http://rmsd/v1/link",
                headers={"Authorization": f"Bearer {LIARS_KEY.text}"},
                max_msg_size=0,
                autoping=self.rng.random() < 0.9,  # else it is silent after a while
                timeout=aiohttp.ClientWSTimeout(ws_close=0.5),
            ) as ws,
        ):
            await self._send(ws, [self._hello(), *self._reports_with_hello()])
            hears = asyncio.ensure_future(self._hear(ws))
            try:
                await self._lie(ws)
            finally:
                hears.cancel()
                with suppress(asyncio.CancelledError, aiohttp.ClientError, OSError):
                    await hears

    async def _lie(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        kinds: list[Callable[[], _Said]] = [
            self._of_others, self._of_others, self._of_others_here, self._of_none, self._odd_ends,
            self._odd_ends, self._again, self._unasked, self._undecodable, self._out_of_bounds,
            self._flood, self._hello_again,
        ]  # fmt: skip
        for _ in range(self.rng.randint(1, 20)):
            await asyncio.sleep(self.rng.expovariate(1 / _BETWEEN_LIES_S))
            if ws.closed:
                return
            kind = self.rng.choice(kinds)
            self._count(kind.__name__)
            await self._send(ws, kind())
        if self.rng.random() < 0.3:
            self._count("close-mid-frame")
            transport: Any = ws._writer.transport
            transport.write(b"\x82\xfe\x10\x00half of its head and mask")
            transport.close()

    async def _send(self, ws: aiohttp.ClientWebSocketResponse, said: _Said) -> None:
        self._said = [*self._said[-_KEPT:], said]
        await ws.send_bytes(said if isinstance(said, bytes) else link.encoder.encode(said))

    def _count(self, kind: str) -> None:
        self.done["lie-" + kind.strip("_").replace("_", "-")] += 1

    # ------------------------------------------------------------ who it says it is

    def _hello(self) -> link.Hello:
        rng = self.rng
        nodes = [
            NodeInfo(f"{LIAR}-e{number}", "emulated", rng.randint(1, 4), 2048)
            for number in range(1, rng.randint(2, 4))
        ]
        held = [
            link.HeldAttempt(*key, batch=one.batch, cores=one.cores, start_us=one.model_start_us)
            for key, one in self._given.items()
            if rng.random() < 0.7
        ]
        hello = link.Hello(PROTOCOL, "0", LIAR, rng.randint(0, 9), nodes, held, remembers=True)
        if rng.random() < 0.5:
            self._count("hello")
            self._distort(hello)
        self._claim([one.job_id for one in hello.held])
        return hello

    def _distort(self, hello: link.Hello) -> None:
        """Add lies to the hello, each by chance: one of them may have the hello refused."""
        rng = self.rng
        if rng.random() < 0.4:
            hello.nodes += [
                NodeInfo(name, "emulated", rng.choice([0, 64]), 2048)
                for name in self._some(self.cluster.node_names())
            ]
        if rng.random() < 0.4:
            hello.held += [
                link.HeldAttempt(
                    job_id, attempt, node, stopping=rng.random() < 0.3, batch=True, cores=1
                )
                for job_id, attempt, node in self._some(self._keys_of_others())
            ]
        if rng.random() < 0.2:
            known = self._next_id()
            hello.held += [
                link.HeldAttempt(job_id, 1, hello.nodes[0].name)
                for job_id in (_IDS, known + 9_999_999, known + 10_000_001, 1 << 53)
            ]
        if rng.random() < 0.05:
            held = [link.HeldAttempt((1 << 40) + i, 1, hello.nodes[0].name) for i in range(_FLOOD)]
            hello.held += held
        if rng.random() < 0.4:
            hello.leaving += [*self._some(self.cluster.node_names()), "nowhere", f"{LIAR}-e1"]
        if rng.random() < 0.2:
            odd = rng.choice(["../x", " ", "a,b", "n[1-99]", "\x1b[2J", "n" * 256])
            hello.nodes.append(NodeInfo(odd, "emulated", rng.choice([0, 1]), 0))
        if rng.random() < 0.2:
            hello.nodes.append(msgspec.structs.replace(hello.nodes[0], cores=rng.randint(0, 5)))
        if rng.random() < 0.1:
            most = NodeInfo(f"{LIAR}-e9", "emulated", (1 << 31) - 1, (1 << 50) - 1, "h" * _TEXT)
            hello.nodes.append(most)
        if rng.random() < 0.1:
            hello.agent_id = rng.choice(self._agent_ids() or ["nobody"])
        if rng.random() < 0.1:
            hello.protocol = rng.choice([0, PROTOCOL + 1, -1])

    def _reports_with_hello(self) -> list[Any]:
        return self._of_others() if self.rng.random() < 0.3 else []

    # ------------------------------------------------------------ what it is told

    async def _hear(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        async for frame in ws:
            if frame.type is not aiohttp.WSMsgType.BINARY:
                continue
            for message in messages_in(frame.data, link.to_agent.decode):
                assert not isinstance(message, Unreadable), message
                answer = asyncio.ensure_future(self._answer(ws, message))
                self._answers.add(answer)
                answer.add_done_callback(self._answers.discard)

    async def _answer(self, ws: aiohttp.ClientWebSocketResponse, message: link.ToAgent) -> None:
        """Answer a message now and then as an agent should, oftener wrongly or not at all."""
        said: list[Any] = []
        match message:
            case link.Launch():
                key = (message.job_id, message.attempt, message.node)
                self._given[key] = message
                said = self.rng.choice([[], [self._launched(key)], [self._exited(key)]])
            case link.StopAttempt():
                key = (message.job_id, message.attempt, message.node)
                if self.rng.random() < 0.5:
                    said = [self._exited(key, self.rng.choice([message.cause, Cause.EXIT]))]
            case ReadEnded():
                await self._remember(ws, message.call)
            case ReadFile() | StartTask() | StopTask():
                said = self.rng.choice([[], [Reply(message.call, self._status(), "no")]])
        await asyncio.sleep(self.rng.random() * 5)
        if said and not ws.closed:
            with suppress(OSError, aiohttp.ClientError):
                await self._send(ws, said)

    async def _remember(self, ws: aiohttp.ClientWebSocketResponse, call: int) -> None:
        """Tell lies about what has ended, which the daemon asks for after a restore."""
        ended = [
            link.EndedAttempt(
                *key, batch=True, cores=1, start_us=self._instant(), end_us=self._instant(),
                cause=self.rng.choice(list(Cause)), exit_code=0,
            )
            for key in self._some([*self._given, *self._keys_of_others()])
        ]  # fmt: skip
        self._claim([one.job_id for one in ended])
        data = b"\xc1" if self.rng.random() < 0.2 else link.encoder.encode(ended)
        await ws.send_bytes(link.encoder.encode([Reply(call, data=data)]))

    def _claim(self, job_ids: list[int]) -> None:
        self.claimed.update(job_ids)

    # ------------------------------------------------------------ lies

    def _of_others(self) -> list[Any]:
        """Report attempts on others' nodes: present ones, old ones, and ones to come."""
        kinds: list[Callable[[_Key], Any]] = [self._launched, self._exited]
        keys = self._some(self._keys_of_others())
        return [self.rng.choice(kinds)(key) for key in keys]

    def _of_others_here(self) -> list[Any]:
        """Report the ends of others' jobs on a node of the liar's, which never got these jobs."""
        keys = [(key[0], key[1], f"{LIAR}-e1") for key in self._some(self._keys_of_others())]
        return [self._exited(key) for key in keys]

    def _of_none(self) -> list[Any]:
        """Report the ends of jobs that do not exist."""
        known = self._next_id()
        nodes = [*self.cluster.node_names(), f"{LIAR}-e1", "nowhere"]
        return [
            self._exited((job_id, self.rng.choice([0, 1, (1 << 31) - 1]), self.rng.choice(nodes)))
            for job_id in (0, known, known + 1, 1 << 53, _IDS)
        ]

    def _odd_ends(self) -> list[Any]:
        """Report the ends of given jobs with times, codes and texts at their bounds."""
        rng = self.rng
        return [
            msgspec.structs.replace(
                self._exited(key, rng.choice(list(Cause))),
                exit_code=rng.choice([None, 0, 1, -(1 << 31), (1 << 32) - 1]),
                signal=rng.choice([None, 0, 9, 65, -(1 << 31), (1 << 32) - 1]),
                cpu_s=rng.choice([None, 0.0, -1e12, 1e12]),
                max_rss_mib=rng.choice([None, 0, (1 << 50) - 1]),
                message=rng.choice(["", "\x1b[2J\0\n", "m" * _TEXT]),
                ago_s=rng.choice([0.0, -1.0, -1e12, 1e12]),
                end_us=rng.choice([None, self._instant()]),
            )
            for key in self._some(list(self._given))
        ]

    def _again(self) -> _Said:
        """Repeat an earlier frame, perhaps with its messages in reverse order."""
        said = self.rng.choice(self._said)
        backwards = isinstance(said, list) and self.rng.random() < 0.5
        return said[::-1] if backwards else said

    def _unasked(self) -> list[Any]:
        calls = (0, 1, 2, _IDS)
        return [Reply(call, self._status(), "e" * _TEXT, b"x" * 1000) for call in calls]

    def _undecodable(self) -> bytes:
        whole = link.encoder.encode(self._of_none())
        return self.rng.choice(
            [
                b"",
                b"\xc1",
                b"\xdd\xff\xff\xff\xff",
                b"\x91" * 100_000 + b"\xc0",
                whole[: self.rng.randrange(len(whole))],
                whole + b"\xc0",
                self.rng.randbytes(200),
                link.encoder.encode([{"type": "exited", "seq": "one"}]),
                link.encoder.encode([{"type": "no such thing"}]),
                link.encoder.encode({}),
            ]
        )

    def _out_of_bounds(self) -> list[Any]:
        """Report an end with one value beyond its bounds."""
        keys = list(self._given) or [(self._next_id(), 1, f"{LIAR}-e1")]
        spoiled: dict[str, Any] = self.rng.choice(
            [
                {"ago_s": math.nan},
                {"ago_s": math.inf},
                {"cpu_s": math.nan},
                {"cpu_s": 1.1e12},
                {"exit_code": 1 << 32},
                {"signal": -(1 << 31) - 1},
                {"max_rss_mib": 1 << 50},
                {"end_us": 1 << 62},
                {"message": "m" * (_TEXT + 1)},
                {"node": ""},
                {"node": "n" * 257},
                {"seq": -1},
                {"seq": 1 << 62},
                {"job_id": -1},
                {"job_id": (1 << 64) - 1},
                {"attempt": 1 << 31},
            ]
        )
        return [msgspec.structs.replace(self._exited(self.rng.choice(keys)), **spoiled)]

    def _flood(self) -> list[Any]:
        keys = self._keys_of_others() or [(1, 1, "nowhere")]
        return [self._exited(self.rng.choice(keys)) for _ in range(_FLOOD)]

    def _hello_again(self) -> list[Any]:
        return [self._hello()]

    # ------------------------------------------------------------ what lies are made of

    def _launched(self, key: _Key) -> link.LaunchedReport:
        return link.LaunchedReport(self._next_seq(), *key, pid=self.rng.choice([None, 1, -1]))

    def _exited(self, key: _Key, cause: Cause | None = None) -> link.ExitedReport:
        cause = cause or self.rng.choice(list(Cause))
        end_us = self.rng.choice([None, self._instant()])
        return link.ExitedReport(self._next_seq(), *key, cause=cause, exit_code=0, end_us=end_us)

    def _next_seq(self) -> int:
        """Return mostly the next sequence number, sometimes the least or the greatest."""
        self._seq += 1
        return self.rng.choice([self._seq, self._seq, self._seq, 0, _IDS])

    def _instant(self) -> int:
        now_us = round(1.8e15)
        hour_us = 3_600_000_000
        return self.rng.choice(
            [now_us, now_us - hour_us, now_us + hour_us, 0, _INSTANTS, -_INSTANTS]
        )

    def _status(self) -> int:
        return self.rng.choice([200, 404, 500, 0, -1, 99, 1000, 1 << 31])

    def _keys_of_others(self) -> list[_Key]:
        """Return attempts of jobs on the nodes of honest agents, some of them old or to come."""
        return [
            (job.id, max(0, job.attempt + self.rng.choice([-1, 0, 0, 0, 1])), piece.node)
            for job in self._jobs()
            for piece in job.allocation
            if not piece.node.startswith(LIAR)
        ]

    def _jobs(self) -> list[Job]:
        scheduler = self.cluster.scheduler
        return [] if scheduler is None else list(scheduler.core.jobs.values())

    def _next_id(self) -> int:
        scheduler = self.cluster.scheduler
        return 1 if scheduler is None else scheduler.cluster.next_id

    def _agent_ids(self) -> list[str]:
        scheduler = self.cluster.scheduler
        return (
            [] if scheduler is None else [row["agent_id"] for row in scheduler.node_rows.values()]
        )

    def _some(self, among: list[_One]) -> list[_One]:
        return self.rng.sample(among, min(len(among), self.rng.randint(1, 4)))
