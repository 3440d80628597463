"""The system under test: a daemon with its own agent, and two agents that come over the link.

Whoever dies is started again after a moment, as systemd would; the daemon sees to its own agent.
"""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from rmsd_agent.machine.inventory import real_node, short_hostname
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from tests.commands import BIN
from tests.live import Daemon
from tests.soak.history import Finding, Start
from tests.soak.namespace import Namespace
from tests.soak.tmpfs import SmallDisk
from tests.tcp import Tcp
from tests.waiting import wait_until

RECIPE = "timed-easy,trial=2"
_CONFIG = 'kill_grace = "1s"\nallow_root_jobs = true\nnode_dead = "{node_dead}"\n'
_ROOT = ["--allow-root-jobs"] if os.geteuid() == 0 else []
_PAUSE_S = 0.5  # at most, before somebody who died is started again
_LEAVE_S = 60.0
_DAYS_S = 7 * 86400.0  # tokens hold longer than any soak


@dataclass(slots=True)
class _Kept:
    """A process that is to run. `due_s`: when it is started again."""

    spawn: Callable[[], subprocess.Popen[bytes]]
    process: subprocess.Popen[bytes]
    due_s: float | None = None


class System:
    """Starts with `start`; `tend` must be called every few hundredths of a second from then on.

    `state`: of the daemon and, below, of its agent. `remote_states`: of the other agents, by name.
    """

    def __init__(
        self, rng: random.Random, *, host: str = "127.0.0.1", node_dead: str = "5m"
    ) -> None:
        self._rng = rng
        self._undo = contextlib.ExitStack()
        self.daemon = Daemon(
            "--emulate", "2x2", "--recipe", RECIPE, config=_CONFIG.format(node_dead=node_dead)
        )
        self.root = self.daemon.root
        self._tcp = Tcp(self.daemon, host, self.root / "tls")
        self._join_token = Path()
        self.user_token = Path()  # for jobs on nodes behind the link; made at the start
        self.remote_states = {name: self.root / name for name in ("r1", "x")}
        self._prefix: list[str] = []  # begins the commands of agents over the link
        here = short_hostname()
        cores = real_node(here).cores
        self.cores = {here: cores, "r1": cores, "e1": 2, "e2": 2, "x1": 2, "x2": 2}
        self.agents = {
            here: "agent",
            "e1": "agent",
            "e2": "agent",
            "r1": "r1",
            "x1": "x",
            "x2": "x",
        }
        self.starts: list[Start] = []
        self.client = Client(self.server, retry_for_s=0.0)  # for who tends: it may wait for nobody
        self._kept: dict[str, _Kept] = {}

    @property
    def server(self) -> str:
        """Return the server's address for clients on this machine."""
        return f"unix:{self.daemon.state}/rmsd.sock"

    def on_small_disks(self) -> list[SmallDisk]:
        """Put the state of the daemon, and so of its agent, and of another agent on file systems of
        their own. Before `start`. Raises MountError."""
        sizes_mib = {self.daemon.state: 48, self.remote_states["x"]: 2}
        disks = []
        for path, size_mib in sizes_mib.items():
            disks.append(SmallDisk(path, size_mib))
            self._undo.callback(disks[-1].close)
        return disks

    def behind(self, namespace: Namespace) -> None:
        """Have the agents over the link run in there. Before `start`."""
        self._prefix = namespace.prefix
        self._undo.callback(namespace.close)

    def start(self) -> None:
        """Start all processes, and wait until all nodes are up."""
        self._keep("daemon", self._spawn_daemon)
        wait_until(lambda: (self.daemon.state / "rmsd.sock").exists(), "the daemon's socket")
        joins = len(self.remote_states)
        self._join_token = self._tcp.file(
            self._tcp.token(role="agent", uses=joins, expires_s=_DAYS_S)
        )
        self.user_token = self._tcp.file(self._tcp.token(expires_s=_DAYS_S))
        for name in self.remote_states:
            self._keep(name, partial(self._spawn_agent, name))
        wait_until(lambda: self.daemon.nodes_up() == len(self.cores), "all nodes are up")

    def tend(self) -> None:
        """Start again who died, after a moment."""
        now_s = time.monotonic()
        for kept in self._kept.values():
            if kept.process.poll() is None:
                continue
            if kept.due_s is None:
                kept.due_s = now_s + self._rng.uniform(0, _PAUSE_S)
            elif kept.due_s <= now_s:
                kept.process, kept.due_s = kept.spawn(), None

    def tend_for(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self.tend()
            time.sleep(0.02)

    def tend_until(self, condition: Callable[[], bool], within_s: float) -> bool:
        """Tend the processes, and return whether the condition came true."""
        until_s = time.monotonic() + within_s
        while not condition():
            if time.monotonic() > until_s:
                return False
            self.tend_for(0.2)
        return True

    def daemon_answers(self) -> bool:
        """Return whether the daemon that runs now answers."""
        try:
            return int(self.client.status()["pid"]) == self.daemon.pid
        except ClientError:
            return False

    def pids(self) -> dict[str, int]:
        """Return the pids of the processes that are kept and live: the daemon and the agents over
        the link."""
        return {n: k.process.pid for n, k in self._kept.items() if k.process.poll() is None}

    def kill_and_hold(self, name: str) -> None:
        """Kill the process (SIGKILL), and do not start it again until `release`."""
        kept = self._kept[name]
        kept.due_s = float("inf")
        kept.process.kill()
        kept.process.wait(_LEAVE_S)

    def release(self, name: str) -> None:
        self._kept[name].due_s = None

    def stop(self) -> list[Finding]:
        """Stop everybody in good order; the processes that are left."""
        for kept in reversed(self._kept.values()):
            kept.process.terminate()
        for kept in self._kept.values():
            kept.process.wait(_LEAVE_S)
        self.client.close()
        self.daemon.client.close()
        until_s = time.monotonic() + _LEAVE_S
        while (left := self.daemon.processes()) and time.monotonic() < until_s:
            time.sleep(0.2)
        found = []
        for one in left:
            with contextlib.suppress(psutil.NoSuchProcess):  # the process has left after all
                found.append(Finding("orphans", f"process {one.pid} is left: {one.name()}"))
        return found

    def close(self) -> None:
        """Leave no process and no file."""
        for kept in self._kept.values():
            kept.process.kill()
            kept.process.wait(_LEAVE_S)
        self._undo.close()
        self.daemon.spoiled = True  # the log is judged elsewhere
        self.daemon.close()

    # ------------------------------------------------------------ inside

    def _keep(self, name: str, spawn: Callable[[], subprocess.Popen[bytes]]) -> None:
        self._kept[name] = _Kept(spawn, spawn())

    def _spawn_daemon(self) -> subprocess.Popen[bytes]:
        at_s = time.time()
        process = self.daemon.spawn()
        self.starts.append(Start(process.pid, at_s, None))
        return process

    def _spawn_agent(self, name: str) -> subprocess.Popen[bytes]:
        nodes = ["--name", name] if name == "r1" else ["--emulate", "2x2", "--emulate-prefix", name]
        command = [
            *self._prefix, str(BIN / "rmsd-agent"), "--server", self._tcp.url,
            "--ca-file", str(self._tcp.ca), "--token-file", str(self._join_token),
            "--state-dir", str(self.remote_states[name]), *nodes, *_ROOT,
        ]  # fmt: skip
        with (self.root / f"{name}.log").open("ab") as out:
            return subprocess.Popen(
                command, env=self.daemon.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
