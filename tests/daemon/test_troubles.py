"""Repeated failures: the daemon tells of them, tries again ever more seldom, and goes on with
everything else.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rmsd_client.errors import ApiError
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.effects import Effects
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.submission import NewJob, Payload, Rules, new_job
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.loop.dispatch import Dispatcher, DispatchError
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.mailbox import MakeLaunch
from rmsd_daemon.store import store as store_module
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.link import Command, Launch
from tests.jobs import phase_in, running, start_of
from tests.live import Daemon
from tests.waiting import wait_until

RULES = Rules("nodes", None, 1 << 20, "/home/ann")

BUG = """
import os, sys
from rmsd_core.lifecycle import ending, starting
from rmsd_daemon.loop import task
from rmsd_core.model_time import SECOND_US
from rmsd_cli.main import main

def is_ill(job, minutes):
    return job is not None and job.estimate_us == minutes * 60 * SECOND_US

exited, cancel, start = ending.exited, ending.cancel, starting.start
log_decisions, told = task.log_decisions, set()

def faulty_exited(state, item):
    if is_ill(state.jobs.get(item.job_id), 71):
        raise RuntimeError("an ill exit")
    exited(state, item)

def faulty_cancel(state, item):
    if is_ill(state.jobs.get(item.job_id), 72):
        raise RuntimeError("an ill cancel")
    cancel(state, item)

def faulty_log(core, effects):
    log_decisions(core, effects)
    for job_id in effects.changed:
        if job_id not in told and is_ill(core.jobs.get(job_id), 74):
            told.add(job_id)
            raise RuntimeError("an ill log")

def faulty_start(state, job, *rest):
    if is_ill(job, 73) and os.path.exists(os.environ["ILL"]):
        raise RuntimeError("an ill start")
    start(state, job, *rest)

