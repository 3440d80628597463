"""The time of a submit while another user misbehaves."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pwd
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

from rmsd_cli.certificates import make
from rmsd_client.api import Client
from tests import neighbours
from tests.bench.measure import Figures, percentile
from tests.bench.private_daemon import private_daemon
from tests.tcp import free_port

_SUBMITS = 300
_GAP_S = 0.01
_ACCOUNT = "nobody"
_FORKING = "#!/bin/sh\nfor i in $(seq 400); do sleep 30 & done; wait\n"
_DEAF = "#!/bin/sh\ntrap '' HUP INT QUIT TERM USR1 USR2\nwhile :; do sleep 1; done\n"


def bench() -> Figures:
    """Each goes on for as long as 300 submits of another client take, one every 10 ms or so, in a
    process of its own. Run by root, each has another account, except the agent, which has the
    daemon's."""
    figures: Figures = {}
    for what in _NEIGHBOURS:
        with _daemon() as (client, public), _neighbour(what, client, public):
            taken_s = [_submit_s(client) for _ in range(_SUBMITS)]
        figures[f"{what}: a submit, median"] = f"{1e3 * median(taken_s):.1f} ms"
        figures[f"... {what}, 99th percentile"] = f"{1e3 * percentile(taken_s, 99):.1f} ms"
    return figures


@contextlib.contextmanager
def _daemon() -> Iterator[tuple[Client, Path | None]]:
    """Yield a client of its private socket, and for root the socket that serves everybody."""
    listen = f"127.0.0.1:{free_port()}"
    options = ["--no-local-node", "--emulate", "4x4", "--listen", listen]
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder, "tls"), ["127.0.0.1"])
        config = Path(folder, "rmsd.toml")
        config.write_text(f'tls_cert = "{folder}/tls/cert.pem"\ntls_key = "{folder}/tls/key.pem"\n')
        options += ["--config", str(config)]
        public = None
        if os.getuid() == 0:
            os.chmod(folder, 0o755)
            public = Path(folder, "rmsd.sock")
            options += ["--socket", str(public)]
        with private_daemon(options) as client:
            yield client, public


@contextlib.contextmanager
def _neighbour(what: str, client: Client, public: Path | None) -> Iterator[None]:
    # the load shares no interpreter with the measurement
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    private = Path(client.server.removeprefix("unix:"))
    process = context.Process(target=_misbehave, args=(what, private, public, theirs))
    process.start()
    theirs.close()
    try:
        ours.recv()  # raises EOFError if it could not begin
        yield
    finally:
        ours.close()
        process.join()


def _misbehave(what: str, private: Path, public: Path | None, pipe: Connection) -> None:
    path = private
    if public is not None and what != _LYING:
        path = public
        "".encode("idna")  # sockets load it, which the account perhaps cannot
        os.setuid(pwd.getpwnam(_ACCOUNT).pw_uid)
    with (
        contextlib.suppress(EOFError),
        Client(f"unix:{path}") as client,
        _NEIGHBOURS[what](client, path),
    ):
        pipe.send(None)
        pipe.recv()  # until it is closed


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


def _handshakes(client: Client, _: Path) -> AbstractContextManager[Any]:
    port = str(client.status()["listen"]).rpartition(":")[2]
    return neighbours.endless_handshakes(int(port))


def _lying(client: Client, path: Path) -> AbstractContextManager[Any]:
    [told] = client.submit([{"emulate": {"run_s": 1000}}])
    while (job := client.job(told["job_id"]))["state"] != "RUNNING":
        time.sleep(0.01)
    return neighbours.agent_that_lies(path, [job])


_LYING = "an agent that lies"
_NEIGHBOURS: dict[str, Callable[[Client, Path], AbstractContextManager[Any]]] = {
    "nobody else": lambda *_: contextlib.nullcontext(),
    "8 clients that never read": lambda _, path: neighbours.clients_that_never_read(path),
    "10,000 connections": lambda _, path: neighbours.connections(path),
    "200 bodies that never come": lambda _, path: neighbours.trickling_bodies(path),
    "4 clients without a pause": lambda client, _: neighbours.impatient_clients(client.server),
    "handshakes that end in the middle": _handshakes,
    _LYING: _lying,
    "a script that starts 400 processes": lambda client, _: _jobs(client, _FORKING, 1, False),
    "4 jobs that ignore signals, cancelled": lambda client, _: _jobs(client, _DEAF, 4, True),
}
