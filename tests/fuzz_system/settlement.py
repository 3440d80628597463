"""The end of a round: all nodes run jobs, the decisions verify, and a restart changes nothing."""

from __future__ import annotations

import contextlib
import random
import subprocess
import time
from typing import Any

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES
from tests.commands import BIN
from tests.fuzz_system.honest import Honest
from tests.fuzz_system.janitor import Janitor
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.system import HONEST_MIB, System
from tests.waiting import wait_until

_ALL_OVER_WITHIN_S = 120.0
_SERVES_WITHIN_S = 120.0
_AT_ONCE = 500
_ALL = 1_000_000
_SAME = ("state", "cause", "exit_code", "signal", "attempt", "name", "user", "nodelist")
"""Fields of a job that is over, which no restart may change."""


def settle(system: System, judge: Judge, honest: Honest, janitor: Janitor, seed: str) -> str:
    """Judge a system to which nobody talks any more. Return the last words of `rmsd verify`.

    The daemon is restarted, by `seed` after SIGTERM or after SIGKILL.
    """
    janitor.end_all()
    with system.client() as client:
        _wait_until_all_over(client, judge)
        for node in sorted(system.honest_nodes):
            _run_on(client, node, judge)
        before = _jobs(client)
    for job_id in honest.jobs.keys() - before.keys():
        judge.found("lost", f"job {job_id} was acknowledged and is not there")
    judge.stop()
    system.daemon.stop() if random.Random(seed).random() < 0.5 else system.daemon.kill()
    told = _verify(system, judge)
    system.daemon.start(nodes=0)
    with system.client() as client:
        after = _jobs(client)
    changed = [job_id for job_id in before | after if before.get(job_id) != after.get(job_id)]
    for job_id in changed[:5]:
        judge.found("restart", f"{before.get(job_id)} became {after.get(job_id)}")
    wait_until(lambda: system.honest_nodes <= system.nodes_up(), "the nodes are up again")
    return told


def _wait_until_all_over(client: Client, judge: Judge) -> None:
    """Cancel what waits, and wait until the rest has ended."""
    until_s = time.monotonic() + _ALL_OVER_WITHIN_S
    while jobs := client.jobs():
        if time.monotonic() > until_s:
            left = [(job["job_id"], job["state"], job["nodelist"]) for job in jobs[:20]]
            judge.found("not over", f"{len(jobs)} jobs are left in the end: {left}")
            return
        waiting = [job["job_id"] for job in jobs if job["state"] == "PENDING"]
        with contextlib.suppress(ClientError):
            client.cancel_all(waiting[:_AT_ONCE])
        time.sleep(0.5)


def _run_on(client: Client, node: str, judge: Judge) -> None:
    """Have one job run on this node, which all others are drained for."""
    others = [one["name"] for one in client.nodes() if one["name"] != node]
    for name in others:
        client.drain(name, "another node has its turn")
    script = f"#!/bin/sh\ntest $RMS_NODENAME = {node}\n"
    [submitted] = client.submit(
        [{"script": script, "workdir": "/", "stdout": "/dev/null", "mem_mib": HONEST_MIB}]
    )
    try:
        job = client.wait(submitted["job_id"], _SERVES_WITHIN_S)
        if job["state"] != "COMPLETED":
            judge.found("node useless", f"{node}: the job is {job['state']}: {job['message']}")
    except TimeoutError as error:
        judge.found("node useless", f"{node}: {error}")
        client.cancel(submitted["job_id"])
    for name in others:
        with contextlib.suppress(ClientError):  # an agent may have withdrawn it
            client.resume(name)


def _jobs(client: Client) -> dict[int, dict[str, Any]]:
    """Return what must stay of all jobs that are over."""
    jobs = client.jobs(states="all", limit=_ALL)
    return {
        job["job_id"]: {field: job[field] for field in _SAME}
        for job in jobs
        if job["state"] in TERMINAL_STATES
    }


def _verify(system: System, judge: Judge) -> str:
    done = subprocess.run(
        [BIN / "rmsd", "verify", str(system.daemon.state)],
        capture_output=True,
        text=True,
        env=system.daemon.env,
        check=False,
    )
    told = (done.stdout + done.stderr).strip()
    if done.returncode != 0:
        judge.found("verify", told)
    return told.rpartition("\n")[2]
