"""Jobs cancelled together: none of them starts on what another one leaves."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live

Start = Callable[..., Daemon]


def _queue(start_daemon: Start) -> tuple[Daemon, list[int]]:
    """Return a job that runs, one that waits for all of the node, and one that only this one holds
    up."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x2", "--recipe", "easy")
    runs = daemon.submit("sleep 600", time_limit_s=1000)
    daemon.wait_for(runs, "RUNNING")
    head = daemon.submit("touch ran", tasks=2, time_limit_s=600)
    return daemon, [runs, head, daemon.submit("touch ran", time_limit_s=1800)]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.parametrize("words", [["--all"], ["1", "2", "3"], ["3", "2", "1", "1"]])
def test_none_starts_on_what_another_leaves(start_daemon: Start, words: list[str]) -> None:
    daemon, ids = _queue(start_daemon)
    subprocess.run([BIN / "rdel", *words], env=daemon.env, check=True)
    views = [daemon.wait(job_id) for job_id in ids]
    assert [view["state"] for view in views] == ["CANCELLED"] * 3
    assert [view["attempt"] for view in views] == [1, 0, 0]
    assert daemon.lines("ran") == []
    said = [entry["subject"] for entry in daemon.client.audit() if entry["action"] == "cancel"]
    assert sorted(said) == [f"job {view['job_id']} of {view['user']}" for view in views]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_jobs_that_are_named_end_at_once_as_well(start_daemon: Start) -> None:
    """`scancel` and `qdel` name jobs. One after another was cancelled, so that 9,000 took a minute,
    and a job could start on what another one left."""
    daemon, ids = _queue(start_daemon)
    assert sorted(daemon.client.cancel_named([*map(str, ids)])) == ids
    assert [daemon.wait(job_id)["attempt"] for job_id in ids] == [1, 0, 0]
    assert daemon.lines("ran") == []
    with pytest.raises(ApiError, match="there is no job 99"):
        daemon.client.cancel_named(["99", "1_2"])


def test_all_that_can_be_cancelled_are_and_of_the_others_it_is_said(start_daemon: Start) -> None:
    daemon, ids = _queue(start_daemon)
    assert daemon.client.cancel_all([ids[2]]) == [ids[2]]
    with pytest.raises(ApiError, match="there is no job 99"):
        daemon.client.cancel_all([ids[1], 99])
    assert daemon.state_of(ids[1]) == "PENDING"
    assert daemon.client.cancel_all(ids[1:]) == [ids[1]]
    command = [BIN / "rdel", "99", *map(str, ids)]
    done = subprocess.run(command, env=daemon.env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    over = "is already over: CANCELLED"
    assert done.stderr.splitlines() == [
        "rdel: error: there is no job 99",
        f"rdel: error: job {ids[1]} {over}",
        f"rdel: error: job {ids[2]} {over}",
    ]
    assert daemon.wait(ids[0])["state"] == "CANCELLED"


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_job_that_is_being_ended_is_cancelled_on_record_once(start_daemon: Start) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x2", config='kill_grace = "60s"\n')
    job_id = daemon.submit("trap '' TERM; touch ready; while :; do sleep 0.05; done")
    wait_until(lambda: (daemon.work / "ready").exists())
    for _ in range(3):
        assert daemon.client.cancel(job_id)["state"] == "COMPLETING"
        assert daemon.client.cancel_all([job_id]) == [job_id]
    cancels = [entry for entry in daemon.client.audit() if entry["action"] == "cancel"]
    assert len(cancels) == 1
    with closing(sqlite3.connect(daemon.state / "rmsd.db", DEADLINE_S)) as database:
        asked = "SELECT count(*) FROM event WHERE kind = 'cancel' AND job_id = ?"
        assert database.execute(asked, (job_id,)).fetchone() == (1,)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_many_cancels_of_the_same_jobs_at_once_are_one(start_daemon: Start) -> None:
    """Fifty requests with 10,000 jobs each kept the daemon from others for half a minute."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x2")
    daemon.wait_for(daemon.emulate(1e6, tasks=2), "RUNNING")
    jobs: list[dict[str, object]] = [{"emulate": {"run_s": 1e6}, "tasks": 2}] * 1000
    ids = [int(job["job_id"]) for job in daemon.client.submit(jobs)]

    def cancel(_: int) -> None:
        with Client(daemon.client.server) as client:
            client.cancel_all(ids)

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(cancel, range(20)))
    said = [entry["subject"] for entry in daemon.client.audit() if entry["action"] == "cancel"]
    assert len(said) == len(set(said)) == len(ids)


def test_many_cancels_of_one_job_at_once_are_on_record_once(start_daemon: Start) -> None:
    daemon, ids = _queue(start_daemon)
    waits = ids[2]

    def cancel(_: int) -> int:
        with Client(daemon.client.server, retry_for_s=DEADLINE_S) as client:
            try:
                client.cancel(waits)
            except ApiError as error:
                return error.status
            return 200

    with ThreadPoolExecutor(20) as threads:
        told = list(threads.map(cancel, range(60)))
    assert 200 in told
    assert {*told} <= {200, 409}
    cancels = [entry for entry in daemon.client.audit() if entry["action"] == "cancel"]
    assert len(cancels) == 1
