"""An honest user, who submits, looks and waits all the time, and must not notice the others."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_wire.hostlist import expand
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.requests import Known
from tests.fuzz_system.system import HONEST_MIB, System

_ENDS_WITHIN_S = 300.0
_ANSWERED_WITHIN_S = 60.0
_PAUSE_S = 0.2
_LIMIT_S = 120.0
_CODES = (0, 0, 3, 17)


class Honest:
    """Threads that submit and look until `stop`.

    `jobs` has the exit code that was asked for, by the number of each acknowledged job. `states`
    counts the ends. `slowest_s` has the longest time of an answer, by what was asked.
    """

    def __init__(self, system: System, judge: Judge, known: Known, seed: str) -> None:
        self._system = system
        self._judge = judge
        self._known = known
        self._seed = seed
        self._work = system.root / "honest"
        self._work.mkdir(mode=0o700)
        self.jobs: dict[int, int] = {}
        self.states: Counter[str] = Counter()
        self.slowest_s: dict[str, float] = {}
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._submit_all, args=(0,)),
            threading.Thread(target=self._submit_all, args=(1,)),
            threading.Thread(target=self._look_all),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Submit no more, and wait for what was submitted."""
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    # ------------------------------------------------------------ inside

    def _submit_all(self, number: int) -> None:
        rng = random.Random(f"{self._seed}/honest/{number}")
        with self._system.client() as client:
            at = 0
            while not self._stopping.wait(_PAUSE_S) and not self._judge.over.is_set():
                at += 1
                try:
                    self._one(client, rng, f"h{number}-{at}")
                except (ClientError, TimeoutError) as error:
                    if not self._judge.over.is_set():
                        self._judge.found("honest refused", f"{type(error).__name__}: {error}")

    def _one(self, client: Client, rng: random.Random, tag: str) -> None:
        """Submit a job, wait for its end, and look at what became of it."""
        code = rng.choice(_CODES)
        spec = self._spec(rng, tag, code)
        if "emulate" in spec:
            code = 0
        [submitted] = self._timed("submit", client.submit, [spec])
        job_id = submitted["job_id"]
        self.jobs[job_id] = code
        self._known.honest = [*self._known.honest, job_id][-10:]
        job = self._awaited(client, job_id)
        if job["state"] not in TERMINAL_STATES:
            if not self._judge.over.is_set():
                self._judge.found("not over", f"{tag}: {_told(job)} after {_ENDS_WITHIN_S:.0f} s")
            return
        self.states[job["state"]] += 1
        if not self._ran_with_liars(client, job):
            self._check(job, tag, code)

    def _spec(self, rng: random.Random, tag: str, code: int) -> dict[str, Any]:
        usual = {"name": tag, "time_limit_s": _LIMIT_S, "mem_mib": HONEST_MIB}
        if rng.random() < 0.2:
            return usual | {"emulate": {"run_s": round(rng.uniform(0, 0.5), 3)}}
        body = f"echo {tag}; sleep {rng.uniform(0, 0.4):.2f}"
        if rng.random() < 0.1:
            body += f"; rrun sh -c 'exit {code}'"
        where = {"workdir": str(self._work), "stdout": f"{tag}.out"}
        return usual | where | {"script": f"#!/bin/sh\n{body}; exit {code}\n"}

    def _awaited(self, client: Client, job_id: int) -> dict[str, Any]:
        """Return the job once it is over, or when it should have been."""
        until_s = time.monotonic() + _ENDS_WITHIN_S
        while True:
            job: dict[str, Any] = client.job(job_id, wait_s=5.0)
            done = job["state"] in TERMINAL_STATES or time.monotonic() > until_s
            if done or self._judge.over.is_set():
                return job

    def _check(self, job: dict[str, Any], tag: str, code: int) -> None:
        if (job["cause"], job["exit_code"]) != ("exit", code):
            self._judge.found("untrue", f"{tag}: {_told(job)} instead of exit code {code}")
        elif job["stdout"] != "/dev/null" and self._output(tag) != f"{tag}\n":
            self._judge.found("output", f"{tag}: {_told(job)}, wrote {self._output(tag)!r}")

    def _output(self, tag: str) -> str:
        path = Path(self._work, f"{tag}.out")
        return path.read_text() if path.exists() else ""

    def _ran_with_liars(self, client: Client, job: dict[str, Any]) -> bool:
        """Return whether an attempt was on a node of a lying agent, which may say what it likes."""
        lists = [job["nodelist"], *(one["nodelist"] for one in client.attempts(job["job_id"]))]
        nodes = {name for text in lists if text for name in _expanded(text)}
        return not nodes <= self._system.honest_nodes

    def _look_all(self) -> None:
        """Ask what people ask, and note how long the answers take."""
        rng = random.Random(f"{self._seed}/honest/looks")
        with self._system.client(retry_for_s=_ANSWERED_WITHIN_S) as client:
            while not self._stopping.wait(_PAUSE_S) and not self._judge.over.is_set():
                name, ask = rng.choice(self._asks(client, rng))
                try:
                    self._timed(name, ask)
                except ClientError as error:
                    status = getattr(error, "status", None)
                    fair = name == "output" and status in (404, 409, 503)
                    if not fair and not self._judge.over.is_set():
                        self._judge.found("honest refused", f"{name}: {status} {error}")

    def _asks(self, client: Client, rng: random.Random) -> list[tuple[str, Callable[[], object]]]:
        """Return what can be asked now, by name."""
        asks: list[tuple[str, Callable[[], object]]] = [
            ("status", client.status),
            ("nodes", client.nodes),
            ("plan", client.plan),
            ("jobs", partial(client.jobs, states="all", limit=50)),
        ]
        if known := list(self.jobs):
            job_id = rng.choice(known)
            asks += [
                ("explain", partial(client.explain, job_id)),
                ("output", partial(client.output, job_id)),
            ]
        return asks

    def _timed(self, name: str, call: Any, *args: Any) -> Any:
        began_s = time.monotonic()
        try:
            return call(*args)
        finally:
            took_s = time.monotonic() - began_s
            self.slowest_s[name] = max(took_s, self.slowest_s.get(name, 0.0))


def _expanded(text: str) -> list[str]:
    try:
        return expand(text)
    except ValueError:
        return [text]


def _told(job: dict[str, Any]) -> str:
    return (
        f"job {job['job_id']} is {job['state']} by {job['cause']}, code {job['exit_code']}, "
        f"attempt {job['attempt']} on {job['nodelist'][:50]!r} "
        f"({job['reason']}; {job['message'][:200]})"
    )
