"""Backups of a daemon that runs, and what happens to jobs when an old one is restored.

Long: daemons are stopped, restored and started again.
"""

from __future__ import annotations

import json
import os
import pwd
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rmsd_daemon.offline.backups import held_by
from rmsd_daemon.offline.reader import ReadingError, snapshot
from rmsd_daemon.store.store import ALL_LOST_GAP, Store
from tests.command_lines import words_of
from tests.daemon.restores import CONFIG, backup, counting, restore
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Run a daemon whose only node is this machine, as two processors."""
    return start_daemon("--no-local-node", "--emulate", "2x4", config=CONFIG)


def test_a_backup_of_a_daemon_that_runs_is_one_private_file(daemon: Daemon) -> None:
    ids = [daemon.submit("true") for _ in range(5)]
    file = backup(daemon)
    assert file.stat().st_mode & 0o777 == 0o600
    assert held_by(file).last_id == max(ids)
    assert {path.name for path in file.parent.glob("backup*")} == {"backup.db"}
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert "5 jobs" in daemon.rmsd("backup", str(file)).stdout  # over the earlier one


def test_a_backup_does_not_overwrite_the_database_of_a_daemon(
    daemon: Daemon, start_daemon: Callable[..., Daemon]
) -> None:
    """The backup overwrites neither the daemon's own database, by whatever name, nor another
    daemon's."""
    other = start_daemon("--no-local-node", "--emulate", "1x1")
    link = daemon.root / "link.db"
    link.symlink_to(daemon.state / "rmsd.db")
    inodes = [(one.state / "rmsd.db").stat().st_ino for one in (daemon, other)]
    for target in (daemon.state / "rmsd.db", link, other.state / "rmsd.db"):
        done = daemon.rmsd("backup", str(target))
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{target.resolve()} is a daemon's own database" in done.stderr
    assert inodes == [(one.state / "rmsd.db").stat().st_ino for one in (daemon, other)]


def test_a_backup_does_not_overwrite_what_is_none(daemon: Daemon) -> None:
    file = daemon.root / "thesis.txt"
    file.write_text("all there is\n")
    done = daemon.rmsd("backup", str(file))
    assert done.returncode == 1
    assert "is there already, and is no backup" in done.stderr
    assert file.read_text() == "all there is\n"


def test_a_restore_needs_the_daemon_to_be_stopped(daemon: Daemon) -> None:
    file = backup(daemon)
    done = daemon.rmsd("restore", str(file))
    assert done.returncode == 1
    assert "Stop it first (`rmsd stop`, or `systemctl stop` with its unit" in done.stderr
    assert "nothing was restored" in done.stderr


def test_a_damaged_backup_is_refused(daemon: Daemon) -> None:
    daemon.submit("true", comment="x" * 4000)
    file = backup(daemon)
    daemon.stop()
    before = (daemon.state / "rmsd.db").read_bytes()
    with file.open("r+b") as damaged:
        damaged.seek(4096)
        damaged.write(bytes(file.stat().st_size - 4096))
    done = daemon.rmsd("restore", str(file))
    assert done.returncode == 1
    assert "nothing was restored" in done.stderr
    assert (daemon.state / "rmsd.db").read_bytes() == before
    daemon.start()


def test_nothing_runs_twice_after_a_restore(daemon: Daemon) -> None:
    """The jobs wait in the backup, and have since ended, failed, or begun."""
    blocker = daemon.submit("while [ ! -e go ]; do sleep 0.02; done", nodes=2, tasks=8)
    daemon.wait_for(blocker, "RUNNING")
    fine = daemon.submit(counting("fine", "exit 0"))
    fails = daemon.submit(counting("fails", "exit 7"))
    runs = daemon.submit(counting("runs", "while [ ! -e end ]; do sleep 0.02; done; exit 3"))
    both = daemon.submit(counting("both", "exit 4"), nodes=2, tasks=2)
    file = backup(daemon)

    (daemon.work / "go").touch()
    for job_id in (fine, fails, both):
        daemon.wait(job_id)
    daemon.wait_for(runs, "RUNNING")
    unknown = daemon.submit(counting("unknown", "sleep 600"))
    ended = daemon.submit(counting("ended"))
    daemon.wait_for(unknown, "RUNNING")
    daemon.wait(ended)
    wait_until(lambda: daemon.lines("runs") and daemon.lines("unknown"))
    said = restore(daemon, file)

    assert "2 numbers were given out since" in said
    wait_until(lambda: daemon.state_of(fine) == "COMPLETED")
    assert daemon.wait(blocker)["exit_code"] == 0
    assert (daemon.wait(fails)["state"], daemon.wait(fails)["exit_code"]) == ("FAILED", 7)
    assert daemon.wait(both)["exit_code"] == 4
    assert daemon.state_of(runs) == "RUNNING"
    assert daemon.submit("true") == ended + 1
    (daemon.work / "end").touch()
    assert daemon.wait(runs)["exit_code"] == 3
    assert daemon.wait(runs)["attempt"] == 1
    for name in ("fine", "fails", "both", "runs", "unknown", "ended"):
        assert daemon.lines(name) == ["run"], name
    wait_until(lambda: not runs_on(daemon, "sleep 600"))
    assert '"event": "job-unknown"' in daemon.log.read_text()


