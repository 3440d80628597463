"""`rmsd verify`: what a daemon has logged leads to what it has stored. That it does is asserted
after every test with a daemon (`tests.live.Daemon.close`); here is what it finds when it does not.

Long: databases are made by daemons that run jobs.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, Policies, QosPolicy
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import Awaits, Conditions, Dependency, Unmet
from rmsd_core.jobs.gres import Share
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.inputs import Input, NodeUp, Restart, Submit, Update
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.partitions import Partition
from rmsd_core.vocabulary import Cause, HeldBy, JobState, Relation
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import Difference, verify
from rmsd_daemon.store.logged_inputs import input_of
from rmsd_daemon.store.records import events
from rmsd_daemon.store.tables import EVENT_VERSION
from tests.commands import rmsd
from tests.jobs import over
from tests.live import Daemon

pytestmark = pytest.mark.long

OPTIONS = ("--no-local-node", "--emulate", "1x4", "--rate", "1000")


def execute(state_dir: Path, sql: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(state_dir / "rmsd.db")) as database, database:
        return database.execute(sql).fetchall()


def difference_in(state_dir: Path) -> Difference | None:
    with snapshot(state_dir) as database:
        return verify(database, lambda _: None).difference


@pytest.mark.live
def test_a_daemon_that_was_killed_and_had_other_recipes(
    start_daemon: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials, plans and predictions go on over four starts, and the log tells how."""
    daemon = start_daemon(*OPTIONS, "--recipe", "timed-easy++,trial=100", config="")
    for recipe in ("timed-conservative,trial=50", "rmsd-gentle,floor=0", "selective,threshold=2"):
        for run_s, tasks in ((300, 2), (900, 4), (60, 1), (400, 3)):
            daemon.emulate(run_s, tasks=tasks, time_limit_s=2 * run_s)
        daemon.wait(daemon.emulate(5, tasks=1, time_limit_s=10))
        daemon.kill()
        daemon.options = (*OPTIONS, "--recipe", recipe)
        daemon.start()
    daemon.client.resume("e1")  # answered after a commit, so that this start is on disk
    report = json.loads(rmsd("verify", daemon.state, "--json").stdout)
    assert (report["schema"], report["difference"]) == ("rmsd.verify/1", None)
    assert report["starts"] == 4
    assert min(report["batches"], report["inputs"], report["decisions"], report["jobs"]) >= 15
    assert "all as stored" in rmsd("verify", daemon.state).stdout
    monkeypatch.setenv("RMSD_STATE_DIR", str(daemon.state))
    assert rmsd("verify").stdout.startswith(f"{daemon.state}: all as stored")


@pytest.fixture(scope="module")
def recorded() -> Iterator[Path]:
    """Yield the database of a daemon that has ended two jobs."""
    daemon = Daemon(*OPTIONS)
    try:
        daemon.start()
        for run_s in (60, 120):
            daemon.wait(daemon.emulate(run_s, tasks=4))
        daemon.stop()
        yield daemon.state / "rmsd.db"
    finally:
        daemon.close()


@pytest.fixture
def spoiled(recorded: Path, tmp_path: Path) -> Path:
    """Return a copy of that database's directory, to be spoiled."""
    (tmp_path / "rmsd.db").write_bytes(recorded.read_bytes())
    assert difference_in(tmp_path) is None
    return tmp_path


PLANTED = {
    "start_us": ("json_set(payload, '$.job.start_us', 7)", "start of job 2: job: start_us is"),
    "rank": ("json_set(payload, '$.job.rank', 5)", "start of job 2: job: rank is stored as 5"),
    "more": ("json_set(payload, '$.job.extra', 5)", "job: extra is stored alone"),
    "fewer": ("json_remove(payload, '$.job.rank')", "job: rank is not stored"),
}


@pytest.mark.live
@pytest.mark.parametrize("what", PLANTED)
def test_a_decision_that_was_changed_is_found(spoiled: Path, what: str) -> None:
    change, said = PLANTED[what]
    where = "WHERE kind = 'start' AND job_id = 2"
    [(batch,)] = execute(spoiled, f"SELECT batch FROM event {where}")
    execute(spoiled, f"UPDATE event SET payload = {change} {where}")
    done = rmsd("verify", spoiled, expect=1)
    assert f"first difference in batch {batch} at 20" in done.stdout
    assert ", job 2: " in done.stdout
    assert said in done.stdout


