"""Damage to the database of a daemon that runs: it stays where it is, and is told.

Long: daemons are started, and the damage that they meet waited for.
"""

from __future__ import annotations

import contextlib
import random
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

PAGE = 4096
COMMENT = "x" * 40_000
"""Makes a script larger than the scripts that the daemon keeps in memory."""


def is_merged(path: Path) -> bool:
    """Merge the log into the database. Return False if somebody writes; raises DatabaseError."""
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy


def settled(daemon: Daemon) -> Path:
    """Return the daemon's database, with all that is committed in the file itself."""
    path = daemon.state / "rmsd.db"

    def merged() -> bool:
        try:
            return is_merged(path)
        except sqlite3.DatabaseError:  # the daemon was replacing a damaged database
            return False

    wait_until(merged, "the log is merged")
    return path


def pages(path: Path, table: str, *kinds: str) -> list[int]:
    """Return the numbers of the pages of a table in the order of its rows: those of the given kinds
    (internal, leaf, overflow), or all."""
    query = "SELECT pageno, pagetype FROM dbstat WHERE name = ? ORDER BY path"
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(query, (table,)).fetchall()
    return [number for number, kind in found if not kinds or kind in kinds]


def overwrite(path: Path, numbers: list[int], rng: random.Random | None = None) -> None:
    with path.open("r+b") as file:
        for number in numbers:
            file.seek((number - 1) * PAGE)
            file.write(rng.randbytes(PAGE) if rng else b"\xff" * PAGE)


def held_back(start_daemon: Callable[..., Daemon], **options: Any) -> tuple[Daemon, int]:
    """Return a daemon with one node, and the job that holds the node until there is a file `go`."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", **options)
    daemon.spoiled = True
    holder = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(holder, "RUNNING")
    return daemon, holder


def go(daemon: Daemon) -> None:
    (daemon.work / "go").touch()


def events(daemon: Daemon, name: str) -> int:
    """Return how often the daemon has logged an event."""
    return daemon.log.read_text().count(f'"event": "{name}"')


def state_of(daemon: Daemon, job_id: int) -> str:
    """Return the job's state, or LOST if the daemon does not know the job."""
    try:
        return daemon.state_of(job_id)
    except ApiError as error:
        if error.status != 404:
            raise
        return "LOST"


# ---------------------------------------------------------------- scripts


