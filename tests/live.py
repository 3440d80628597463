"""A real daemon with its real agent and real processes, for tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import Verdict, verify
from tests.commands import BIN, run_program
from tests.waiting import DEADLINE_S, wait_until
from tests.warm_process import start_program


class Daemon:
    """`rmsd start` in the foreground on a short state directory of its own.

    `options` and `config` (TOML text) hold for every start; `stop` and `kill` leave jobs running.
    """

    def __init__(self, *options: str, config: str = "") -> None:
        self.root = Path(tempfile.mkdtemp(prefix="rt", dir="/tmp"))
        self.state = self.root / "s"
        self.work = self.root / "w"
        self.work.mkdir()
        self.log = self.root / "daemon.log"
        self.options = options
        self._config = self.root / "rmsd.toml"
        self._config.write_text(config)
        self.env = {
            key: value for key, value in os.environ.items() if not key.startswith(("RMS", "XDG_"))
        }
        self.env["RMSD_STATE_DIR"] = str(self.state)
        self.client = Client(f"unix:{self.state}/rmsd.sock", retry_for_s=DEADLINE_S)
        self.process: subprocess.Popen[bytes] | None = None
        self.spoiled = False  # True if the test has damaged the record of decisions

    # ------------------------------------------------------------ the daemon's life

    def configure(self, config: str) -> None:
        """Add to the configuration (TOML text)."""
        self._config.write_text(f"{config}{self._config.read_text()}")

    def configure_anew(self, config: str) -> None:
        """Replace the configuration (TOML text)."""
        self._config.write_text(config)

    def command(self, *options: str) -> list[str]:
        """Return the command line of `rmsd start` here."""
        start = [str(BIN / "rmsd"), "start", "--config", str(self._config)]
        return [*start, *self.options, *options]

    def start(self, nodes: int | None = None) -> Daemon:
        """Start it; wait until it answers and `nodes` nodes are up (default: all of its own)."""
        process = self.spawn()
        expected = self._expected_nodes() if nodes is None else nodes
        wait_until(lambda: self._answers() or process.poll() is not None)
        assert process.poll() is None, self.log.read_text()
        wait_until(lambda: self.nodes_up() >= expected, "nodes are up")
        return self

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start its process, and wait for nothing."""
        with self.log.open("ab") as out:
            self.process = start_program(
                self.command(), env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        return self.process

    def _answers(self) -> bool:
        return (self.state / "rmsd.sock").exists() and self.client.status()["pid"] == self.pid

    def _expected_nodes(self) -> int:
        count = 0 if "--no-local-node" in self.options else 1
        if "--emulate" in self.options:
            emulate = self.options[self.options.index("--emulate") + 1]
            count += int(emulate.partition("x")[0])
        return count

    def nodes_up(self) -> int:
        return sum(node["state"] not in ("down", "suspect") for node in self.client.nodes())

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def agent_pid(self) -> int:
        """Return the pid of the local agent that runs now."""
        lock = self.state / "agent" / "agent.lock"
        return int(wait_until(lambda: lock.exists() and lock.read_text()))

    def stop(self) -> int:
        """Send SIGTERM, wait, and return the exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the daemon with SIGKILL."""
        self._end(signal.SIGKILL)

    def _end(self, number: int) -> int:
        assert self.process is not None
        self.client.close()
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)

    # ------------------------------------------------------------ its jobs

    def submit(self, script: str, **spec: Any) -> int:
        """Submit a job that runs this shell text in `work`, and return its id."""
        body = {"script": f"#!/bin/sh\n{script}\n", "workdir": str(self.work), **spec}
        return int(self.client.submit([body])[0]["job_id"])

    def emulate(self, run_s: float, **spec: Any) -> int:
        """Submit a job that is a timer on an emulated node, and return its id."""
        return int(self.client.submit([{"emulate": {"run_s": run_s}, **spec}])[0]["job_id"])

    def state_of(self, job_id: int) -> str:
        return str(self.client.job(job_id)["state"])

    def wait(self, job_id: int) -> dict[str, Any]:
        """Wait until the job is over, and return it."""
        return self.client.wait(job_id, DEADLINE_S)

    def wait_for(self, job_id: int, state: str) -> None:
        wait_until(lambda: self.state_of(job_id) == state, f"job {job_id} is {state}")

    def end_jobs(self) -> None:
        """Cancel all jobs, and wait until they are over."""
        for job in self.client.jobs():
            with contextlib.suppress(ApiError):  # the job has just ended
                self.client.cancel(job["job_id"])
        wait_until(lambda: not self.client.jobs())

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file in `work`; none if it is not there."""
        path = self.work / name
        return path.read_text().splitlines() if path.exists() else []

    # ------------------------------------------------------------ commands

    def run(
        self,
        program: str,
        *arguments: str | Path,
        expect: int | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run one of our programs in `work` to its end, as a user of this daemon has it. `env` is
        added to the user's environment."""
        return run_program(
            program,
            *arguments,
            expect=expect,
            env=self.env | dict(env or {}),
            cwd=self.work,
            timeout_s=DEADLINE_S,
        )

    def rmsd(
        self, *arguments: str | Path, expect: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `rmsd` as `run` does."""
        return self.run("rmsd", *arguments, expect=expect)

    def begin(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of our programs as `run` does, and let it go on."""
        return subprocess.Popen(
            [BIN / program, *arguments],
            env=self.env,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    # ------------------------------------------------------------ cleaning up

    def processes(self) -> list[psutil.Process]:
        """Return all processes of this state directory: daemon, agent, shepherds, jobs."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                words = [*process.cmdline(), *process.environ().values()]
                if process.pid != os.getpid() and any(str(self.root) in word for word in words):
                    found.append(process)
        return found

    def verdict(self) -> Verdict:
        """Decide again all that was decided here, and compare."""
        with snapshot(self.state) as database:
            return verify(database, lambda _: None)

    def close(self) -> None:
        """Leave no process and no file; what was decided must be what its inputs lead to."""
        self.client.close()
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE_S)
        deadline = time.monotonic() + DEADLINE_S
        looks_in_vain = 0  # one is not enough: while it is in an exec, a process has no words
        while looks_in_vain < 2 and time.monotonic() < deadline:
            left = self.processes()
            for process in left:
                with contextlib.suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(left, 0.2)
            looks_in_vain = 0 if left else looks_in_vain + 1
            time.sleep(0.02)
        try:
            if (self.state / "rmsd.db").exists() and not self.spoiled:
                verdict = self.verdict()
                assert verdict.difference is None, verdict.difference
        finally:
            shutil.rmtree(self.root, ignore_errors=True)


@contextlib.contextmanager
def other_agent(daemon: Daemon, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield an agent besides the daemon's own, with a state directory of its own."""
    command = [str(BIN / "rmsd-agent"), "--server", f"unix:{daemon.state}/rmsd.sock", *options]
    if os.geteuid() == 0:
        command.append("--allow-root-jobs")
    with (daemon.root / "other.log").open("ab") as log:
        agent = start_program(
            [*command, "--state-dir", str(daemon.root / "other")],
            env=daemon.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield agent
    finally:
        agent.kill()
        agent.wait()


def node_state(daemon: Daemon, name: str) -> str | None:
    """Return the state of a node, or None if the daemon knows no node of this name."""
    return {node["name"]: str(node["state"]) for node in daemon.client.nodes()}.get(name)
