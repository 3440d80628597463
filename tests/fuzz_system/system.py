"""The system under test: a daemon, its own agent, two agents over TLS, and two that are lied to."""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from rmsd_agent.machine.inventory import short_hostname
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_daemon.callers.job_tokens import JobTokens, read_key
from rmsd_wire.tokens import Token, new_token
from tests.commands import BIN
from tests.fuzz_system.transcript import ROOT, filled
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

HOSTILE = "nobody"
"""The account of the callers that mean harm."""
OPERATOR = "daemon"

JOB_TOKEN = b"@@JOB-TOKEN@@"
LIARS = tuple(f"liar{number}" for number in range(12))
"""The ids of the agents that lie to the daemon. One alone may open a link every five seconds."""
HONEST_MIB = 64
"""Memory that honest jobs ask for. Nodes of agents that are lied to have less."""

_CONFIG = """
kill_grace = "1s"
node_dead = "20s"
max_processes = 200
max_output_size = "1M"
max_jobs_per_user = 1500
allow_root_jobs = true
"""
_DAYS_S = 7 * 86400.0
_TAKEN_S = 60.0
_AGAIN_S = 0.1


class AgentProcess:
    """An agent that the harness starts, with its state directory and its log."""

    def __init__(self, name: str, command: list[str], state: Path, log: Path) -> None:
        self.name = name
        self.state = state
        self.log = log
        self._command = command
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None while the agent runs."""
        assert self.process is not None
        return self.process.poll()

    def last_words(self) -> str:
        """Return the exit code, and the end of the log."""
        log = self.log.read_text(errors="replace").strip() if self.log.exists() else ""
        last = log.rpartition("\n")[2][:300]
        return f"exit code {self.exit_code}: {last}\n{log[-2500:]}"

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )

    def end(self, number: int) -> int:
        """Send the agent a signal that ends it, and return the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(DEADLINE_S)