@pytest.mark.live
@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM event WHERE kind = 'end' AND job_id = 1", "end of job 1 was decided and is"),
        ("UPDATE event SET kind = 'end' WHERE kind = 'start' AND job_id = 1", "end of job 1 is st"),
        (
            "DELETE FROM event WHERE kind = 'submit' AND job_id = 1",
            "start of job 1 is stored, nothing is",
        ),
        ("DELETE FROM event WHERE kind = 'restored'", "the start of the daemon is not in the log"),
        ("UPDATE job SET backfilled = 1 WHERE id = 1", "its record in the table of jobs: backf"),
        ("DELETE FROM job WHERE id = 2", "the table of jobs does not have it"),
        ("UPDATE node SET drain_reason = 'x'", "the table of nodes"),
        (
            "UPDATE attempt SET end_us = end_us + 1 WHERE job_id = 2",
            "attempt 1 in the table of attempts: end_us is",
        ),
        (
            "DELETE FROM attempt WHERE job_id = 1",
            "attempt 1 in the table of attempts: is stored as",
        ),
        ("UPDATE attempt SET attempt = 2 WHERE job_id = 1", "attempt 1 in the table of attempts"),
        (
            "INSERT INTO attempt SELECT job_id, 2, start_us, end_us, allocation, cause, exit_code,"
            " signal, cpu_s, max_rss_mib, message FROM attempt WHERE job_id = 1",
            "attempt 2 is stored and was not decided",
        ),
        (
            "UPDATE event SET model_us = model_us + 1 WHERE kind = 'start' AND job_id = 2",
            "the instant of start of job 2: is stored as",
        ),
    ],
)
def test_a_record_that_was_changed_is_found(spoiled: Path, sql: str, said: str) -> None:
    execute(spoiled, sql)
    difference = difference_in(spoiled)
    assert difference is not None
    assert said in difference.what


@pytest.mark.live
def test_a_job_that_nobody_submitted_is_found(spoiled: Path) -> None:
    columns = [name for _, name, *_ in execute(spoiled, "PRAGMA table_info(job)")]
    others = ", ".join(name for name in columns if name != "id")
    execute(spoiled, f"INSERT INTO job (id, {others}) SELECT 77, {others} FROM job WHERE id = 1")
    difference = difference_in(spoiled)
    assert difference is not None
    assert (difference.job_id, difference.what) == (
        77,
        "the table of jobs has it, and no event submitted it",
    )


@pytest.mark.live
def test_an_input_that_was_changed_leads_elsewhere(spoiled: Path) -> None:
    execute(
        spoiled,
        "UPDATE event SET payload = json_set(payload, '$.end_us', "
        "json_extract(payload, '$.end_us') + 1) WHERE kind = 'exited' AND job_id = 1",
    )
    difference = difference_in(spoiled)
    assert difference is not None
    assert difference.job_id == 1
    assert "end of job 1: job: end_us is stored as" in difference.what


