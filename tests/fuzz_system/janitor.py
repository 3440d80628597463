"""An administrator, who keeps the cluster usable, and a job whose token a hostile caller has."""

from __future__ import annotations

import threading

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.requests import Known
from tests.fuzz_system.system import HOSTILE, OPERATOR, System

_LOOKS_EVERY_S = 3.0
_LASTS_S = 15.0
"""Time that hostile jobs may wait and run, so that they leave room for others."""
_MOST_AT_ONCE = 500


class Janitor:
    """A thread that cancels old hostile jobs until `stop`."""

    def __init__(self, system: System, judge: Judge, known: Known) -> None:
        self._system = system
        self._judge = judge
        self._known = known
        self._holder = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def end_all(self) -> None:
        """Cancel all jobs of the hostile, and take back their drains."""
        with self._system.client() as client:
            while jobs := client.jobs(user=f"{HOSTILE},{OPERATOR}"):
                left = [job["job_id"] for job in jobs if job["state"] != "COMPLETING"]
                if not left:
                    break
                client.cancel_all(left[:_MOST_AT_ONCE])
            for node in client.nodes():
                if node["state"] in ("drained", "draining"):
                    client.resume(node["name"])

    # ------------------------------------------------------------ inside

    def _work(self) -> None:
        with self._system.client() as client:
            while not self._stopping.wait(_LOOKS_EVERY_S) and not self._judge.over.is_set():
                try:
                    self._look(client)
                except ClientError as error:
                    if not self._judge.over.is_set():
                        self._judge.found("janitor refused", str(error))

    def _look(self, client: Client) -> None:
        now_us = client.status()["clock"]["model_us"]
        jobs = client.jobs(user=f"{HOSTILE},{OPERATOR}")
        if not any(job["job_id"] == self._holder for job in jobs):
            self._holder = self._hold(client)
        old = [
            job["job_id"]
            for job in jobs
            if now_us - job["submit_us"] > _LASTS_S * 1e6
            and job["job_id"] != self._holder
            and job["state"] != "COMPLETING"
        ]
        if old:
            client.cancel_all(old[:_MOST_AT_ONCE])

    def _hold(self, client: Client) -> int:
        """Submit a job that runs for long, and let callers have its token. Return its number."""
        spec = {
            "script": "#!/bin/sh\nsleep 100000\n", "user": HOSTILE, "name": "holder",
            "constraint": "emulated", "workdir": "/", "stdout": "/dev/null",
        }  # fmt: skip
        [submitted] = client.submit([spec])
        self._known.add_jobs([submitted["job_id"]])
        self._system.set_job_token(submitted["job_id"], 1)
        return int(submitted["job_id"])