def test_a_damaged_script_ends_its_job_alone(start_daemon: Callable[..., Daemon]) -> None:
    daemon, holder = held_back(start_daemon)
    jobs = [daemon.submit(f"# {COMMENT}\necho $RMS_JOB_ID >> ran") for _ in range(20)]
    path = settled(daemon)
    overflow = pages(path, "script", "overflow")
    overwrite(path, [overflow[len(overflow) // 3]])
    go(daemon)
    ends = {job_id: daemon.wait(job_id) for job_id in (holder, *jobs)}
    [failed] = [job_id for job_id, job in ends.items() if job["state"] != "COMPLETED"]
    assert ends[failed]["state"] == "FAILED"
    assert "its script is damaged in the database" in ends[failed]["message"]
    assert daemon.lines("ran") == [str(job_id) for job_id in jobs if job_id != failed]
    assert (events(daemon, "state-reloaded"), events(daemon, "agent-up")) == (0, 1)
    assert daemon.client.status()["damage"]["times"] == 1
    daemon.stop()
    daemon.start()
    assert daemon.client.job(failed)["message"] == ends[failed]["message"]


def test_a_page_of_many_scripts_ends_their_jobs_alone(start_daemon: Callable[..., Daemon]) -> None:
    """Rows of large scripts have their beginnings on one page."""
    daemon, _ = held_back(start_daemon)
    jobs = [daemon.submit(f"# {COMMENT}\necho $RMS_JOB_ID >> ran") for _ in range(20)]
    path = settled(daemon)
    leaves = pages(path, "script", "leaf")
    overwrite(path, [leaves[len(leaves) // 2]])
    go(daemon)
    ends = {job_id: daemon.wait(job_id) for job_id in jobs}
    states = [job["state"] for job in ends.values()]
    assert set(states) == {"COMPLETED", "FAILED"}
    for job in ends.values():
        assert ("its script is damaged" in job["message"]) == (job["state"] == "FAILED")
    assert len(daemon.lines("ran")) == states.count("COMPLETED")


# ---------------------------------------------------------------- what is asked


def test_a_damaged_page_costs_the_requests_that_need_it(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4")
    daemon.spoiled = True
    for _ in range(10):
        jobs = [
            told["job_id"]
            for told in daemon.client.submit([{"emulate": {"run_s": 0}, "comment": "x" * 2000}] * 8)
        ]
    for job_id in jobs:
        daemon.wait(job_id)
    path = settled(daemon)
    overwrite(path, pages(path, "job", "leaf")[:1])
    for ask in (lambda: daemon.client.job(1), lambda: daemon.client.jobs(states="all")):
        with pytest.raises(ApiError, match="is damaged") as refused:
            ask()
        assert refused.value.status == 507
    assert daemon.state_of(jobs[-1]) == "COMPLETED"
    assert daemon.wait(daemon.emulate(0))["state"] == "COMPLETED"
    assert daemon.client.status()["damage"]["times"] == 2
    told = daemon.rmsd("status", expect=0).stdout
    assert "met 2 times" in told
    assert "stop and start the daemon" in told
    daemon.stop()
    daemon.start()  # the pages are looked at beside the work
    wait_until(lambda: (found := daemon.client.status()["damage"]) and found["kept_as"])
    assert len(daemon.client.jobs(states="all")) > len(jobs)


# ---------------------------------------------------------------- what must be written


@pytest.mark.parametrize("table", ["job", "event", "attempt", "node", "audit", "submission"])
def test_a_page_that_must_be_written_is_mended_while_the_daemon_runs(
    start_daemon: Callable[..., Daemon], table: str
) -> None:
    daemon, holder = held_back(start_daemon)
    for _ in range(10):
        jobs = [daemon.submit("true", comment="x" * 2000) for _ in range(3)]
    path = settled(daemon)
    overwrite(path, pages(path, table, "leaf")[-1:])
    go(daemon)
    wait_until(lambda: not daemon.client.jobs())
    with contextlib.suppress(ApiError):  # the write that meets the damage is refused
        daemon.submit("true")
    assert daemon.wait(daemon.submit("true"))["state"] == "COMPLETED"
    wait_until(lambda: not daemon.client.jobs())
    over = [state_of(daemon, job_id) for job_id in (holder, *jobs)]
    assert set(over) <= {"COMPLETED", "LOST"}
    assert daemon.client.status()["failing"] == []


def test_a_damaged_job_is_told_as_lost_and_the_others_go_on(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon, holder = held_back(start_daemon)
    jobs = [daemon.submit("true", comment="x" * 2000) for _ in range(20)]
    path = settled(daemon)
    overwrite(path, [pages(path, "job", "leaf")[5]])
    go(daemon)
    wait_until(lambda: not daemon.client.jobs())
    damage = daemon.client.status()["damage"]
    lost = [job_id for job_id in (holder, *jobs) if state_of(daemon, job_id) == "LOST"]
    assert damage["lost_jobs"] == lost
    assert 0 < len(lost) < 10
    assert Path(damage["kept_as"]).exists()
    assert events(daemon, "database-mended") == 1
    others = [job_id for job_id in (holder, *jobs) if job_id not in lost]
    assert {daemon.state_of(job_id) for job_id in others} == {"COMPLETED"}
    assert daemon.submit("true") > max(jobs)


# ---------------------------------------------------------------- anything, anywhere


def test_random_damage_under_load_is_survived(start_daemon: Callable[..., Daemon]) -> None:
    """Every page may be hit but those of the schema, without which there is no database."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    daemon = start_daemon("--no-local-node", "--emulate", "2x2")
    daemon.spoiled = True
    accepted: list[int] = []
    for round_number in range(3):  # a running daemon replaces its database three times
        for _ in range(10):
            script = f"# {COMMENT if rng.random() < 0.3 else ''}\necho $RMS_JOB_ID >> ran"
            try:
                accepted.append(daemon.submit(script, comment="x" * rng.randrange(3000)))
            except ApiError as error:  # the write has met damage
                if error.status != 507:
                    raise
        path = daemon.state / "rmsd.db"
        if round_number % 2 == 0:
            # Damage that the daemon has not met keeps others from the file, and from merging.
            with contextlib.suppress(sqlite3.DatabaseError):
                is_merged(path)
        of_schema = set(pages(path, "sqlite_schema"))
        others = sorted(set(range(1, path.stat().st_size // PAGE + 1)) - of_schema)
        overwrite(path, rng.choices(others, k=5), rng)
        assert daemon.client.status()["version"]

    def are_over() -> bool:
        """Return whether no job is live. A list that meets damage is refused until the database is
        replaced."""
        with contextlib.suppress(ApiError):
            return not daemon.client.jobs()
        return False

    wait_until(are_over)

    def is_sound() -> bool:
        """Return whether a commit has succeeded since the daemon has met the latest damage."""
        with contextlib.suppress(ApiError):
            daemon.submit("true")
        return not daemon.client.status()["failing"]

    wait_until(is_sound)
    daemon.stop()
    daemon.start()
    assert daemon.wait(daemon.submit("true"))["state"] == "COMPLETED"
    ran = {int(line) for line in daemon.lines("ran")}
    for job_id in accepted:
        if (state := state_of(daemon, job_id)) == "COMPLETED":
            assert job_id in ran
        elif state == "FAILED":
            assert daemon.client.job(job_id)["message"]
        else:
            assert state == "LOST"
    assert len(set(accepted)) == len(accepted)


@pytest.mark.long  # one start for each four of the tables and indexes
def test_damaged_tables_keep_no_daemon_from_starting(start_daemon: Callable[..., Daemon]) -> None:
    """The tables that are damaged together are others in every run."""
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    daemon.spoiled = True
    daemon.wait(daemon.submit("true"))
    with closing(sqlite3.connect(daemon.state / "rmsd.db")) as connection:
        query = "SELECT name FROM sqlite_schema WHERE rootpage > 0"
        names = [name for (name,) in connection.execute(query)]
    assert {"token", "notice", "job_live"} <= set(names)
    random.Random(seed).shuffle(names)
    for at in range(0, len(names), 4):
        together = names[at : at + 4]
        daemon.stop()
        path = daemon.state / "rmsd.db"
        overwrite(path, [number for name in together for number in pages(path, name)])
        daemon.start()
        assert daemon.client.status()["version"], together