def test_nothing_runs_twice_on_nodes_that_are_left_out_after_a_restore(daemon: Daemon) -> None:
    """The agent comes back with other nodes, and still knows what has ended on those of before."""
    blocker = daemon.submit("while [ ! -e go ]; do sleep 0.02; done", nodes=2, tasks=8)
    daemon.wait_for(blocker, "RUNNING")
    waits = daemon.submit(counting("waits", "exit 7"))
    file = backup(daemon)
    (daemon.work / "go").touch()
    daemon.wait(waits)
    daemon.options = ("--local-node",)
    restore(daemon, file)

    assert daemon.wait(blocker)["exit_code"] == 0
    assert (daemon.wait(waits)["state"], daemon.wait(waits)["exit_code"]) == ("FAILED", 7)
    assert daemon.lines("waits") == ["run"]
    wait_until(lambda: {node["name"] for node in daemon.client.nodes()}.isdisjoint({"e1", "e2"}))


def runs_on(daemon: Daemon, command: str) -> bool:
    return any(" ".join(words_of(process)) == command for process in daemon.processes())


def test_a_restore_elsewhere_passes_over_numbers(daemon: Daemon) -> None:
    """The database of before is not there to be asked."""
    first = daemon.submit(counting("first"))
    daemon.wait(first)
    file = backup(daemon)
    daemon.stop()
    for path in daemon.state.glob("rmsd.db*"):
        path.unlink()
    done = daemon.rmsd("restore", str(file))
    assert done.returncode == 0
    assert f"{ALL_LOST_GAP:,} are passed over" in done.stdout
    daemon.start()
    assert daemon.submit("true") == first + ALL_LOST_GAP + 1
    assert daemon.lines("first") == ["run"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files for another account")
def test_what_root_restores_belongs_to_the_daemons_account(daemon: Daemon) -> None:
    file, place = backup(daemon), daemon.root / "place"
    daemon.root.chmod(0o755)  # lets the account reach its directory
    place.mkdir(mode=0o700)
    owner = pwd.getpwnam("nobody")
    os.chown(place, owner.pw_uid, owner.pw_gid)
    assert daemon.rmsd("restore", str(file), str(place)).returncode == 0
    assert daemon.rmsd("tls", "new", "--state-dir", str(place)).returncode == 0
    made = list(place.rglob("*"))
    assert {place / "rmsd.db", place / "daemon.lock", place / "tls" / "key.pem"} <= set(made)
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {owner[2:4]}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
def test_a_link_in_anothers_directory_leads_root_to_nothing_that_is_not_the_owners(
    daemon: Daemon,
) -> None:
    """Root's own tokens, audit trail and authority must not come into the owner's hands."""
    file, state_dir = backup(daemon), daemon.state
    assert daemon.rmsd("token", "new", "--name", "of-root").returncode == 0
    assert daemon.rmsd("tls", "new", "--state-dir", str(state_dir)).returncode == 0
    daemon.root.chmod(0o755)
    state_dir.chmod(0o711)
    daemon.stop()
    place = daemon.root / "place"
    (place / "tls").mkdir(parents=True)
    place.chmod(0o700)
    (place / "rmsd.db").symlink_to(state_dir / "rmsd.db")
    for name in ("ca.pem", "ca-key.pem"):
        (place / "tls" / name).symlink_to(state_dir / "tls" / name)
    owner = pwd.getpwnam("nobody")
    for path in (place, *place.rglob("*")):
        os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)
    daemon.rmsd("restore", str(file), str(place))
    with closing(sqlite3.connect(place / "rmsd.db")) as database:
        assert database.execute("SELECT name FROM token").fetchall() == []
    assert daemon.rmsd("tls", "new", "--state-dir", str(place)).returncode == 1
    assert not (place / "tls" / "cert.pem").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
@pytest.mark.parametrize(
    "command",
    [["audit"], ["verify"], ["history", "export", "--swf", "swf.db"], ["backup", "copy.db"]],
)
def test_what_root_reads_in_anothers_directory_gives_its_owner_nothing(
    daemon: Daemon, command: list[str]
) -> None:
    """SQLite gives the log of a database to the owner of the database if root opens it. The owner
    can put the name of another log there, by a link or by a change of directories."""
    place = with_the_log_of(daemon)
    words = [str(daemon.root / word) if word.endswith(".db") else word for word in command]
    done = daemon.rmsd(*words, str(place))
    assert (daemon.state / "rmsd.db-wal").stat().st_uid == 0
    assert done.returncode == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