ending.exited, ending.cancel, starting.start = faulty_exited, faulty_cancel, faulty_start
task.log_decisions = faulty_log
sys.exit(main())
"""
"""A daemon with bugs: its scheduler raises at jobs with limits of 71 to 74 minutes."""


class BuggyDaemon(Daemon):
    """A daemon whose scheduler has `BUG`."""

    def __init__(self) -> None:
        super().__init__("--no-local-node", "--emulate", "2x2")
        self.ill = self.root / "ill"
        self.env["ILL"] = str(self.ill)

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-c", BUG, *super().command(*options)[1:]]

    def events(self, name: str) -> int:
        """Return how often an event was logged."""
        return self.log.read_text().count(f'"event": "{name}"')

    def status_text(self) -> str:
        """Return what `rmsd status` prints."""
        return self.rmsd("status", expect=0).stdout


@pytest.fixture
def buggy() -> Iterator[BuggyDaemon]:
    daemon = BuggyDaemon()
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.close()


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_a_report_that_fails_by_itself_is_left_out(buggy: BuggyDaemon) -> None:
    ill = buggy.submit("true", time_limit_s=71 * 60)
    wait_until(lambda: buggy.client.status()["left_out_count"] == 1)
    jobs = [buggy.submit("true") for _ in range(5)]
    assert {buggy.wait(job_id)["state"] for job_id in jobs} == {"COMPLETED"}
    status = buggy.client.status()
    assert "Exited" in status["left_out"][0]["what"]
    assert "an ill exit" in status["left_out"][0]["error"]
    assert status["failing"] == []
    assert "left out: 1, which the scheduler could not apply" in buggy.status_text()
    assert buggy.events("agent-up") == 1  # the link was left alone
    # The agent comes back without the job, which the daemon cannot end: its nodes work all the same
    buggy.stop()
    buggy.start()
    wait_until(lambda: buggy.client.status()["left_out_count"] >= 1)
    assert buggy.wait(buggy.submit("true"))["state"] == "COMPLETED"
    assert buggy.state_of(ill) in ("CONFIGURING", "RUNNING")


@pytest.mark.slow
@pytest.mark.live
def test_a_request_that_fails_by_itself_is_refused(buggy: BuggyDaemon) -> None:
    ill = buggy.submit("sleep 600", time_limit_s=72 * 60)
    buggy.wait_for(ill, "RUNNING")
    for _ in range(3):
        with pytest.raises(ApiError, match="an ill cancel") as refused:
            buggy.client.cancel(ill)
        assert refused.value.status == 500
    assert buggy.wait(buggy.submit("true"))["state"] == "COMPLETED"
    assert buggy.client.status()["left_out_count"] == 3
    assert buggy.state_of(ill) == "RUNNING"
    assert buggy.events("agent-up") == 1


@pytest.mark.slow
@pytest.mark.live
def test_a_state_that_fails_is_told_and_ends_by_itself(buggy: BuggyDaemon) -> None:
    """No input is at fault, so none is left out; what agents say is done once the state works."""
    running = buggy.submit("while [ ! -e go ]; do sleep 0.02; done")
    buggy.wait_for(running, "RUNNING")
    buggy.ill.touch()
    with pytest.raises(ApiError, match="an ill start"):
        buggy.submit("true", time_limit_s=73 * 60)
    assert buggy.wait(buggy.submit("true"))["state"] == "COMPLETED"
    held = buggy.submit("true", tasks=4, time_limit_s=73 * 60)  # the job does not fit yet
    (buggy.work / "go").touch()
    [trouble] = wait_until(lambda: [t for t in buggy.client.status()["failing"] if t["times"] > 2])
    assert trouble["what"] == "input"
    assert "an ill start" in trouble["error"]
    assert "the scheduler raises an error" in buggy.status_text()
    # The next job starts; its end would let the ill job start as well, so it may be put off, too.
    buggy.submit("echo begun > ran", time_limit_s=60)
    wait_until(lambda: buggy.lines("ran"))
    assert buggy.state_of(held) == "PENDING"
    buggy.ill.unlink()
    assert buggy.wait(held)["state"] == "COMPLETED"
    assert buggy.wait(running)["state"] == "COMPLETED"
    wait_until(lambda: not buggy.client.status()["failing"])
    assert buggy.client.status()["left_out"] == []
    assert buggy.events("agent-up") == 1


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_a_pass_that_fails_without_an_input_is_told_until_its_job_is_cancelled(
    buggy: BuggyDaemon,
) -> None:
    """The job would start at once, so every pass fails, also after a restart."""
    running = buggy.submit("while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    buggy.wait_for(running, "RUNNING")
    held = buggy.submit("true", time_limit_s=73 * 60)
    buggy.stop()
    buggy.ill.touch()
    (buggy.work / "go").touch()
    buggy.start(nodes=0)

    def is_cancelled() -> bool:
        with contextlib.suppress(ApiError):
            buggy.client.cancel(held)
        return buggy.state_of(held) == "CANCELLED"

    wait_until(lambda: buggy.client.status()["failing"])
    wait_until(is_cancelled)
    assert buggy.wait(running)["state"] == "COMPLETED"
    assert buggy.wait(buggy.submit("true"))["state"] == "COMPLETED"
    wait_until(lambda: not buggy.client.status()["failing"])


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_what_is_stored_is_not_done_again_when_telling_of_it_fails(buggy: BuggyDaemon) -> None:
    """The submit is answered and its job runs once; the state is that of the commit."""
    ill = buggy.submit("echo once >> ran", time_limit_s=74 * 60)
    assert buggy.wait(ill)["state"] == "COMPLETED"
    assert buggy.wait(buggy.submit("true"))["state"] == "COMPLETED"
    assert buggy.lines("ran") == ["once"]
    assert (buggy.events("pass-failed"), buggy.events("state-reloaded")) == (1, 1)
    assert buggy.events("commit-failed") == 0  # the second insert of the job would be one
    assert buggy.client.status()["left_out"] == []
    assert buggy.events("agent-up") == 1
    assert "as stored" in buggy.rmsd("verify", expect=0).stdout


# ---------------------------------------------------------------- pauses


def test_pauses_grow_to_a_longest_one_and_begin_anew() -> None:
    troubles = Troubles()
    pauses_s = [troubles.failed("commit", "full") for _ in range(3000)]
    assert pauses_s == sorted(pauses_s)
    assert (pauses_s[0], pauses_s[1], pauses_s[-1]) == (0.25, 0.5, 5.0)
    [trouble] = troubles.failing
    assert (trouble.what, trouble.times, trouble.error) == ("commit", 3000, "full")
    troubles.over("pass")
    assert troubles.failing == [trouble]
    troubles.over("commit")
    assert troubles.failing == []
    assert troubles.failed("commit", "full") == pauses_s[0]


def test_the_latest_inputs_that_were_left_out_are_kept() -> None:
    troubles = Troubles()
    for i in range(21):
        troubles.leave_out(f"input {i}", "why")
    assert troubles.left_out_count == 21
    assert [one.what for one in troubles.left_out] == [f"input {i}" for i in range(1, 21)]


# ---------------------------------------------------------------- scripts


@pytest.fixture
def scripts(tmp_path: Path) -> Iterator[Store]:
    """Yield a store with the scripts of the jobs 1 to 3, each of 100 bytes."""
    with closing(Store(tmp_path / "rmsd.db")) as store:
        text = msgspec.json.encode(Payload(script="x" * (100 - len('{"script":""}')))).decode()
        assert len(text) == 100
        store.record(Changes(scripts=[{"job_id": at, "payload": text} for at in (1, 2, 3)]))
        yield store


@pytest.mark.parametrize(("limit", "read"), [(1, 1), (100, 1), (101, 2), (200, 2), (201, 3)])
def test_scripts_are_read_up_to_a_number_of_bytes(
    scripts: Store, monkeypatch: pytest.MonkeyPatch, limit: int, read: int
) -> None:
    monkeypatch.setattr(store_module, "SCRIPTS_BYTES", limit)
    assert list(scripts.payloads([1, 2, 3])) == [1, 2, 3][:read]


def test_a_script_that_is_no_script_is_told_apart(scripts: Store) -> None:
    with closing(sqlite3.connect(scripts.path)) as connection:
        for job_id, payload in ((2, b"{"), (3, b'{"script":"\xff"}')):
            update = "UPDATE script SET payload = CAST(? AS TEXT) WHERE job_id = ?"
            connection.execute(update, (payload, job_id))
        connection.commit()
    found = scripts.payloads([1, 2, 3, 4])
    assert {job_id for job_id, payload in found.items() if payload is None} == {2, 3, 4}
    assert scripts.damage.times == 3


class Sent:
    """Links that keep what is sent."""

    def __init__(self) -> None:
        self.launches: list[Launch] = []
        self.late: list[MakeLaunch] = []

    def send(self, node: str, message: Command) -> None:  # noqa: ARG002
        assert isinstance(message, Launch)
        self.launches.append(message)

    def send_late(self, node: str, make: MakeLaunch) -> None:  # noqa: ARG002
        self.late.append(make)

    def reset(self) -> None: ...

    def next_end_us(self, now_us: int) -> int | None: ...

    def watch_nodes(self, names: Any) -> None: ...


def starting(job_id: int) -> NewJob:
    new = new_job(SubmitSpec(script="#!/bin/sh\n"), "ann", 0, RULES)
    new.job.id = job_id
    running(new.job, Piece("a", 1, 0), launched=False)
    return new


async def sent(
    jobs: Sequence[NewJob], read: Callable[[Sequence[int]], Mapping[int, Payload | None]]
) -> tuple[list[Launch], list[Launch | None], list[str]]:
    """Return what a dispatcher sends for jobs that start, what it makes late, and what it complains
    of."""
    links, complaints = Sent(), []

    async def read_now(job_ids: Sequence[int]) -> Mapping[int, Payload | None]:
        return read(job_ids)

    def unread(job_id: int, error: StoreError) -> None:
        complaints.append(f"job {job_id}: {error}")

    details = {new.job.id: new.details for new in jobs if new.job.id != 13}
    live = {new.job.id: (new.job, new.details) for new in jobs}
    dispatcher = Dispatcher(links, read_now, live.get, unread, 1.0, JobRules(1.0))

    starts = tuple([start_of(new.job) for new in jobs])
    try:
        await dispatcher.send(Effects(starts), [], details)
    except DispatchError as error:
        complaints.append(str(error))
    return links.launches, [await make() for make in links.late], complaints


async def test_a_launch_that_cannot_be_made_keeps_no_other_back() -> None:
    jobs = [starting(at) for at in (12, 13, 14)]
    launches, late, complaints = await sent(
        jobs, lambda ids: {ids[0]: Payload(script="#!/bin/sh\n")}
    )
    assert [launch.job_id for launch in launches] == [12, 14]
    assert not late
    assert [said.partition(":")[0] for said in complaints] == ["job 13"]


async def test_a_script_that_cannot_be_read_now_keeps_no_other_back() -> None:
    def read(ids: Sequence[int]) -> Mapping[int, Payload | None]:
        if ids[0] == 1:
            raise StoreError("no file can be opened")
        return dict.fromkeys(ids)

    launches, late, complaints = await sent([starting(at) for at in (1, 2, 3)], read)
    assert not launches
    made = [launch for launch in late if launch is not None]
    assert [launch.job_id for launch in made] == [2, 3]
    assert all("its script is damaged" in launch.refused for launch in made)
    assert complaints == ["job 1: no file can be opened"] * 2


async def test_a_large_script_is_read_when_its_launch_is_sent() -> None:
    """Small scripts before and behind the large one are sent at once, as far as they are read."""
    reads: list[list[int]] = []
    payloads = {at: Payload(script="#" * ((1 << 20) if at == 2 else 100)) for at in (1, 2, 3)}

    def read(ids: Sequence[int]) -> Mapping[int, Payload | None]:
        reads.append([*ids])
        return {at: payloads[at] for at in ids}

    launches, late, complaints = await sent([starting(at) for at in (1, 2, 3)], read)
    assert [launch.job_id for launch in launches] == [1, 3]
    assert [launch.script for launch in late if launch is not None] == [payloads[2].script]
    assert reads == [[1, 2, 3], [2]]
    assert not complaints


async def test_a_late_launch_of_a_job_that_is_over_or_starts_anew_is_none() -> None:
    over, again = starting(1), starting(2)

    def read(ids: Sequence[int]) -> Mapping[int, Payload | None]:
        if len(ids) == 1:  # late
            over.job.phase, again.job.attempt = phase_in(JobState.CANCELLED), 2
        return {at: Payload(script="#" * (1 << 20)) for at in ids}

    assert await sent([over, again], read) == ([], [None, None], [])
