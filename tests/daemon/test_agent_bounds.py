"""Agents that have joined: what none of them can say, hold or fill.

Long: daemons with TLS are started, and agents that join them.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import cast

import aiohttp
import pytest

from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import (
    Ack,
    ExitedReport,
    Goodbye,
    HeldAttempt,
    Hello,
    Launch,
    LaunchedReport,
    StopAttempt,
    ToAgent,
    ToDaemon,
    Welcome,
    encoder,
)
from rmsd_wire.node_info import NodeInfo
from tests.daemon.joined_agents import Site, hello, joined, lines_of, linked
from tests.link_frames import to_agent
from tests.waiting import DEADLINE_S, until, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


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


async def test_nodes_beyond_the_bound_are_counted_and_not_read(site: Site) -> None:
    """None of these is a node: each was read before they were counted."""
    key, lie = joined(site, "liar"), hello("liar")
    lie.nodes.extend([cast("NodeInfo", None)] * 10_001)
    [goodbye] = await linked(site, key, lie)
    assert isinstance(goodbye, Goodbye)
    assert "it has had 10001 nodes, and an agent may have 10000" in goodbye.reason


async def test_a_hello_in_a_session_costs_that_message(site: Site) -> None:
    key, again = joined(site, "liar"), hello("liar", "x2")
    report = LaunchedReport(1, 1, 1, "x1")
    welcome, ack = await linked(site, key, hello("liar", "x1"), again, report)
    assert isinstance(welcome, Welcome)
    assert ack == Ack(1)
    assert site.node("x2") is None
    assert lines_of(site, "message-unreadable") == 1


async def test_the_features_of_an_agent_have_a_bound(site: Site) -> None:
    key, lie = joined(site, "liar"), hello("liar")
    features = tuple(f"f{number}" for number in range(32))
    lie.nodes.extend(
        NodeInfo(f"x{number}", "real", 1, 1024, features=features) for number in range(3126)
    )
    [goodbye] = await linked(site, key, lie)
    assert isinstance(goodbye, Goodbye)
    assert "have 100032 features" in goodbye.reason
    lie.nodes.pop()
    welcome, *_ = await linked(site, key, lie)
    assert isinstance(welcome, Welcome)


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
                # A stop is of an attempt that an earlier session has had.
                told = [one for one in last if isinstance(one, Launch | StopAttempt)]
                ends = [
                    ExitedReport(seq := seq + 1, one.job_id, one.attempt, one.node, Cause.NODE)
                    for one in told
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


async def test_drains_do_not_fill_the_database(site: Site) -> None:
    """An agent had all of its nodes drained with long reasons, withdrew them, and brought them back
    to have them drained again."""
    key, names = joined(site, "liar"), [f"x{number}" for number in range(4000)]
    drains = [
        ExitedReport(number + 1, 1 << 40, 1, name, Cause.NODE, drain="r" * 5000)
        for number, name in enumerate(names)
    ]

    async def drain_all() -> None:
        """Have the nodes drained, until this is acknowledged or the link is broken off."""
        connector = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(site.tcp.ca)))
        headers = {"Authorization": f"Bearer {key.text}"}
        async with (
            aiohttp.ClientSession(connector=connector, headers=headers) as http,
            http.ws_connect(f"{site.tcp.url}/v1/link") as ws,
        ):
            connection = ws.get_extra_info("socket")
            with contextlib.suppress(ConnectionError):
                await ws.send_bytes(encoder.encode([hello("liar", *names)]))
                for at in range(0, len(drains), 500):
                    await ws.send_bytes(encoder.encode(drains[at : at + 500]))
            async for frame in ws:
                if Ack(len(drains)) in to_agent.decode(frame.data):
                    break
        # Bytes that were not sent yet may hold the connection open.
        await until(lambda: connection.fileno() < 0)

    async with asyncio.timeout(4 * DEADLINE_S):  # 80 MB of reports on a busy machine
        while "this agent has had too many nodes drained" not in site.daemon.log.read_text():
            await drain_all()
            await linked(site, key, hello("liar", "y"))  # the nodes of before are forgotten


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
