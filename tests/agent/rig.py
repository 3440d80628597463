"""A real agent process, and the daemon's side of the link in a thread of the test."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psutil
import pytest
from aiohttp import WSMsgType, web

from rmsd_agent.shepherd.standalone.processes import boot_id
from rmsd_wire.link import (
    Ack,
    Clock,
    ExitedReport,
    Goodbye,
    Hello,
    Launch,
    LaunchedReport,
    StopAttempt,
    ToAgent,
    ToDaemon,
    Welcome,
    encoder,
)
from rmsd_wire.link_calls import Reply
from tests.commands import BIN
from tests.link_frames import to_daemon
from tests.waiting import DEADLINE_S, wait_until
from tests.warm_process import start_program

LEADS_S = (1.0, 10.0, 45.0)
"""The time that preparations have before a job's time comes. A test that found one too short takes
the next."""


_Message = TypeVar("_Message", Hello, LaunchedReport, ExitedReport, Reply)


class Peer:
    """Speaks the daemon's side of the link on a Unix socket and remembers what it heard.

    A thread runs its event loop; `received` holds pairs of (session, message).
    """

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.received: list[tuple[int, ToDaemon]] = []
        self.frames: list[list[ToDaemon]] = []
        self.sessions = 0
        self.acknowledges = True
        self.goodbye: Goodbye | None = None
        self.refused: dict[str, str] = {}
        self.rate = 1.0
        self.model_us = 0
        self.boot_id = boot_id()
        self.heartbeat_s = 60.0
        self.mute = False  # answers no ping
        self.hold = False  # has the next hello wait for its welcome
        self.holding = False
        self._ws: web.WebSocketResponse | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._runner: web.AppRunner | None = None
        self.start()

    def start(self) -> None:
        self._call(self._start())

    def stop(self) -> None:
        self._call(self._stop())

    def close(self) -> None:
        if self._runner is not None:
            self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def send(self, *messages: ToAgent) -> None:
        assert self._ws is not None
        self._call(self._ws.send_bytes(encoder.encode(messages)))

    def all(self, kind: type[_Message], job_id: int | None = None) -> list[_Message]:
        return [
            message
            for _, message in list(self.received)
            if isinstance(message, kind)
            and (job_id is None or getattr(message, "job_id", None) == job_id)
        ]

    def wait(self, kind: type[_Message], job_id: int | None = None, count: int = 1) -> _Message:
        """Return the latest message of a kind (about a job), as soon as there are `count`."""
        wait_until(lambda: len(self.all(kind, job_id)) >= count, f"{kind.__name__} of {job_id}")
        return self.all(kind, job_id)[-1]

    def reply(self, call: int) -> Reply:
        found: list[Reply] = wait_until(
            lambda: [r for r in self.all(Reply) if r.call == call], f"the reply to call {call}"
        )
        return found[0]

    def model_now_us(self) -> float:
        return self.model_us + (time.monotonic_ns() - self._anchor_ns) / 1000 * self.rate

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/v1/link", self._link)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        self.socket_path.unlink(missing_ok=True)
        await web.UnixSite(self._runner, str(self.socket_path)).start()

    async def _stop(self) -> None:
        assert self._runner is not None
        for site in list(self._runner.sites):
            await site.stop()  # first: an agent that is hung up on dials again at once
        if self._ws is not None:
            await self._ws.close()
            self._ws = None
        await self._runner.cleanup()
        self._runner = None

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        ws = web.WebSocketResponse(autoping=not self.mute)
        await ws.prepare(request)
        self.sessions += 1
        session = self.sessions
        async for frame in ws:
            if frame.type is WSMsgType.BINARY:
                await self._answer(ws, session, to_daemon.decode(frame.data))
        return ws

    async def _answer(
        self, ws: web.WebSocketResponse, session: int, messages: list[ToDaemon]
    ) -> None:
        answers: list[ToAgent] = []
        if isinstance(messages[0], Hello):
            if self.goodbye is not None:
                await ws.send_bytes(encoder.encode([self.goodbye]))
                return
            while self.hold:
                self.holding = True
                await asyncio.sleep(0.01)
            self._anchor_ns = time.monotonic_ns()
            clock = Clock(self.rate, self.model_us, self._anchor_ns, self.boot_id)
            answers.append(Welcome(messages[0].epoch, clock, self.heartbeat_s, self.refused))
            self._ws = ws
        reports = [m.seq for m in messages if isinstance(m, LaunchedReport | ExitedReport)]
        if reports and self.acknowledges:
            answers.append(Ack(max(reports)))
        if answers:
            await ws.send_bytes(encoder.encode(answers))
        self.frames.append(messages)
        self.received.extend([(session, message) for message in messages])  # all at once

    def _call(self, coroutine: Any) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(DEADLINE_S)


class Rig:
    """One agent on a state directory of its own, with its peer."""

    root_jobs = True  # when root runs the tests, jobs are root's

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="rmsd-", dir="/tmp"))
        self.work = self.root / "work"
        self.work.mkdir()
        self.peer = Peer(self.root / "d.sock")
        self.agent: subprocess.Popen[bytes] | None = None
        self._sleepers = 0

    @property
    def jobs_dir(self) -> Path:
        return self.root / "agent" / "jobs"

    def command(self, *options: str) -> list[str]:
        server = ["--server", f"unix:{self.peer.socket_path}"]
        state = ["--state-dir", str(self.root / "agent")]
        name = [] if "--emulate" in options and "--local-node" not in options else ["--name=n1"]
        root = ["--allow-root-jobs"] if self.root_jobs and os.geteuid() == 0 else []
        cgroup = [] if "--cgroup" in options else ["--cgroup=none"]
        binds = "--bind-processors" in options  # else jobs of all rigs would be on processor 0
        unbound = [] if binds else ["--no-bind-processors"]
        agent = [str(BIN / "rmsd-agent")]
        return [*agent, *server, *state, *name, *root, *cgroup, *unbound, *options]

    def start(self, *options: str) -> Hello:
        """Start the agent and wait until it has a session."""
        sessions = len(self.peer.all(Hello))
        with open(self.root / "agent.log", "ab") as log:
            self.agent = start_program(
                self.command(*options), stderr=log, env=os.environ | {"PYTHONWARNINGS": "default"}
            )
        return self.peer.wait(Hello, count=sessions + 1)

    def end_agent(self, number: int = signal.SIGKILL) -> int:
        assert self.agent is not None
        self.agent.send_signal(number)
        return self.agent.wait(DEADLINE_S)

    def launch(self, job_id: int, commands: str, **changes: Any) -> Launch:
        """Launch a job on n1 that runs shell commands in the work directory, output in
        `<job_id>.out`."""
        defaults: dict[str, Any] = {
            "job_id": job_id,
            "attempt": 1,
            "node": "n1",
            "batch": True,
            "model_start_us": 0,
            "time_limit_s": 60.0,
            "kill_grace_s": 30.0,
            "cores": 1,
            "script": f"#!/bin/sh\n{commands}\n",
            "workdir": str(self.work),
            "stdout": str(self.work / f"{job_id}.out"),
        }
        launch = Launch(**(defaults | changes))
        self.peer.send(launch)
        return launch

    def run(self, job_id: int, commands: str, **changes: Any) -> ExitedReport:
        self.launch(job_id, commands, **changes)
        return self.peer.wait(ExitedReport, job_id)

    def in_time(
        self,
        launch: Callable[[int, float], object],
        *steps: Callable[[int], object],
        leads_s: Sequence[float] = LEADS_S,
    ) -> int:
        """Return the id of the first job for which every step came true before its time came.

        `launch` starts a job whose time comes after so many seconds, and no sooner.
        """
        for job_id, lead_s in enumerate(leads_s, 1):
            due_s = time.monotonic() + lead_s
            launch(job_id, lead_s)
            if all(_before(due_s, partial(step, job_id)) for step in steps):
                return job_id
            self.stop(job_id)
            self.peer.wait(ExitedReport, job_id)
        pytest.fail("no job was ready in time")

    def has_said(self, word: str, times: int = 1) -> Callable[[int], bool]:
        """Return a step that is true once a job has written a word so many times."""
        return lambda job_id: self.output(job_id).count(word) >= times

    def stop(self, job_id: int, cause: str = "user") -> None:
        self.peer.send(StopAttempt(job_id, 1, "n1", cause))  # type: ignore[arg-type]

    def output(self, job_id: int) -> str:
        path = self.work / f"{job_id}.out"
        return path.read_text() if path.exists() else ""

    def log(self) -> str:
        """Return what the agent has logged."""
        return (self.root / "agent.log").read_text()

    def marker(self) -> str:
        """Return an argument for `sleep` that nobody else uses, to find the process by."""
        self._sleepers += 1
        return f"1{os.getpid():07d}{self._sleepers:02d}"

    def shepherds(self) -> list[psutil.Process]:
        return self._named("rmsd-shepherd")

    def nurseries(self) -> list[psutil.Process]:
        """Return the nurseries: more than one while an old one leaves."""
        return self._named("rmsd-nursery")

    def _named(self, name: str) -> list[psutil.Process]:
        mine = str(self.root / "agent/control.sock")
        return [p for p in _processes() if mine in p.info["cmdline"] and p.info["name"] == name]

    def shepherd_of(self, pid: int) -> psutil.Process:
        return psutil.Process(psutil.Process(pid).ppid())

    def close(self) -> None:
        if self.agent is not None and self.agent.poll() is None:
            self.end_agent()
        mine = str(self.root)
        looks_in_vain = 0  # one is not enough: while it is in an exec, a process has no words
        while looks_in_vain < 2:
            left = [p for p in _processes() if _belongs(p, mine)]
            for process in left:
                _kill(process)
            looks_in_vain = 0 if left else looks_in_vain + 1
            time.sleep(0.02)
        self.peer.close()
        log = self.root / "agent.log"
        said = log.read_text() if log.exists() else ""
        while self.root.exists():
            with contextlib.suppress(FileNotFoundError):  # a killed process has just deleted it
                shutil.rmtree(self.root)
        assert "Traceback" not in said, said
        assert "Warning" not in said, said


def _before(due_s: float, condition: Callable[[], object]) -> bool:
    """Return whether the condition came true before `due_s`."""
    wait_until(lambda: time.monotonic() >= due_s or condition())
    return time.monotonic() < due_s


def fork_bomb(marker: str, breeders: int = 2, pause: str = ":") -> str:
    """Return shell commands: a tree that forks all the time, though not for ever if nobody ends
    it."""
    return f"""
    breed() {{
        n=0
        while [ $n -lt {2000 // breeders} ]; do
            n=$((n+1)); (setsid sleep {marker} &); {pause}
        done
    }}
    {"breed & " * breeders}wait; sleep 60
    """


def sleeping(marker: str) -> list[psutil.Process]:
    """Return the live `sleep` processes with this argument."""
    return [p for p in _processes() if p.info["cmdline"][1:] == [marker]]


def _processes() -> list[psutil.Process]:
    found = psutil.process_iter(["name", "cmdline", "status", "environ", "cwd"])
    return [p for p in found if p.info["cmdline"] and p.info["status"] != psutil.STATUS_ZOMBIE]


def _belongs(process: psutil.Process, root: str) -> bool:
    """Return whether /proc shows a path of this rig for the process: a shepherd, a script or a
    command."""
    environ = process.info["environ"] or {}
    words = [*process.info["cmdline"], process.info["cwd"] or "", *environ.values()]
    return process.pid != os.getpid() and any(root in word for word in words)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