def test_a_backup_that_root_reads_in_anothers_directory_gives_its_owner_nothing(
    daemon: Daemon,
) -> None:
    done = daemon.rmsd(
        "restore", str(with_the_log_of(daemon) / "rmsd.db"), str(daemon.root / "new")
    )
    assert (daemon.state / "rmsd.db-wal").stat().st_uid == 0
    assert done.returncode == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
def test_root_writes_no_backup_where_another_account_can_replace_it(daemon: Daemon) -> None:
    """The owner of the directory could put a link to any database there while root writes."""
    place = anothers_directory(daemon)
    done = daemon.rmsd("backup", str(place / "copy.db"), str(daemon.state))
    assert done.returncode == 1
    assert f"{place} belongs to nobody" in done.stderr
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_nobody_waits_for_what_is_no_file_of_a_database(tmp_path: Path, suffix: str) -> None:
    Store(tmp_path / "rmsd.db").close()
    file = tmp_path / f"rmsd.db{suffix}"
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    with pytest.raises(ReadingError, match=r"no regular file|no rmsd\.db"), snapshot(tmp_path):
        pass
    with pytest.raises(OSError, match="no regular file"):
        held_by(tmp_path / "rmsd.db")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root works for another account")
def test_a_backup_in_the_directory_of_the_databases_owner_is_that_accounts(
    daemon: Daemon,
) -> None:
    place = anothers_directory(daemon)
    file = backup(daemon)
    assert daemon.rmsd("restore", str(file), str(place / "state")).returncode == 0
    done = daemon.rmsd("backup", str(place / "copy.db"), str(place / "state"))
    assert done.returncode == 0, done.stderr
    owner = pwd.getpwnam("nobody").pw_uid
    assert {path.stat().st_uid for path in place.rglob("*")} == {owner}


def anothers_directory(daemon: Daemon) -> Path:
    """Make an empty directory of another account."""
    daemon.root.chmod(0o755)
    place = daemon.root / "place"
    place.mkdir(mode=0o700)
    owner = pwd.getpwnam("nobody")
    os.chown(place, owner.pw_uid, owner.pw_gid)
    return place


def with_the_log_of(daemon: Daemon) -> Path:
    """Make a directory of another account with a database that has the log of this daemon's."""
    log = daemon.state / "rmsd.db-wal"
    place = anothers_directory(daemon)
    database = place / "rmsd.db"
    database.write_bytes(backup(daemon).read_bytes())
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    owner = place.stat()
    os.chown(database, owner.st_uid, owner.st_gid)
    (place / log.name).unlink(missing_ok=True)
    (place / log.name).hardlink_to(log)
    return place


def test_a_revoked_token_stays_so_and_the_audit_trail_goes_on(daemon: Daemon) -> None:
    made = daemon.rmsd("token", "new", "--name", "laptop")
    assert made.returncode == 0, made.stderr
    [token] = tokens(daemon)
    file = backup(daemon)
    assert daemon.rmsd("token", "revoke", token["id"]).returncode == 0
    before = actions(daemon)
    restore(daemon, file)
    assert [one["state"] for one in tokens(daemon)] == ["revoked"]
    assert actions(daemon)[: len(before) + 1] == [*before, "restore"]


def test_a_node_that_was_drained_after_the_backup_stays_so(daemon: Daemon) -> None:
    daemon.client.drain("e2", "was drained")
    file = backup(daemon)
    daemon.client.drain("e1", "its fan is broken")
    daemon.client.resume("e2")
    restore(daemon, file)
    reasons = {node["name"]: node["reason"] for node in daemon.client.nodes()}
    assert reasons == {"e1": "its fan is broken", "e2": ""}
    assert all(node["drain_by"] and node["drain_us"] for node in daemon.client.nodes())
    assert daemon.wait(daemon.emulate(0.0))["nodelist"] == "e2"


def tokens(daemon: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon_json(daemon, "token", "list")["tokens"]
    return found


def actions(daemon: Daemon) -> list[str]:
    """Return what the audit trail has, before the stop that a restore needs, and after."""
    found = [entry["action"] for entry in daemon_json(daemon, "audit")["entries"]]
    return [action for action in found if action != "stop"]


def daemon_json(daemon: Daemon, *words: str) -> dict[str, Any]:
    done = daemon.rmsd(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_database_of_before_is_kept(daemon: Daemon) -> None:
    file = backup(daemon)
    last = daemon.submit("true")
    daemon.wait(last)
    restore(daemon, file)
    [kept] = daemon.state.glob("rmsd.db.replaced-*")
    assert held_by(kept).last_id == last
    assert held_by(kept).jobs == 1
