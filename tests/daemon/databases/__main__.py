"""Make a stored database: what a daemon of an earlier commit leaves behind.

`python -m tests.daemon.databases COMMIT REVISION` runs that commit's daemon with a few jobs in
every state, stops it, and writes REVISION.sql here. Do so before a revision changes the tables.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from rmsd_client.api import Client
from tests.older import code_of
from tests.waiting import wait_until

_MACHINE = ("hostname", "os", "cpu_model", "agent_id")


def run(commit: str, folder: Path) -> Path:
    """Return the database that the daemon of `commit` has written in `folder`."""
    state = folder / "s"
    env = {"PATH": os.environ["PATH"], "HOME": "/"} | code_of(commit, folder / "code")
    start = ["start", "--state-dir", str(state), "--no-local-node", "--emulate", "2x4"]
    with (folder / "log").open("wb") as log:
        command = [sys.executable, "-m", "rmsd_cli.main", *start]
        daemon = subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log)
    try:
        wait_until(lambda: (state / "rmsd.sock").exists() or daemon.poll() is not None)
        assert daemon.poll() is None, (folder / "log").read_text()
        with Client(f"unix:{state}/rmsd.sock", retry_for_s=30) as client:
            wait_until(lambda: [node["state"] for node in client.nodes()] == ["idle", "idle"])
            fill(client)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(30)
    return state / "rmsd.db"


def fill(client: Client) -> None:
    """Make jobs in every state, a drained node, an advance reservation, an idempotency key and a
    token."""

    def script(text: str, **spec: Any) -> int:
        body = {"script": f"#!/bin/sh\n{text}\n", "workdir": "/", "stdout": "/dev/null", **spec}
        return int(client.submit([body])[0]["job_id"])

    def timer(run_s: float, **spec: Any) -> int:
        return int(client.submit([{"emulate": {"run_s": run_s}, **spec}])[0]["job_id"])

    over = [
        script("exit 0", name="fine", env={"GREETING": "hello"}),
        script("exit 3", name="failed", comment="says 3"),
        script("kill -9 $$", name="shot"),
        script("sleep 60", name="slow", time_limit_s=1),
        timer(0.1, name="timer", user="ann"),
        timer(0.2, name="timer", user="ann", tasks=3),
    ]
    for job_id in over:
        client.wait(job_id, 30)
    cancelled = timer(1e6, name="cancelled")
    wait_until(lambda: client.job(cancelled)["state"] == "RUNNING")
    client.cancel(cancelled)
    client.wait(cancelled, 30)
    running = [timer(1e6, name="long", tasks=3), timer(1e6, name="wide", nodes=2, tasks=2)]
    wait_until(lambda: all(client.job(job_id)["state"] == "RUNNING" for job_id in running))
    client.cancel(timer(5, name="never", tasks=8))
    client.submit([{"emulate": {"run_s": 5}, "name": "waits", "tasks": 8}] * 2, key="twice")
    script("exit 0", name="waits-too", tasks=8, time_limit_s=60)
    client.drain("e2", "its fan")
    soon = {"start_in_s": 30, "duration_s": 30, "nodes": "e1", "ignore_jobs": True}
    client.reserve({"name": "course", "users": ["ann"], "accounts": ["physics"], **soon})
    token = {"id": "ab12ab12ab12", "digest": "ab" * 32, "expires_s": None, "name": "laptop"}
    client.make_token(token)


def dump(database: Path) -> str:
    """Return the database's SQL, without what is this machine's."""
    with closing(sqlite3.connect(database)) as connection:
        [header] = connection.execute(
            "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version"
        )
        rows = connection.execute(f"SELECT {', '.join(_MACHINE)} FROM node").fetchall()
        lines = list(connection.iterdump())
    text = "\n".join(lines)
    told = {value: name for row in rows for name, value in zip(_MACHINE, row, strict=True) if value}
    told |= {socket.gethostname(): "hostname", str(Path.home()): "home"}
    for value, name in sorted(told.items(), key=lambda one: -len(one[0])):
        text = re.sub(re.escape(json.dumps(value)[1:-1]), name, text)
    pragmas = "PRAGMA application_id={};\nPRAGMA user_version={};\n".format(*header)
    return pragmas + text + "\n"


if __name__ == "__main__":
    [commit, revision] = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="rt", dir="/tmp") as name:
        text = dump(run(commit, Path(name)))
    (Path(__file__).parent / f"{revision}.sql").write_text(text)