@pytest.mark.live
def test_what_cannot_be_verified_is_said(
    spoiled: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    done = rmsd("verify", tmp_path_factory.mktemp("empty"), expect=1)
    assert "is no state directory of rmsd" in done.stderr
    execute(spoiled, "UPDATE event SET version = 0 WHERE id = 1")
    done = rmsd("verify", spoiled, expect=1)
    assert f"event 1 has version 0, this rmsd verifies {EVENT_VERSION}" in done.stderr
    execute(spoiled, "UPDATE event SET version = 3, payload = '[[' WHERE id = 1")
    done = rmsd("verify", spoiled, expect=1)
    assert "cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.live
@pytest.mark.parametrize(
    ("sql", "command", "said"),
    [
        ("event SET kind = char(27) || '[2J' || char(10) || 'x'", "verify", "first difference in"),
        ("event SET model_us = 1 << 62", "verify", "first difference in"),
        ("event SET batch = 'x' WHERE id = 3", "verify", "a record is damaged"),
        ("job SET start_us = 'x'", "history export --swf -", "the record of job 1 is damaged"),
        ("node SET gres = '[[1]]'", "history export --swf -", "has a damaged record"),
        ("audit SET at_us = 'x'", "audit", "cannot be read"),
    ],
)
def test_no_value_of_another_accounts_database_steers_a_terminal_or_ends_in_a_traceback(
    spoiled: Path, sql: str, command: str, said: str
) -> None:
    execute(spoiled, f"UPDATE {sql}")
    done = rmsd(*command.split(), spoiled, expect=1)
    assert said in done.stdout + done.stderr
    assert "\033" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.live
@pytest.mark.parametrize(
    "change",
    ["UPDATE event SET batch = 'x'", f"UPDATE job SET live = 1, conditions = '{'[' * 3000}'"],
    ids=["number", "brackets"],
)
def test_a_backup_with_another_type_of_number_is_not_restored(spoiled: Path, change: str) -> None:
    execute(spoiled, change)
    done = rmsd("restore", spoiled / "rmsd.db", spoiled / "new", expect=1)
    assert "a record is damaged" in done.stderr
    assert "nothing was restored" in done.stderr
    assert not (spoiled / "new" / "rmsd.db").exists()


JOB = Job(
    5, "ann", 17, Request((Component(3, 2, 100, True, "real"),)), 600, requeue=False, name="j"
)
NODE = {"name": "n1", "cores": 4, "mem_mib": 100, "features": ["real"], "drain_reason": "hot",
        "gres": [["gpu:a", [0, 2]]]}  # fmt: skip
VALUES = {
    "job_id": 5,
    "attempt": 2,
    "node": "n1",
    "start_us": 50,
    "end_us": 99,
    "allocation": (Piece("n1", 2, 100), Piece("n2", 2, 100)),
    "outcome": Outcome(Cause.EXIT, 3, None, 1.25, 7, "done"),
    "name": "n1",
    "cores": 4,
    "mem_mib": 100,
    "features": ("real",),
    "gres": (Share("gpu:a", 2, (0, 2)),),
    "reason": "hot",
    "boot_id": "b1",
    "why": "reboot timed out",
    "asap": True,
    "next_state": "down",
    "by": HeldBy.OPERATOR,
    "held_by": HeldBy.USER,
    "policies": Policies(
        (AccountPolicy("a", "b", JobLimits(1, 2)), AccountPolicy("b")),
        (QosPolicy("q", JobLimits(max_time_us=5)),),
    ),
    "reservation": AdvanceReservation(
        "r",
        10,
        20,
        ("n1", "n2"),
        0,
        ("ann",),
        ("physics",),
        is_maintenance=True,
        groups=("students",),
        members=("bob",),
        every_us=30,
        until_us=100,
    ),
    "user": "ann",
    "is_member": True,
    "ignores_jobs": True,
    "replaces": True,
    "conditions": Conditions(dependencies=(Dependency(Relation.AFTER_OK, 3),)),
    "awaits": Awaits(unmet=(Unmet(Relation.AFTER_ANY, 4, JobState.FAILED),)),
    "partitions": (
        Partition("all"),
        Partition("short", ("n1", "n2"), "drain", 60_000_000, 2, 8, tier=3),
    ),
}


@pytest.mark.parametrize("kind", get_args(Input), ids=lambda kind: kind.__name__)
def test_every_input_comes_back_from_its_event(kind: type) -> None:
    names = kind.__dataclass_fields__
    given = {name: VALUES[name] for name in names if name in VALUES}
    if kind is Update:
        given["reservation"] = "r"
    if kind is Restart:
        given["job"] = over(replace(JOB), start_us=None)
    item = Submit(JOB) if kind is Submit else kind(**given)
    [event] = events(1, 2, [item], [], {}, {5: Details("j")}, {5: {}}, {"n1": NODE})
    payload = json.loads(json.dumps(event["payload"]))
    back = input_of(event["kind"], event["job_id"], payload)
    if isinstance(back, Submit):
        assert repr(back.job) == repr(JOB)
    elif isinstance(back, Restart):
        assert (back.job.phase, back.conditions) == (item.job.phase, item.conditions)
        [again] = events(1, 2, [back], [], {}, {5: Details("j")}, {}, {})
        assert again == event
    else:
        assert back == item


def test_both_sizes_of_a_node_that_comes_up_twice_in_a_batch_are_recorded() -> None:
    """Claims on the smaller one are gone, though the node has its full size again."""
    ups: list[Input] = [NodeUp("n1", cores, 100, ("real",)) for cores in (1, 4)]
    recorded = events(1, 2, ups, [], {}, {}, {}, {"n1": NODE})
    assert [input_of(event["kind"], None, event["payload"]) for event in recorded] == ups
