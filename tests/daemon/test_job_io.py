"""Tasks inside a job, as its node's agent sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_core.vocabulary import Cause
from rmsd_wire import link
from rmsd_wire.link_calls import ReadFile, Reply, StartTask, WriteInput
from tests.daemon.scripted_agent import ScriptedAgent, node, scripted
from tests.live import Daemon

pytestmark = pytest.mark.live


@asynccontextmanager
async def launching(daemon: Daemon) -> AsyncIterator[tuple[ScriptedAgent, int]]:
    """Yield the agent of node `late`, which has been told to start a job, and that job's id; it is
    over afterwards."""
    async with scripted(daemon) as agent:
        await agent.hello(node())
        job_id = await asyncio.to_thread(daemon.submit, "true")
        await agent.hear(link.Launch)
        yield agent, job_id
        await agent.say(link.ExitedReport(1, job_id, 1, "late", Cause.EXIT, exit_code=0))
        await asyncio.to_thread(daemon.wait, job_id)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_timer_has_no_tasks(start_daemon: Callable[..., Daemon]) -> None:
    """A timer will never have any: nobody shall wait for that."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    timer = daemon.emulate(1000.0)
    daemon.wait_for(timer, "RUNNING")
    task = {"node": "e1", "step": "s", "task": 0, "argv": ["true"]}
    with pytest.raises(ApiError, match=r"is not running on node e1$") as refused:
        daemon.client.start_task(timer, task)
    assert refused.value.status == 404


async def test_a_task_waits_for_a_node_that_has_not_heard_of_the_job_yet(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The node's link broke when the job was started elsewhere, for example. `rrun` asks the node
    again."""
    daemon = start_daemon("--no-local-node")
    server = f"unix:{daemon.state}/rmsd.sock"

    def begin_task(job_id: int) -> int:
        task = {"node": "late", "step": "s", "task": 0, "argv": ["true"], "attempt": 1}
        with Client(server, retry_for_s=0.0) as client, pytest.raises(ApiError) as refused:
            client.start_task(job_id, task)
        return refused.value.status

    async with launching(daemon) as (agent, job_id):
        asked = asyncio.create_task(asyncio.to_thread(begin_task, job_id))
        call = await agent.hear(StartTask)
        await agent.say(Reply(call.call, status=404, error="job 1 is not running there"))
        first = await asked
    assert [first, await asyncio.to_thread(begin_task, job_id)] == [503, 409]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
async def test_a_job_can_be_read_before_its_start_is_told(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The job itself may read its output then, but no file that was there before the job: only the
    agent knows."""
    daemon = start_daemon("--no-local-node")
    told = []
    async with launching(daemon) as (agent, job_id):
        for answer in (
            {"data": b"begun", "offset": 5},
            {"status": 404, "error": "job 1 is not on node late"},
        ):
            asked = asyncio.create_task(asyncio.to_thread(daemon.client.output, job_id))
            call = await agent.hear(ReadFile)
            assert call.path == ""
            await agent.say(Reply(call.call, **answer))
            told.append((await asked).data)
    assert told == [b"begun", b""]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
async def test_no_answer_that_cannot_be_is_passed_on(start_daemon: Callable[..., Daemon]) -> None:
    """More output than was asked for would be in the daemon's memory; a negative number of bytes
    would have the same key typed for ever."""
    daemon = start_daemon("--no-local-node")

    def refusal(call: Callable[..., object], *arguments: object) -> int:
        with pytest.raises(ApiError, match="late gave an answer that cannot be") as refused:
            call(*arguments)
        return refused.value.status

    def read(job_id: int) -> object:
        return daemon.client.output(job_id, limit=10, node="late", step="s")

    def typed(job_id: int) -> object:
        return daemon.client.task_input(job_id, "s", 0, "late", b"key", False)

    async with launching(daemon) as (agent, job_id):
        await agent.say(link.LaunchedReport(1, job_id, 1, "late", 7))
        await asyncio.to_thread(daemon.wait_for, job_id, "RUNNING")
        for call, answers in (
            (read, [{"data": b"x" * 11}, {"offset": -1}, {"offset": 1 << 62}]),
            (typed, [{"offset": -1}, {"offset": 4}]),
        ):
            for told in answers:
                asked = asyncio.create_task(asyncio.to_thread(refusal, call, job_id))
                asking = await agent.hear(ReadFile if call is read else WriteInput)
                await agent.say(Reply(asking.call, **told))
                assert await asked == 409


def to_loop(path: Path) -> None:
    path.symlink_to(path)


def to_long_name(path: Path) -> None:
    path.symlink_to("x" * 256)


def to_kernel(path: Path) -> None:
    path.symlink_to("/proc/self/maps")


@pytest.mark.parametrize(
    ("replace", "reason"),
    [
        (to_loop, "Too many levels of symbolic links"),
        (to_long_name, "File name too long"),
        (to_kernel, "a file system of the kernel's own"),
    ],
)
def test_output_that_cannot_be_read_is_no_failure_of_the_daemons(
    start_daemon: Callable[..., Daemon], replace: Callable[[Path], None], reason: str
) -> None:
    daemon = start_daemon()
    job_id = daemon.submit("true", stdout="out")
    daemon.wait(job_id)
    path = daemon.work / "out"
    path.unlink()
    replace(path)
    with pytest.raises(ApiError) as caught:
        daemon.client.output(job_id)
    assert caught.value.status == 409
    assert f"{path}: " in str(caught.value)
    assert reason in str(caught.value)
