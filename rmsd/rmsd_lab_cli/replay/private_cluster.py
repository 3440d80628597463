"""The cluster of a private replay: a daemon and its emulated nodes, for as long as a command needs
them. The nodes are held by the daemon's own agent or by several, and reached over a Unix socket or
over TLS."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from rmsd_cli import certificates
from rmsd_cli.errors import CommandUsageError
from rmsd_cli.termination import undisturbed
from rmsd_client.api import Client
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import written_out
from rmsd_lab_cli.replay.private_daemon import (
    await_nodes,
    log_of,
    private_state,
    running_daemon,
)
from rmsd_wire.link_values import PACED
from rmsd_wire.tokens import new_token

_HOST = "127.0.0.1"
_TOKEN_LIFE_S = 7 * 86400.0
_MOST_AGENTS = 64
_AGENT_END_S = 5.0


class Machine(NamedTuple):
    """The machine of a private replay.

    `nodes`: the number of equal nodes on which jobs are placed; 0: processors are counted.
    `agents`: the number of agents that hold the nodes; 0: the daemon's own agent holds them.
    `tls`: whether agents and replay reach the daemon over TLS.
    """

    nodes: int = 0
    agents: int = 0
    tls: bool = False

    @property
    def emulated(self) -> int:
        """Return the number of emulated nodes. Counted processors need one for each agent."""
        return self.nodes or self.agents or 1

    def placed_on(self, processors: int) -> tuple[NodeUp, ...]:
        """Return the nodes on which jobs are placed; none if processors are counted."""
        cores = processors // self.emulated
        return tuple(NodeUp(f"e{at}", cores, 0) for at in range(1, self.nodes + 1))

    def __str__(self) -> str:
        """Return the machine in words, as a heading of a table."""
        return ", ".join(
            part
            for part in (
                f"{self.nodes} nodes" if self.nodes else "counted",
                f"{self.agents} agents" if self.agents else "",
                "TLS" if self.tls else "",
            )
            if part
        )


def add_machine_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "private daemon",
        "the emulated machine of a replay without --server; the simulation beside it has the\n"
        "same nodes",
    )
    group.add_argument(
        "--nodes",
        type=int,
        metavar="N",
        help="place jobs on N equal nodes (default: processors are counted)",
    )
    group.add_argument(
        "--agents",
        type=int,
        metavar="N",
        help="divide the nodes between N agents (default: the daemon's own agent has all)",
    )
    group.add_argument(
        "--tls",
        action="store_true",
        help="connect agents and replay over TLS, on this machine (default: a Unix socket)",
    )


def machine_asked(args: argparse.Namespace) -> Machine:
    """Return the machine that the options ask for. Raises CommandUsageError if it cannot be."""
    machine = Machine(
        args.nodes or 0, args.agents if args.agents is not None else int(args.tls), args.tls
    )
    if args.nodes is not None and args.nodes < 1:
        raise CommandUsageError(f"--nodes {args.nodes}: at least 1")
    if args.agents is not None and not 1 <= args.agents <= _MOST_AGENTS:
        raise CommandUsageError(f"--agents {args.agents}: 1 to {_MOST_AGENTS}")
    if machine.agents and machine.emulated % machine.agents:
        raise CommandUsageError(
            f"--nodes {machine.nodes}: they cannot be divided between {machine.agents} agents"
        )
    return machine


def refuse_indivisible(machine: Machine, processors: int) -> None:
    """Raise CommandUsageError if the processors cannot be divided between the nodes."""
    if processors % machine.emulated:
        raise CommandUsageError(
            f"{processors:,} processors cannot be divided between {machine.emulated} equal nodes; "
            "give another number of nodes, or --procs"
        )


@contextmanager
def private_cluster(
    machine: Machine, processors: int, recipe: Recipe, rate: float
) -> Iterator[Client]:
    """Run a daemon with the machine's nodes, and yield a client once they are up. Nothing of it is
    left afterwards.

    Raises:
        CommandError: it does not come up; the message has the end of its log.
    """
    options = ["--no-local-node", "--capacity", "nodes" if machine.nodes else "counted"]
    options += ["--rate", "paced" if rate == PACED else repr(rate)]
    options += ["--recipe", written_out(recipe)]
    cores = processors // machine.emulated
    if not machine.agents:
        options += ["--emulate", f"{machine.emulated}x{cores}"]
    with private_state() as state_dir, ExitStack() as stack:
        if machine.tls:
            port = _free_port()
            options += ["--listen", f"{_HOST}:{port}"]
            certificates.make(state_dir / "tls", [_HOST])
        client = stack.enter_context(running_daemon(state_dir, options))
        server = f"unix:{state_dir / 'rmsd.sock'}"
        access = _Access(server)
        if machine.tls:
            access = _Access(f"https://{_HOST}:{port}", state_dir / "tls" / "ca.pem")
        for number in range(1, machine.agents + 1):
            emulate = f"{machine.emulated // machine.agents}x{cores}"
            with undisturbed():
                agent = _begin_agent(number, emulate, client, access, state_dir)
                stack.callback(_end_agent, agent)
        await_nodes(client, state_dir, machine.emulated)
        if machine.tls:
            token_file = _token_file(client, state_dir, "replay", role="admin")
            client = stack.enter_context(
                Client(access.server, str(token_file), str(access.ca_file))
            )
        client.retry_for_s = 5.0
        yield client


class _Access(NamedTuple):
    """The address of the daemon, and the certificate to trust, if the address is not a Unix
    socket's."""

    server: str
    ca_file: Path | None = None


def _free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as sock:
        sock.bind((_HOST, 0))
        return int(sock.getsockname()[1])


def _token_file(client: Client, state_dir: Path, name: str, role: str) -> Path:
    """Have the daemon take a new token, and write the token's file."""
    token = new_token()
    asked = {"id": token.id, "digest": token.digest, "expires_s": _TOKEN_LIFE_S, "role": role}
    client.make_token(asked)
    path = state_dir / f"{name}.token"
    path.touch(mode=0o600)
    path.write_text(f"{token.text}\n")
    return path


def _begin_agent(
    number: int, emulate: str, client: Client, access: _Access, state_dir: Path
) -> subprocess.Popen[bytes]:
    name = f"agent-{number}"
    command = [sys.executable, "-P", "-m", "rmsd_agent.main", "--server", access.server]
    command += ["--state-dir", str(state_dir / name), "--no-local-node"]
    command += ["--emulate", emulate, "--emulate-prefix", f"{name}-"]
    if access.ca_file is not None:
        command += ["--ca-file", str(access.ca_file)]
        command += ["--token-file", str(_token_file(client, state_dir, name, role="agent"))]
    if os.geteuid() == 0:
        command.append("--allow-root-jobs")
    with log_of(state_dir).open("ab") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/"
        )


@undisturbed()
def _end_agent(agent: subprocess.Popen[bytes]) -> None:
    agent.terminate()
    try:
        agent.wait(_AGENT_END_S)
    except subprocess.TimeoutExpired:
        agent.kill()
        agent.wait()
