"""How long a submit takes while somebody misbehaves."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median
from typing import Any

from rmsd_cli.private_daemon import private_daemon
from rmsd_client.api import Client
from tests import neighbours
from tests.bench.measure import Figures, percentile

_SUBMITS = 300
_GAP_S = 0.01
_FORKING = "#!/bin/sh\nfor i in $(seq 400); do sleep 30 & done; wait\n"
_DEAF = "#!/bin/sh\ntrap '' HUP INT QUIT TERM USR1 USR2\nwhile :; do sleep 1; done\n"


def bench() -> Figures:
    """Each goes on for as long as 300 submits of another client take, one every 10 ms or so."""
    figures: Figures = {}
    for what, neighbour in _NEIGHBOURS.items():
        with private_daemon(["--no-local-node", "--emulate", "4x4"]) as client:
            path = Path(client.server.removeprefix("unix:"))
            with neighbour(client, path):
                taken_s = [_submit_s(client) for _ in range(_SUBMITS)]
        figures[f"{what}: a submit, median"] = f"{1e3 * median(taken_s):.1f} ms"
        figures[f"... {what}, 99th percentile"] = f"{1e3 * percentile(taken_s, 99):.1f} ms"
    return figures


def _submit_s(client: Client) -> float:
    time.sleep(_GAP_S)
    begun_s = time.perf_counter()
    client.submit([{"emulate": {"run_s": 0}}])
    return time.perf_counter() - begun_s


@contextlib.contextmanager
def _jobs(client: Client, script: str, count: int, cancelled: bool) -> Iterator[None]:
    spec = {"script": script, "workdir": "/", "stdout": "/dev/null"}
    ids = [told["job_id"] for told in client.submit([spec] * count)]
    if cancelled:
        for job_id in ids:
            while client.job(job_id)["state"] != "RUNNING":
                time.sleep(0.01)
            client.cancel(job_id)
    yield


def _lying(client: Client, path: Path) -> AbstractContextManager[Any]:
    [told] = client.submit([{"emulate": {"run_s": 1000}}])
    while (job := client.job(told["job_id"]))["state"] != "RUNNING":
        time.sleep(0.01)
    return neighbours.agent_that_lies(path, [job])


_NEIGHBOURS: dict[str, Callable[[Client, Path], AbstractContextManager[Any]]] = {
    "nobody else": lambda *_: contextlib.nullcontext(),
    "8 clients that never read": lambda _, path: neighbours.clients_that_never_read(path),
    "10,000 connections": lambda _, path: neighbours.connections(path),
    "200 bodies that never come": lambda _, path: neighbours.trickling_bodies(path),
    "4 clients without a pause": lambda client, _: neighbours.impatient_clients(client.server),
    "an agent that lies": _lying,
    "a script that starts 400 processes": lambda client, _: _jobs(client, _FORKING, 1, False),
    "4 jobs that ignore signals, cancelled": lambda client, _: _jobs(client, _DEAF, 4, True),
}
