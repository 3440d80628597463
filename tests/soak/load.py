"""The stream of jobs: scripts that write down in a file of their own what they do.

A job appends a line when it begins and one when it ends. It holds a lock on its file as long as any
process of the attempt lives. A second run is therefore seen from outside, whatever its cause.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError
from tests.soak.history import Answer, Asked

MARK = "SOAK_TAG"
"""The variable that names the job in the environment of its processes."""

_LONG_S = 120.0  # the limit of those that end before
_STUBBORN_LIMIT_S = 1.5
_RETRY_S = 90.0
_MOST_WAITING = 30
_SUBMITTERS = 2
_REFUSALS = (429, 503, 507)  # too many, about to stop, no room: nothing was stored
_PAUSE_S = 0.3  # each submitter's mean pause
_HEAD = """#!/bin/sh
exec 9>>"$SOAK_FILE"
flock -n 9 || echo "overlap $RMS_ATTEMPT -" >&9
read up rest </proc/uptime
echo "begin $RMS_ATTEMPT $up" >&9
finish() { echo "end $RMS_ATTEMPT $1" >&9; exit "$1"; }
"""

Spec = dict[str, Any]


def _short(rng: random.Random) -> Spec:
    body = f"sleep {rng.uniform(0, 0.5):.3f}; finish {rng.choice((0, 0, 3, 17))}"
    return {"script": body, "restartable": rng.random() < 0.5}


def _longer(rng: random.Random) -> Spec:
    body = f"sleep {rng.uniform(1, 6):.3f}; finish {rng.choice((0, 0, 5))}"
    return {"script": body, "cpus_per_task": rng.choice((1, 2))}


def _daemonizing(rng: random.Random) -> Spec:
    body = "setsid sleep 300 & (setsid setsid sleep 300 &); sleep 300 & "
    return {"script": body + f"sleep {rng.uniform(0, 1):.3f}; finish 0"}


def _stubborn(_: random.Random) -> Spec:
    body = "trap '' TERM; setsid sleep 300 & while :; do sleep 1; done"
    return {"script": body, "time_limit_s": _STUBBORN_LIMIT_S}


def _cancelled(_: random.Random) -> Spec:
    return {"script": "setsid sleep 300 & sleep 300; finish 0"}


def _parallel(rng: random.Random) -> Spec:
    task = (
        f'echo "task $RMS_ATTEMPT $RMS_PROCID" >>"$SOAK_FILE"; sleep {rng.uniform(0, 1):.3f}; '
        "exit 0"
    )
    return {"script": f"rrun sh -c '{task}'; finish $?", "nodes": 2, "tasks": 2}


def _timer(rng: random.Random) -> Spec:
    return {"emulate": {"run_s": round(rng.uniform(0.2, 3), 3)}}


KINDS: dict[str, tuple[int, Callable[[random.Random], Spec]]] = {
    "short": (8, _short),
    "longer": (4, _longer),
    "daemonizing": (2, _daemonizing),
    "stubborn": (1, _stubborn),
    "cancelled": (2, _cancelled),
    "parallel": (1, _parallel),
    "timer": (2, _timer),
}
"""Name: how often it comes, and what it is."""


class Load:
    """Submitters, each a thread with a client of its own, until `stop`.

    `waiting` tells how many jobs wait: beyond some, nobody submits. `env`: for all jobs. `asked` is
    what was submitted.
    """

    def __init__(
        self,
        server: str,
        directory: Path,
        seed: int,
        waiting: Callable[[], int],
        env: Mapping[str, str],
    ) -> None:
        self.directory = directory
        self.asked: list[Asked] = []
        self._server = server
        self._seed = seed
        self._waiting = waiting
        self._env = env
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._submit_all, args=(i,), daemon=True)
            for i in range(_SUBMITTERS)
        ]
        directory.mkdir()

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Submit nothing more. It takes a while: what was to be cancelled is cancelled first."""
        self._stopping.set()

    @property
    def stopped(self) -> bool:
        """Return whether the load no longer submits or cancels."""
        return not any(thread.is_alive() for thread in self._threads)

    def _submit_all(self, number: int) -> None:
        rng = random.Random(f"{self._seed}.{number}")
        to_cancel: list[tuple[float, Asked]] = []
        with Client(self._server, retry_for_s=_RETRY_S) as client:
            for at in range(1 << 30):
                if self._stopping.wait(rng.uniform(0, 2 * _PAUSE_S)):
                    break
                if self._waiting() <= _MOST_WAITING:
                    asked = self._submit(client, rng, f"j{number}-{at}")
                    if asked.kind == "cancelled" and asked.job_id is not None:
                        to_cancel.append((time.monotonic() + rng.uniform(0, 4), asked))
                for due in [one for one in to_cancel if one[0] <= time.monotonic()]:
                    to_cancel.remove(due)
                    _cancel(client, due[1])
            for _, asked in to_cancel:
                _cancel(client, asked)

    def _submit(self, client: Client, rng: random.Random, tag: str) -> Asked:
        kinds = list(KINDS)
        [kind] = rng.choices(kinds, [KINDS[name][0] for name in kinds])
        spec = KINDS[kind][1](rng)
        asked = Asked(tag, kind, spec.get("cpus_per_task", 1))
        client.retry_for_s = rng.choice((0.0, _RETRY_S))
        self.asked.append(asked)
        try:
            [job] = client.submit([self._whole(spec, tag)])
            asked.answer, asked.job_id = Answer.TAKEN, job["job_id"]
        except ApiError as error:
            if error.status not in _REFUSALS:
                raise
            asked.answer = Answer.REFUSED
        except ClientError:
            asked.answer = Answer.NONE
        client.retry_for_s = _RETRY_S
        return asked

    def _whole(self, spec: Spec, tag: str) -> Spec:
        whole = {"name": tag, "time_limit_s": _LONG_S, **spec}
        if "script" in spec:
            whole |= {
                "script": _HEAD + spec["script"] + "\n",
                "env": {**self._env, MARK: tag, "SOAK_FILE": str(self.directory / tag)},
                "workdir": str(self.directory),
                "stdout": "/dev/null",
            }
        return whole


def _cancel(client: Client, asked: Asked) -> None:
    """Cancel the job, again until the request is answered."""
    assert asked.job_id is not None
    asked.cancel_asked = True
    while not asked.cancel_answered:
        try:
            client.cancel(asked.job_id)
            asked.cancel_answered = True
        except ApiError as error:
            if error.status in (404, 409):  # lost with damaged data, which is judged; over already
                return
            if error.status not in _REFUSALS:
                raise
            time.sleep(0.5)
        except ClientError:
            continue
