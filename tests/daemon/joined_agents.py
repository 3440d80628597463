"""Agents that join a daemon over TCP, and links that speak as one."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aiohttp

from rmsd_wire import PROTOCOL
from rmsd_wire.link import Hello, ToAgent, ToDaemon, encoder
from rmsd_wire.node_info import NodeInfo
from rmsd_wire.tokens import Token, new_token
from tests.commands import BIN
from tests.link_frames import to_agent
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, until


class Site:
    """A daemon that listens, and agents that were started for it."""

    def __init__(self, tcp: Tcp) -> None:
        self.tcp, self.daemon = tcp, tcp.daemon
        self.agents: list[subprocess.Popen[bytes]] = []

    def command(self, name: str, *options: object, state: str = "") -> list[str]:
        command: list[object] = [BIN / "rmsd-agent", "--server", self.tcp.url]
        command += ["--ca-file", self.tcp.ca, "--state-dir", self.state(state or name)]
        command += ["--emulate", "1x4", "--emulate-prefix", name]
        command += ["--allow-root-jobs"] * (os.getuid() == 0)
        return [str(word) for word in (*command, *options)]

    def state(self, name: str) -> Path:
        return self.daemon.root / name

    def start(self, name: str, *options: object, state: str = "") -> subprocess.Popen[bytes]:
        with (self.daemon.root / f"{name}.log").open("ab") as log:
            command = self.command(name, *options, state=state)
            agent = subprocess.Popen(command, env=self.daemon.env, stdout=log, stderr=log)
        self.agents.append(agent)
        return agent

    def join_file(self, **asked: Any) -> Path:
        return self.tcp.file(self.tcp.token(role="agent", **asked))

    def node(self, name: str) -> str | None:
        """Return the state of a node."""
        return {node["name"]: node["state"] for node in self.daemon.client.nodes()}.get(name)

    def agent_keys(self) -> list[dict[str, Any]]:
        return [one for one in self.daemon.client.tokens() if one["agent_id"]]


def ended(agent: subprocess.Popen[bytes]) -> int:
    agent.terminate()
    return agent.wait(DEADLINE_S)


def ask_to_join(site: Site, token: Token, key: Token, agent_id: str) -> int:
    """Ask to join, and return the status of the answer."""
    body = {"id": key.id, "digest": key.digest, "agent_id": agent_id}
    with site.tcp.client(token) as client:
        return client.connection.request("POST", "/v1/join", json.dumps(body).encode()).status


def joined(site: Site, agent_id: str) -> Token:
    """Return the key of an agent that is none."""
    key = new_token()
    assert ask_to_join(site, site.tcp.token(role="agent"), key, agent_id) == 200
    return key


def hello(agent_id: str, *nodes: str, **more: Any) -> Hello:
    infos = [NodeInfo(name, "emulated", 4, 1024) for name in nodes]
    return Hello(PROTOCOL, "0", agent_id, 1, infos, [], **more)


async def linked(
    site: Site, key: Token, *messages: ToDaemon, before: Callable[[], None] = lambda: None
) -> list[ToAgent]:
    """Say these in a session; what comes back, up to the acknowledgement of reports or the end.
    `before` the first is said, that happens."""
    heard: list[ToAgent] = []
    connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(site.tcp.ca)))
    headers = {"Authorization": f"Bearer {key.text}"}
    async with (
        aiohttp.ClientSession(connector=connector, headers=headers) as http,
        http.ws_connect(f"{site.tcp.url}/v1/link") as ws,
    ):
        sock = ws.get_extra_info("socket")
        await asyncio.to_thread(before)
        await ws.send_bytes(encoder.encode(list(messages)))
        waiting = 1 + (len(messages) > 1)
        async for frame in ws:
            heard += to_agent.decode(frame.data)
            if len(heard) >= waiting:
                break
    await until(lambda: sock.fileno() == -1)  # the transport tells nobody
    return heard


def lines_of(site: Site, event: str) -> int:
    """Return how many lines of the log are about this event."""
    return site.daemon.log.read_text().count(f'"event": "{event}"')
