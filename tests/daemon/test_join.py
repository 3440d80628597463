"""Agents that join over TCP: a key of their own, and nothing beyond their own nodes.

Long: daemons with TLS are started, and agents that join them.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import Cause
from rmsd_wire import PROTOCOL
from rmsd_wire.link import (
    ExitedReport,
    Goodbye,
    HeldAttempt,
    Hello,
    Launch,
    LaunchedReport,
    ToAgent,
    ToDaemon,
    Welcome,
    encoder,
)
from rmsd_wire.node_info import NodeInfo
from rmsd_wire.tokens import Token, new_token, parse_token
from tests.commands import BIN, rmsd
from tests.link_frames import to_agent
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, until, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


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


@pytest.fixture
def site(request: pytest.FixtureRequest, start_daemon: Callable[..., Daemon]) -> Iterator[Site]:
    config: str = getattr(request, "param", "")
    daemon = start_daemon("--no-local-node", config=config, begin=False)
    site = Site(Tcp(daemon))
    daemon.start()
    try:
        yield site
    finally:
        for agent in site.agents:
            agent.kill()
            agent.wait(DEADLINE_S)


soon_dead = pytest.mark.parametrize("site", ['node_dead = "1s"\n'], indirect=True)
"""For a site that does not wait for an agent that is away."""


def ended(agent: subprocess.Popen[bytes]) -> int:
    agent.terminate()
    return agent.wait(DEADLINE_S)


def test_an_agent_joins_once_and_has_a_key_from_then_on(site: Site) -> None:
    join = site.join_file()
    agent = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    key_file = site.state("a") / "key"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    [key] = site.agent_keys()
    assert (key["state"], key["role"]) == ("valid", "agent")
    assert (key["nodes"], key["node_count"]) == (["a1"], 1)
    listed = rmsd("token", "list", "--server", f"unix:{site.daemon.state}/rmsd.sock")
    assert listed.stdout.splitlines()[-1].split()[-1] == "a1"
    assert key_file.read_text().startswith(f"rms_{key['id']}_")
    out = site.daemon.root / "env"
    done = site.daemon.wait(site.daemon.submit("env", stdout=str(out)))
    assert done["state"] == "COMPLETED"
    told = dict(line.partition("=")[::2] for line in out.read_text().splitlines() if "=" in line)
    assert (told["RMSD_SERVER"], told["RMSD_CA_FILE"]) == (site.tcp.url, str(site.tcp.ca))
    assert "RMSD_TOKEN_FILE" not in told
    stepped = site.daemon.submit(f"{BIN}/rrun echo over TLS", stdout=str(out))
    assert site.daemon.wait(stepped)["state"] == "COMPLETED", out.read_text()
    assert out.read_text() == "over TLS\n"
    assert not any(key_file.read_text().strip() in value for value in told.values())
    ended(agent)
    join.unlink()
    site.start("a")
    wait_until(lambda: site.node("a1") == "idle")
    assert [one["id"] for one in site.agent_keys()] == [key["id"]]


def test_a_join_token_is_good_for_its_uses(site: Site) -> None:
    join = site.join_file(uses=2)
    for name in ("a", "b"):
        site.start(name, "--token-file", join)
        wait_until(lambda name=name: site.node(f"{name}1") == "idle")
    third = site.start("c", "--token-file", join)
    assert third.wait(DEADLINE_S) == 77
    assert "is used up" in (site.daemon.root / "c.log").read_text()
    without = site.start("d")
    assert without.wait(DEADLINE_S) == 77
    assert "rmsd token new --role agent" in (site.daemon.root / "d.log").read_text()


def test_an_agent_that_died_while_it_joined_joins_again(site: Site) -> None:
    """Its key is kept, and the daemon has it or has it not."""
    key = new_token()
    site.state("a").mkdir(mode=0o700)
    (site.state("a") / "key").write_text(f"{key.text}\n")  # kept, and not told yet
    join = site.join_file()
    agent = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    assert [one["id"] for one in site.agent_keys()] == [key.id]
    ended(agent)

    agent_id = site.agent_keys()[0]["agent_id"]
    token = parse_token(join.read_text())
    assert token is not None
    other = new_token()
    wrong_digest, other_key = Token(key.id, other.secret), other
    answers = [ask_to_join(site, token, one, agent_id) for one in (key, wrong_digest, other_key)]
    # The same again is no news, though the token is used up; another key is.
    assert answers == [200, 409, 403]
    assert len(site.agent_keys()) == 1


@soon_dead
def test_a_revoked_key_ends_the_link_at_once(site: Site) -> None:
    agent = site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    [key] = site.agent_keys()
    site.daemon.client.revoke_token(key["id"])
    assert agent.wait(DEADLINE_S) != 0
    assert "its key was revoked" in (site.daemon.root / "a.log").read_text()
    wait_until(lambda: site.node("a1") == "down")
    assert "refused" not in {one["action"] for one in site.daemon.client.audit()}
    assert site.start("a").wait(DEADLINE_S) == 77
    # The agent is the same with a new join token, and has another key.
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    assert sorted(one["state"] for one in site.agent_keys()) == ["revoked", "valid"]
    assert len({one["agent_id"] for one in site.agent_keys()}) == 1


async def test_a_key_that_is_revoked_before_the_hello_opens_no_link(site: Site) -> None:
    key = joined(site, "late")

    def revoke() -> None:
        site.daemon.client.revoke_token(key.id)

    [goodbye] = await linked(site, key, hello("late", "x1"), before=revoke)
    assert isinstance(goodbye, Goodbye)
    assert "is revoked" in goodbye.reason
    assert site.node("x1") is None


@soon_dead
def test_a_node_belongs_to_the_agent_that_registered_it(site: Site) -> None:
    first = site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    ended(first)
    wait_until(lambda: site.node("a1") == "down")
    site.start("a", "--token-file", site.join_file(), state="another")
    wait_until(lambda: "belongs to another agent" in (site.daemon.root / "a.log").read_text())
    assert site.node("a1") == "down"
    site.daemon.client.forget_node("a1")
    wait_until(lambda: site.node("a1") == "idle")


# ---------------------------------------------------------------- agents that lie


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


def test_an_agents_credentials_open_nothing_but_the_link(site: Site) -> None:
    token, key = site.tcp.token(role="agent"), joined(site, "liar")
    for credential in (token, key):
        with site.tcp.client(credential) as client:
            for call in (
                client.status, client.nodes, client.jobs, client.plan, client.tokens,
                client.audit, client.shutdown, lambda client=client: client.job(1),
                lambda client=client: client.submit([{"emulate": {"run_s": 1}}]),
            ):  # fmt: skip
                with pytest.raises(ApiError) as refused:
                    call()
                assert refused.value.status == 403
    with site.tcp.client(token) as client:
        assert client.connection.request("GET", "/v1/link").status == 403


async def test_a_key_speaks_for_its_own_agent_alone(site: Site) -> None:
    key = joined(site, "liar")
    [goodbye] = await linked(site, key, hello("somebody", "x1"))
    assert isinstance(goodbye, Goodbye)
    assert "belongs to another agent" in goodbye.reason
    assert site.node("x1") is None


async def test_an_agent_cannot_speak_of_the_nodes_of_others(site: Site) -> None:
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    job_id = site.daemon.emulate(600, tasks=4, time_limit_s=900)
    site.daemon.wait_for(job_id, "RUNNING")
    key = joined(site, "liar")
    for node in ("a1", "x1"):
        lies: list[ToDaemon] = [
            hello("liar", "x1", leaving=["a1"]),
            LaunchedReport(1, job_id, 1, node),
            ExitedReport(2, job_id, 1, node, Cause.EXIT, exit_code=0),
        ]
        welcome, *_ = await linked(site, key, *lies)
        assert isinstance(welcome, Welcome)
        assert site.daemon.state_of(job_id) == "RUNNING"
        assert site.node("a1") == "allocated"
    refused = [
        line for line in site.daemon.log.read_text().splitlines() if "report-refused" in line
    ]
    assert len(refused) == 2  # once for each link
    site.daemon.client.cancel(job_id)


async def test_an_agent_cannot_use_up_the_numbers_of_jobs(site: Site) -> None:
    key = joined(site, "liar")
    lie = hello("liar", "x1")
    lie.held.append(HeldAttempt((1 << 62) - 1, 1, "x1"))
    await linked(site, key, lie)
    wait_until(lambda: site.node("x1") is not None)
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    assert site.daemon.emulate(0) == 1


async def test_an_agent_that_dials_without_end_is_sent_away_for_ever_longer(site: Site) -> None:
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    key = joined(site, "liar")

    async def dial() -> Goodbye | None:
        [answer] = await linked(site, key, hello("liar", "x1"))
        return answer if isinstance(answer, Goodbye) else None

    goodbye = await until(dial)
    assert goodbye.retry
    assert "dials too often" in goodbye.reason
    assert site.node("a1") == "idle"

    async def is_heard() -> bool:
        return await dial() is None

    await until(is_heard)


async def test_an_agent_cannot_have_any_number_of_nodes(site: Site) -> None:
    key = joined(site, "liar")
    many = [f"x{number}" for number in range(10_001)]
    [goodbye] = await linked(site, key, hello("liar", *many))
    assert isinstance(goodbye, Goodbye)
    assert "an agent may have 10000" in goodbye.reason
    assert site.daemon.client.nodes() == []


async def test_large_hellos_do_not_fill_the_database(site: Site) -> None:
    """An agent came back every 5 s, and each of its Hellos stays in the database as events."""
    key, text = joined(site, "liar"), "x" * 4000
    lie = hello("liar")
    lie.nodes.extend(
        NodeInfo(f"x{number}", "real", 1, 1024, os=text, hostname=text, cpu_model=text)
        for number in range(1200)
    )

    async def pause_s() -> float:
        [answer] = await linked(site, key, lie)
        if not isinstance(answer, Goodbye):
            return 0.0
        assert answer.retry
        return float(answer.reason.partition("open in ")[2].removesuffix(" s"))

    # Links without so much to tell have pauses of some 5 s.
    for _ in range(50):
        if await pause_s() > 60:
            break
    else:
        pytest.fail("the agent was never sent away for long")


async def test_attempts_that_end_with_their_node_do_not_fill_the_database(site: Site) -> None:
    """An agent ended each attempt as soon as it was launched, and the job started again at once."""
    key, text = joined(site, "liar"), "x" * 4000
    site.daemon.client.submit([{"script": "#!/bin/sh\n", "tasks": 4}])
    for count in (1200, 1200, 310):  # nearly all that the agent may add at once
        lie = hello("liar")
        lie.nodes.extend(
            NodeInfo(f"x{number}", "real", 1, 0, os=text, hostname=text, cpu_model=text)
            for number in range(count)
        )

        async def is_welcome(lie: Hello = lie) -> bool:
            return isinstance((await linked(site, key, lie))[0], Welcome)

        await until(is_welcome)

    async def end_all() -> list[ToAgent]:
        """End what is launched until the daemon has had enough; return what it said then."""
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(site.tcp.ca)))
        headers = {"Authorization": f"Bearer {key.text}"}
        seq, last = 0, list[ToAgent]()
        async with (
            aiohttp.ClientSession(connector=connector, headers=headers) as http,
            http.ws_connect(f"{site.tcp.url}/v1/link") as ws,
        ):
            await ws.send_bytes(encoder.encode([hello("liar", "x1")]))
            async for frame in ws:
                last = to_agent.decode(frame.data)
                launches = [message for message in last if isinstance(message, Launch)]
                ends = [
                    ExitedReport(seq := seq + 1, one.job_id, one.attempt, one.node, Cause.NODE)
                    for one in launches
                ]
                if ends:
                    await ws.send_bytes(encoder.encode(ends))
        return last

    last = Goodbye("", retry=True)
    while "dials too often" in last.reason or not last.reason:
        [*_, last] = await asyncio.wait_for(end_all(), DEADLINE_S)
        assert isinstance(last, Goodbye)
        assert last.retry
    assert "too many attempts have ended" in last.reason


def lines_of(site: Site, event: str) -> int:
    """Return how many lines of the log are about this event."""
    return site.daemon.log.read_text().count(f'"event": "{event}"')


async def test_a_name_that_a_hello_repeats_counts_each_time(site: Site) -> None:
    """A million repetitions are 3 MB, and cost the daemon half a minute and a gigabyte."""
    key = joined(site, "liar")
    await linked(site, key, hello("liar", "x1"))
    wait_until(lambda: site.node("x1") is not None)
    for lie in (hello("liar", leaving=["x1"] * 10_001), hello("liar", *["x1"] * 10_001)):
        [goodbye] = await linked(site, key, lie)
        assert isinstance(goodbye, Goodbye)
        assert "an agent may have 10000" in goodbye.reason
    await linked(site, key, hello("liar", leaving=["x1"] * 9_999))
    assert lines_of(site, "node-leaving") == 1


async def test_an_agent_cannot_hold_any_number_of_attempts(site: Site) -> None:
    key, lie = joined(site, "liar"), hello("liar", "x1")
    lie.held.extend(HeldAttempt(number, 1, "x1") for number in range(200_001))
    [goodbye] = await linked(site, key, lie)
    assert isinstance(goodbye, Goodbye)
    assert "200000 may be told" in goodbye.reason
    assert site.node("x1") is None


async def test_nodes_that_come_and_go_do_not_fill_the_log(site: Site) -> None:
    key, many = joined(site, "liar"), [f"x{number}" for number in range(1000)]
    await linked(site, key, hello("liar", *many))
    wait_until(lambda: len(site.daemon.client.nodes()) == 1000)
    await linked(site, key, hello("liar"))
    wait_until(lambda: site.daemon.client.nodes() == [])
    assert lines_of(site, "node-gone") == 11


# ---------------------------------------------------------------- after a restore


def test_a_node_is_its_present_agents_after_a_restore(site: Site) -> None:
    """A node that another agent has got since the backup: that agent knows what ran there."""
    daemon = site.daemon
    join = site.join_file(uses=2)
    first = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    daemon.client.drain("a1", "to be given away")
    waits = daemon.submit("echo run >> runs; while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    file = daemon.root / "backup.db"
    daemon.rmsd("backup", file, expect=0)
    ended(first)
    small = ("--emulate", "1x1", "--emulate-prefix", "c")
    first = site.start("a", *small)  # the same agent, without the node
    wait_until(lambda: site.node("c1") == "idle" and site.node("a1") is None)
    site.start("a", "--token-file", join, state="second")
    daemon.wait_for(waits, "RUNNING")
    wait_until(lambda: daemon.lines("runs") == ["run"])
    daemon.stop()
    daemon.rmsd("restore", file, expect=0)

    daemon.start(nodes=0)
    wait_until(
        lambda: daemon.state_of(waits) == "RUNNING" or "node-refused" in daemon.log.read_text()
    )
    assert daemon.state_of(waits) == "RUNNING"
    (daemon.work / "go").touch()
    assert daemon.wait(waits)["attempt"] == 1
    assert daemon.lines("runs") == ["run"]
