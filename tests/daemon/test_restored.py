"""Restores that something goes wrong with: stale logs, damage, and a full disk behind them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from rmsd_cli.backup import contents_text
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.lifecycle.inputs import Cancel, Exited
from rmsd_core.recipes.prediction import runs_needed
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.callers.audit import entry
from rmsd_daemon.domain.errors import Unavailable
from rmsd_daemon.domain.submission import NewJob, Rules, new_job
from rmsd_daemon.loop.mailbox import ReadyInputs, Register, Report
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.offline import backups
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import verify
from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.records import RESTORED_KEY
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import EmulateSpec, SubmitSpec
from rmsd_wire.link import Command, EndedAttempt, HeldAttempt, Launch
from tests.commands import rmsd
from tests.daemon.rows import NODE
from tests.daemon.scheduling import scheduling
from tests.waiting import DEADLINE_S, until

RULES = Rules("nodes", None, 1 << 20, "/home/ann")


class FullDisk(Store):
    """A store whose commits can be made to fail, as a full disk makes them."""

    fails = 0

    def commit(self, changes: Changes) -> None:
        if self.fails:
            self.fails -= 1
            raise StoreError("the disk is full")
        super().commit(changes)


class OneNode:
    """The links to the one agent of node `a`, which says `ended` whenever it is asked anew."""

    agent_id = "a"

    def __init__(self, *, closed: bool = False) -> None:
        self.closed = closed  # the agent is away again, after its hello
        self.watched: list[str] = []
        self.held: list[HeldAttempt] = []
        self.ended: list[EndedAttempt] = []
        self.launched: list[int] = []
        self.asked = asyncio.Event()  # to start something
        self.scheduler: Scheduler | None = None

    def hello(self) -> None:
        assert self.scheduler is not None
        ended = self.ended if self.scheduler.awaited else []
        self.scheduler.put(Register(self, [dict(NODE)], [], self.held, ended))

    def acknowledge(self, seq: int) -> None: ...

    def send(self, node: str, message: Command) -> None:  # noqa: ARG002
        if isinstance(message, Launch):
            self.launched.append(message.job_id)
            self.asked.set()

    def reset(self) -> None:
        """Do nothing: the agent dials again when the state is loaded."""
        asyncio.get_running_loop().call_later(0.2, self.hello)

    def next_end_us(self, now_us: int) -> int | None: ...

    def watch_nodes(self, names: Iterable[str]) -> None:
        self.watched += names


def timer() -> NewJob:
    """Return a job that takes the whole node."""
    spec = SubmitSpec(emulate=EmulateSpec(run_s=3600.0), cpus_per_task=4)
    return new_job(spec, "ann", 0, RULES)


async def serve(store: Store, links: OneNode, jobs: list[NewJob]) -> None:
    """Run a scheduler on the store until the first of `jobs` is launched, or all that there are
    are over."""
    async with scheduling(store, links=links) as scheduler, asyncio.timeout(DEADLINE_S):
        links.scheduler = scheduler
        links.hello()
        if jobs:
            await scheduler.submit(jobs, None, "", 1000)
            await links.asked.wait()
        else:
            for job_id in list(scheduler.details):
                await scheduler.until_over(job_id, DEADLINE_S)


async def backed_up(store: Store) -> Path:
    """Return a backup in which job 1 runs and job 2 waits."""
    await serve(store, OneNode(), [timer(), timer()])
    backup = store.path.with_name("backup.db")
    backups.backup(store.path, backup, lambda *_: None)
    return backup


async def restored(tmp_path: Path) -> Path:
    """Return a database as restored from that."""
    with closing(Store(tmp_path / "rmsd.db")) as store:
        backup = await backed_up(store)
    backups.restore(backup, tmp_path, lambda *_: None)
    return store.path


async def test_ends_are_not_forgotten_when_their_commit_fails(tmp_path: Path) -> None:
    path = await restored(tmp_path)
    links = OneNode()
    links.ended = [
        EndedAttempt(
            job_id, 1, "a", batch=True, cores=4, start_us=0, end_us=1, cause=Cause.EXIT, exit_code=3
        )
        for job_id in (1, 2)
    ]
    with closing(FullDisk(path)) as store:
        store.fails = 1
        await serve(store, links, [])
        assert store.fails == 0
        for job_id in (1, 2):
            [attempt] = store.latest_attempts(job_id, 1 << 20)
            assert (attempt["cause"], attempt["exit_code"]) == ("exit", 3)
        assert links.launched == []
        assert store.load(runs_needed(parse_recipe("easy"))).meta[RESTORED_KEY] == ""
    with snapshot(tmp_path) as database:
        verdict = verify(database, lambda _: None)
    assert verdict.difference is None


async def test_an_end_that_is_remembered_comes_before_what_an_agent_reports(tmp_path: Path) -> None:
    """An agent that was told to stop an attempt after its end reports that it was stopped. The job
    was requeued by that, and ran twice."""
    links = OneNode()
    links.ended = [
        EndedAttempt(1, 1, "a", batch=True, cores=4, start_us=0, end_us=1, cause=Cause.LIMIT),
        EndedAttempt(2, 1, "a", batch=True, cores=4, start_us=1, end_us=2, cause=Cause.EXIT),
    ]
    with closing(Store(await restored(tmp_path))) as store:
        async with scheduling(store, links=links) as scheduler, asyncio.timeout(DEADLINE_S):
            links.scheduler = scheduler
            stopped = Exited(1, 1, "a", 3, Outcome(Cause.NODE))
            scheduler.put(Report(links, 1, stopped))
            links.hello()
            await scheduler.until_over(1, DEADLINE_S)
        [attempt] = store.latest_attempts(1, 1 << 20)
        assert (attempt["attempt"], attempt["cause"]) == (1, "limit")
        assert 1 not in links.launched


async def test_a_cancel_waits_until_it_is_known_whether_its_job_runs(tmp_path: Path) -> None:
    """The job was over without an attempt, and the attempt that it had ran on for a while."""
    links = OneNode()
    links.ended = [
        EndedAttempt(
            1, 1, "a", batch=True, cores=4, start_us=0, end_us=1, cause=Cause.EXIT, exit_code=0
        )
    ]
    links.held = [HeldAttempt(2, 1, "a", start_us=1, batch=True, cores=4)]
    with closing(Store(await restored(tmp_path))) as store:
        async with scheduling(store, links=links) as scheduler, asyncio.timeout(DEADLINE_S):
            links.scheduler = scheduler
            cancelled = asyncio.get_running_loop().create_future()
            scheduler.put(ReadyInputs([Cancel(2)], cancelled))
            await scheduler.submit([timer()], None, "", 1000)
            assert not cancelled.done()
            links.hello()
            assert await cancelled
            job = scheduler.core.jobs[2]
            assert (job.state, job.attempt, job.stop_cause) == ("COMPLETING", 1, Cause.USER)


async def test_a_cancel_that_waits_is_refused_when_the_daemon_stops(tmp_path: Path) -> None:
    with closing(Store(await restored(tmp_path))) as store:
        async with scheduling(store, links=OneNode()) as scheduler, asyncio.timeout(DEADLINE_S):
            cancelled = asyncio.get_running_loop().create_future()
            scheduler.put(ReadyInputs([Cancel(2)], cancelled))
            await scheduler.submit([timer()], None, "", 1000)
        with pytest.raises(Unavailable):
            await cancelled


@pytest.mark.parametrize(("closed", "link"), [(False, "up"), (True, "suspect")])
async def test_a_node_that_is_away_again_when_all_are_heard_takes_nothing(
    tmp_path: Path, closed: bool, link: str
) -> None:
    links = OneNode(closed=closed)

    with closing(Store(await restored(tmp_path))) as store:
        async with scheduling(store, links=links) as scheduler:
            links.scheduler = scheduler
            links.hello()
            await until(lambda: not scheduler.restoring and scheduler.core.nodes["a"].link == link)
    assert links.watched == ["a"] * (2 if closed else 1)


@pytest.mark.parametrize("left", ["rmsd.db-wal", "rmsd.db.new-wal"])
async def test_a_log_that_was_left_is_not_read_into_the_backup(tmp_path: Path, left: str) -> None:
    """A killed daemon whose database was then deleted leaves a log, and so does a killed
    restore."""
    with closing(Store(tmp_path / "rmsd.db")) as store:
        backup = await backed_up(store)
        await serve(store, OneNode(), [timer()])
        log = (tmp_path / "rmsd.db-wal").read_bytes()
    store.path.unlink()
    (tmp_path / left).write_bytes(log)
    backups.restore(backup, tmp_path, lambda *_: None)
    assert backups.held_by(store.path).jobs == 2


@pytest.mark.slow
async def test_a_job_that_was_on_its_way_at_the_backup_is_told_as_lost(tmp_path: Path) -> None:
    """The number of the job is known to the backup, and the job is not."""
    with closing(Store(tmp_path / "rmsd.db")) as store:
        await serve(store, OneNode(), [timer(), timer(), timer()])
    backup = tmp_path / "backup.db"
    backups.backup(store.path, backup, lambda *_: None)
    with closing(sqlite3.connect(backup)) as database, database:
        database.execute("DELETE FROM job WHERE id = 3")
    held = backups.held_by(backup)
    assert (held.jobs, held.last_job, held.last_id) == (2, 2, 3)
    said = rmsd("restore", backup, tmp_path).stdout
    assert "2 jobs, 2 of them not over, up to number 2, " in said
    assert "number 3 was given out since: this job is unknown" in said


async def test_nodes_that_came_after_the_backup_are_asked_too(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        backup = await backed_up(store)
    with closing(sqlite3.connect(store.path)) as database, database:
        columns = [name for _, name, *_ in database.execute("PRAGMA table_info(node)")]
        values = ", ".join("'b'" if name == "name" else name for name in columns)
        database.execute(f"INSERT INTO node SELECT {values} FROM node WHERE name = 'a'")
    backups.restore(backup, tmp_path, lambda *_: None)
    with closing(Store(store.path)) as store:
        nodes = store.load(runs_needed(parse_recipe("easy"))).nodes
    assert [row["name"] for row in nodes] == ["a", "b"]


@pytest.mark.parametrize("table", ["token", "audit"])
async def test_a_damaged_database_does_not_keep_its_backup_from_being_restored(
    tmp_path: Path, table: str
) -> None:
    with closing(Store(tmp_path / "rmsd.db")) as store:
        backup = await backed_up(store)
        store.record(Changes(audit=[entry(None, "drain", "node a")]))
    with closing(sqlite3.connect(store.path)) as database:
        [page] = database.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    with store.path.open("r+b") as file:
        file.seek((page[0] - 1) * 4096)
        file.write(bytes(4096))
    restored = backups.restore(backup, tmp_path, lambda *_: None)
    assert restored.before is not None
    assert (restored.held.jobs, restored.before.last_id, restored.tokens_kept) == (2, 2, False)
    assert backups.held_by(store.path).jobs == 2


def test_a_database_whose_jobs_were_all_deleted_tells_the_last_number() -> None:
    """Deleting old jobs is usual, and their numbers are not given out again."""
    held = backups.DatabaseContents(jobs=0, live=0, last_job=0, last_id=52, clock_us=0)
    assert contents_text(held).startswith("0 jobs, 0 of them not over, up to number 52, ")