class System:
    """Daemon and agents, with ways in for callers and agents. `start` starts them."""

    def __init__(self, recipe: str) -> None:
        self.daemon = Daemon("--emulate", "2x2", "--recipe", recipe, config=_CONFIG)
        self.root = self.daemon.root
        self.root.chmod(0o711)
        self.daemon.work.chmod(0o777)
        self.public = self.root / "run" / "rmsd.sock"
        self.daemon.options = (*self.daemon.options, "--socket", str(self.public))
        self._tcp = Tcp(self.daemon, folder=self.root / "tls")
        self.server = f"unix:{self.daemon.state}/rmsd.sock"
        self.fake_socket = self.root / "v.sock"
        self.tokens: dict[str, Token] = {}
        self.placeholders: dict[bytes, bytes] = {ROOT: str(self.root).encode(), JOB_TOKEN: b"none"}
        self.agents = {
            "x": self._remote("x", "--emulate", "2x2", "--emulate-prefix", "x"),
            "r": self._remote("r", "--name", "r1"),
        }
        self.damaged = self._agent(
            "b", self.server, "--emulate", "2x4", "--emulate-prefix", "b", "--mem", "1M"
        )
        fake = f"unix:{self.fake_socket}"
        self.lied_to = self._agent(
            "v", fake, "--emulate", "2x4", "--emulate-prefix", "v", "--mem", "1M"
        )
        self.honest_nodes = {short_hostname(), "e1", "e2", "x1", "x2", "r1"}
        self._tls = ssl.create_default_context(cafile=str(self._tcp.ca))
        self._connector: socket.socket | None = None
        self._one_at_a_time = threading.Lock()

    # ------------------------------------------------------------ its life

    def start(self) -> None:
        """Start everybody, and wait until all nodes are up."""
        self._connector = _connector(self.public)
        self.daemon.start(nodes=0)
        self._make_tokens()
        for agent in (*self.agents.values(), self.damaged, self.lied_to):
            agent.start()
        wait_until(lambda: self.honest_nodes <= self.nodes_up(), "all honest nodes are up")
        wait_until(lambda: {"b1", "b2"} <= self.nodes_up(), "the agent b is up")

    def nodes_up(self) -> set[str]:
        """Return the names of nodes whose agents have a link."""
        try:
            with self.client(retry_for_s=0.0) as client:
                nodes = client.nodes()
        except ClientError:
            return set()
        return {node["name"] for node in nodes if node["state"] not in ("down", "suspect")}

    def client(self, retry_for_s: float = DEADLINE_S) -> Client:
        """Return a client of our own account, which is an administrator's."""
        return Client(self.server, retry_for_s=retry_for_s)

    def processes(self) -> dict[str, int]:
        """Return the pids of the processes that must live, by name."""
        pids = {name: agent.pid for name, agent in self.agents.items()}
        return {"daemon": self.daemon.pid, "local agent": self.daemon.agent_pid} | pids

    def logs(self) -> dict[str, Path]:
        """Return all logs, by the name of their writer."""
        states = {
            "local agent": self.daemon.state / "agent",
            **{agent.name: agent.state for agent in self._all_agents()},
        }
        logs = {f"shepherds of {name}": state / "shepherd.log" for name, state in states.items()}
        logs |= {agent.name: agent.log for agent in self._all_agents()}
        return {
            "daemon": self.daemon.log,
            "local agent": self.daemon.state / "agent.log",
            **logs,
        }

    def close(self) -> None:
        """Leave no process and no file."""
        for agent in self._all_agents():
            if agent.process is not None and agent.process.poll() is None:
                agent.process.kill()
                agent.process.wait(DEADLINE_S)
        if self._connector is not None:
            self._connector.close()
        self.daemon.spoiled = True  # the decisions are judged elsewhere
        with contextlib.suppress(psutil.Error):
            self.daemon.close()

    # ------------------------------------------------------------ ways in

    def connect(self, to: str) -> socket.socket:
        """Return a connection to the daemon: over TLS, or to the public socket as HOSTILE for the
        caller "socket". Raises OSError."""
        if to == "socket":
            return self._as_hostile()
        until_s = time.monotonic() + _TAKEN_S
        while True:
            try:
                return self._over_tls()
            except OSError:  # the daemon gives up a handshake that takes long, on a busy machine
                if time.monotonic() > until_s:
                    raise
                time.sleep(_AGAIN_S)

    def _over_tls(self) -> socket.socket:
        plain = socket.create_connection(("127.0.0.1", self._tcp.port), _TAKEN_S)
        try:
            return self._tls.wrap_socket(plain, server_hostname="127.0.0.1")
        except BaseException:
            plain.close()
            raise

    def filled(self, said: bytes) -> bytes:
        """Return `said` with its placeholders replaced by what they stand for here."""
        return filled(said, self.placeholders)

    def set_job_token(self, job_id: int, attempt: int) -> None:
        """Have JOB_TOKEN stand for the token of this attempt."""
        tokens = JobTokens(read_key(self.daemon.state / "job-tokens.key"), lambda _: None)
        self.placeholders[JOB_TOKEN] = tokens.text(job_id, attempt).encode()

    # ------------------------------------------------------------ inside

    def _as_hostile(self) -> socket.socket:
        assert self._connector is not None
        with self._one_at_a_time:
            self._connector.sendall(b"c")
            _, fds, _, _ = socket.recv_fds(self._connector, 1, 1)
        if not fds:
            raise ConnectionRefusedError(str(self.public))
        return socket.socket(fileno=fds[0])

    def _all_agents(self) -> list[AgentProcess]:
        return [*self.agents.values(), self.damaged, self.lied_to]

    def _make_tokens(self) -> None:
        asked: dict[str, dict[str, Any]] = {
            "user": {"user": HOSTILE},
            "operator": {"user": OPERATOR, "role": "operator"},
            "joiner": {"role": "agent", "uses": 100_000},
        }
        for name, fields in asked.items():
            self.tokens[name] = self._tcp.token(expires_s=_DAYS_S, **fields)
        # liars take these tokens when they join
        self.tokens |= {liar: new_token() for liar in LIARS}
        self.tokens["agent"] = self.tokens[LIARS[0]]
        for name, token in self.tokens.items():
            self.placeholders[placeholder(name)] = token.text.encode()
        join = self.root / "join"
        join.touch(mode=0o600)
        join.write_text(f"{self._tcp.token(role='agent', uses=100).text}\n")

    def _remote(self, name: str, *nodes: str) -> AgentProcess:
        more = ["--ca-file", str(self._tcp.ca), "--token-file", str(self.root / "join")]
        return self._agent(name, self._tcp.url, *more, *nodes, "--allow-root-jobs")

    def _agent(self, name: str, server: str, *options: str) -> AgentProcess:
        state = self.root / name
        command = [str(BIN / "rmsd-agent"), "--server", server, "--state-dir", str(state), *options]
        return AgentProcess(name, command, state, self.root / f"{name}.log")


def placeholder(name: str) -> bytes:
    """Return the placeholder for the token of this name."""
    return f"@@TOKEN-{name}@@".encode()


def _connector(path: Path) -> socket.socket:
    """Start a child process of the account HOSTILE that answers every byte with a connection to the
    socket at `path`. Return the way to it. There must be no other threads yet."""
    ours, its = socket.socketpair()
    if os.fork():
        its.close()
        return ours
    ours.close()
    account = pwd.getpwnam(HOSTILE)
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    while its.recv(1):
        with contextlib.ExitStack() as opened:
            made = opened.enter_context(socket.socket(socket.AF_UNIX))
            try:
                made.connect(str(path))
                socket.send_fds(its, [b"c"], [made.fileno()])
            except OSError:
                its.sendall(b"n")
    os._exit(0)
