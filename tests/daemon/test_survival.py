"""Survival of kill -9, lost nodes, and a full disk.

Long: daemons and agents are killed and started again.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Callable

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError
from tests.commands import BIN
from tests.daemon import fold
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon, node_state, other_agent
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


def spec(daemon: Daemon, text: str) -> dict[str, object]:
    script = f"#!/bin/sh\n{text}\n"
    return {"script": script, "workdir": str(daemon.work), "stdout": "/dev/null"}


@pytest.mark.timeout(600)
def test_a_thousand_jobs_survive_kill_9(start_daemon: Callable[..., Daemon]) -> None:
    """The daemon is killed twice in the middle: no job is lost, no id is used twice, and no job
    runs twice. A thousand processes take their time."""
    daemon = start_daemon("--no-local-node", "--emulate", "2x4")
    job = spec(daemon, 'echo "$RMS_JOB_ID" >> ran')
    acknowledged: list[int] = []
    held = daemon.submit("echo begun >> held; while [ ! -e go ]; do sleep 0.05; done; exit 7")
    daemon.wait_for(held, "RUNNING")

    def submit_all() -> None:
        with Client(f"unix:{daemon.state}/rmsd.sock", retry_for_s=DEADLINE_S) as client:
            for _ in range(100):
                acknowledged.extend(told["job_id"] for told in client.submit([job] * 10))

    submitter = threading.Thread(target=submit_all)
    submitter.start()
    for some in (150, 600):
        wait_until(lambda some=some: len(acknowledged) >= some)
        daemon.kill()
        daemon.start(nodes=0)
    submitter.join(DEADLINE_S)
    assert len(set(acknowledged)) == len(acknowledged) == 1000
    (daemon.work / "go").touch()
    assert daemon.wait(held)["exit_code"] == 7
    wait_until(lambda: not daemon.client.jobs(), within_s=240.0)
    states = Counter(job["state"] for job in daemon.client.jobs(ids=acknowledged))
    assert states == {"COMPLETED": 1000}
    assert Counter(daemon.lines("ran")) == Counter(str(job_id) for job_id in acknowledged)
    assert daemon.lines("held") == ["begun"]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


def test_an_exit_while_the_daemon_is_down_is_reported(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x2")
    done = daemon.submit("while [ ! -e go ]; do sleep 0.02; done; echo >> ended; exit 5")
    daemon.wait_for(done, "RUNNING")
    timer = daemon.emulate(2.0)
    # Over already where the machine is slow: then it is not the timer that ends unseen.
    wait_until(lambda: daemon.state_of(timer) in ("RUNNING", "COMPLETED"))
    daemon.kill()
    os.kill(daemon.agent_pid, signal.SIGKILL)
    (daemon.work / "go").touch()
    wait_until(lambda: daemon.lines("ended"))
    daemon.start()
    assert daemon.wait(done)["exit_code"] == 5
    job = daemon.wait(timer)
    assert job["end_us"] - job["start_us"] == 2_000_000


def test_sigterm_leaves_jobs_running(daemon: Daemon) -> None:
    job_id = daemon.submit("while [ ! -e go ]; do sleep 0.02; done; echo once >> ran")
    waiting = daemon.submit("true", tasks=8)
    daemon.wait_for(job_id, "RUNNING")
    assert daemon.stop() == 0
    assert not (daemon.state / "rmsd.sock").exists()
    daemon.start()
    assert daemon.state_of(job_id) == "RUNNING"
    (daemon.work / "go").touch()
    assert daemon.wait(waiting)["state"] == "COMPLETED"
    assert daemon.wait(job_id)["attempt"] == 1
    assert daemon.lines("ran") == ["once"]


def test_the_local_agent_is_started_again(daemon: Daemon) -> None:
    job_id = daemon.submit("while [ ! -e go ]; do sleep 0.02; done; exit 4")
    daemon.wait_for(job_id, "RUNNING")
    before = daemon.agent_pid
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: daemon.agent_pid != before and daemon.nodes_up() == 2)
    (daemon.work / "go").touch()
    job = daemon.wait(job_id)
    assert (job["exit_code"], job["attempt"]) == (4, 1)


def refusals(daemon: Daemon) -> int:
    """Return how often the other agent said hello."""
    identity = daemon.root / "other/agent.json"
    return int(json.loads(identity.read_text())["epoch"]) if identity.exists() else 0


OTHER = ("--emulate", "1x8", "--emulate-prefix", "x")


def test_a_dead_nodes_jobs_are_requeued(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(
        "--no-local-node", "--emulate", "1x1", config='node_dead = "1s"\nkill_grace = "1s"\n'
    )
    with other_agent(daemon, *OTHER) as agent:
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        script = 'echo "$RMS_ATTEMPT" >> ran; [ "$RMS_ATTEMPT" = 2 ] || sleep 600'
        job_id = daemon.submit(script, tasks=4)
        keeps = daemon.submit("sleep 600", tasks=4, requeue=False)
        wait_until(lambda: daemon.lines("ran") == ["1"])
        daemon.wait_for(keeps, "RUNNING")
        agent.kill()
        wait_until(lambda: node_state(daemon, "x1") == "down")
    assert daemon.wait(keeps)["state"] == "NODE_FAIL"
    job = daemon.client.job(job_id)
    assert (job["state"], job["reason"]) == ("PENDING", "ReqNodeNotAvail")
    with other_agent(daemon, *OTHER):
        # The agent still has the first attempt, which is ended; the second one runs.
        job = daemon.wait(job_id)
        assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
        assert daemon.lines("ran") == ["1", "2"]
        wait_until(lambda: not list((daemon.root / "other/jobs").glob(f"{job_id}.1.*")))
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    database = daemon.state / "rmsd.db"
    kinds = [event["kind"] for event in fold.events(database)]
    assert kinds.index("node-suspect") < kinds.index("node-dead") < kinds.index("requeue")
    first = fold.stored(database)["attempt"][job_id, 1]
    assert (first["cause"], first["message"]) == ("node", "node x1 is lost")


def test_a_late_report_of_a_node_on_its_own_job_is_no_lie(
    start_daemon: Callable[..., Daemon],
) -> None:
    """A requeued job keeps the number of its attempt while it waits."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "1s"\n')
    with other_agent(daemon, *OTHER) as agent:
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        script = "echo >> ran; until [ -e go ]; do sleep 0.05; done"
        job_id = daemon.submit(script, tasks=4)
        wait_until(lambda: daemon.lines("ran") == [""])
        agent.kill()
        wait_until(lambda: daemon.state_of(job_id) == "PENDING")
        daemon.client.change(job_id, "hold")
    (daemon.work / "go").touch()
    with other_agent(daemon, *OTHER):
        wait_until(lambda: "report-late" in daemon.log.read_text())
        assert "report-refused" not in daemon.log.read_text()
        daemon.client.change(job_id, "release")
        assert daemon.wait(job_id)["state"] == "COMPLETED"


def test_nodes_that_never_come_back_are_dead_after_a_restart(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "1s"\n')
    with other_agent(daemon, *OTHER):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        daemon.client.resume("x1")  # answered after a commit, so that the node is on disk
        daemon.kill()
    daemon.start(nodes=1)
    wait_until(lambda: node_state(daemon, "x1") == "down")


def test_a_node_name_is_taken_once(daemon: Daemon) -> None:
    job_id = daemon.submit("sleep 600", tasks=8)
    daemon.wait_for(job_id, "RUNNING")
    with other_agent(daemon, "--emulate", "3x1", "--emulate-prefix", "e"):
        wait_until(lambda: node_state(daemon, "e3") == "idle")
        assert node_state(daemon, "e1") == "allocated"
        log = daemon.log.read_text()
        assert log.count("another agent has a node of this name") == 2
    with other_agent(daemon, "--emulate", "1x1", "--emulate-prefix", "e"):
        # In vain and again and again, which is said once by each side.
        other_log = daemon.root / "other.log"
        wait_until(lambda: "all nodes are refused" in other_log.read_text())
        wait_until(lambda: refusals(daemon) >= 5)
        assert other_log.read_text().count('"no-link"') == 1
        log = daemon.log.read_text()
        assert log.count("another agent has a node of this name") == 3
        assert '"nodes": 0' not in log
    daemon.client.cancel(job_id)
    assert daemon.wait(job_id)["state"] == "CANCELLED"


@pytest.mark.parametrize("now", [("--local-node",), ("--no-local-node",)])
def test_jobs_on_nodes_that_are_left_out_run_to_their_end(
    start_daemon: Callable[..., Daemon], now: tuple[str, ...]
) -> None:
    """The nodes take nothing new, and are forgotten once they are empty."""
    daemon = start_daemon("--no-local-node", "--emulate", "3x1")
    script = 'echo $RMS_JOB_ID >> ran; while [ ! -e "go$RMS_JOB_ID" ]; do sleep 0.02; done; exit 3'
    job_ids = [daemon.submit(script, constraint="emulated") for _ in range(2)]
    timer = daemon.emulate(600)
    for job_id in (*job_ids, timer):
        daemon.wait_for(job_id, "RUNNING")
    where = {job_id: daemon.client.job(job_id)["nodelist"] for job_id in (*job_ids, timer)}
    daemon.stop()
    daemon.options = now
    daemon.start()
    wait_until(lambda: node_state(daemon, where[timer]) is None)
    waits = daemon.submit("true", constraint="emulated")
    wait_until(lambda: node_state(daemon, where[job_ids[0]]) == "draining")
    node = next(n for n in daemon.client.nodes() if n["name"] == where[job_ids[0]])
    assert node["reason"] == "its agent no longer hosts it"
    assert daemon.client.job(timer)["state"] == "PENDING"  # nothing of it was left to go on
    for job_id in job_ids:
        assert daemon.client.job(job_id)["state"] == "RUNNING"
        (daemon.work / f"go{job_id}").touch()
        done = daemon.wait(job_id)
        assert (done["exit_code"], done["attempt"]) == (3, 1)
        wait_until(lambda job_id=job_id: node_state(daemon, where[job_id]) is None)
    assert sorted(daemon.lines("ran")) == sorted(map(str, job_ids))
    assert daemon.state_of(waits) == "PENDING"
    if now == ("--no-local-node",):
        assert daemon.client.nodes() == []
    else:
        with pytest.raises(ApiError, match="no such node"):
            daemon.submit("true", constraint="emulated")
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


def test_nodes_that_are_down_can_be_forgotten(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "1s"\n')
    rnode = [BIN / "rnode", "forget"]
    with other_agent(daemon, *OTHER):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        done = subprocess.run([*rnode, "x1"], env=daemon.env, capture_output=True, text=True)
        assert (done.returncode, "node x1 is up" in done.stderr) == (1, True)
        assert node_state(daemon, "x1") == "idle"
        assert daemon.submit("true", cpus_per_task=8)
    wait_until(lambda: node_state(daemon, "x1") == "down")
    done = subprocess.run([*rnode, "x1"], env=daemon.env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert node_state(daemon, "x1") is None
    with pytest.raises(ApiError, match="one such node, with 1 core"):
        daemon.submit("true", cpus_per_task=8)
    daemon.kill()
    daemon.start()
    assert node_state(daemon, "x1") is None
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small file system")
def test_a_full_disk_loses_nothing(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", begin=False)
    daemon.state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", str(daemon.state)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("cannot mount a tmpfs here")
    try:
        daemon.start()
        script = "while [ ! -e go ]; do sleep 0.02; done; echo >> ended; exit 6"
        running = daemon.submit(script)
        daemon.wait_for(running, "RUNNING")
        daemon.client.resume("e1")  # answered after a commit, so that it is known to run on disk
        filler = daemon.state / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 65536)
        refused: list[ApiError] = []
        stored = [running]
        while not refused:
            try:
                stored.append(daemon.submit("true", comment="x" * 4000))
            except ApiError as error:
                refused.append(error)
        assert refused[0].status == 507
        assert "full" in str(refused[0])
        assert daemon.state_of(running) == "RUNNING"
        acknowledged = [job["job_id"] for job in daemon.client.jobs(states="all")]
        assert acknowledged == stored
        (daemon.work / "go").touch()
        wait_until(lambda: daemon.lines("ended"))
        with pytest.raises(ApiError, match="full"):
            daemon.submit("true", comment="x" * 4000)
        filler.unlink()
        job_id = wait_until(lambda: accepted(daemon))
        assert job_id not in acknowledged
        assert daemon.wait(running)["exit_code"] == 6
        assert daemon.wait(job_id)["state"] == "COMPLETED"
        assert daemon.process is not None
        assert daemon.process.poll() is None
        wait_until(lambda: not daemon.client.jobs())
        assert daemon.stop() == 0
        assert_events_fold_to_tables(daemon)
        assert daemon.verdict().difference is None
    finally:
        daemon.client.close()
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill()
        subprocess.run(["umount", "-l", str(daemon.state)], check=True)


def test_a_job_is_shown_once_it_is_stored(daemon: Daemon) -> None:
    """While another process keeps the database locked, a commit waits."""
    database = sqlite3.connect(daemon.state / "rmsd.db")
    passes = daemon.client.status()["passes"]
    told: list[int] = []

    def submit() -> None:
        with Client(f"unix:{daemon.state}/rmsd.sock", retry_for_s=DEADLINE_S) as client:
            [job] = client.submit([spec(daemon, "while [ ! -e go ]; do sleep 0.02; done")])
            told.append(job["job_id"])

    with contextlib.closing(database):
        database.execute("BEGIN IMMEDIATE")
        submitter = threading.Thread(target=submit)
        submitter.start()
        wait_until(lambda: daemon.client.status()["passes"] > passes)
        assert daemon.client.jobs() == []
        assert daemon.client.status()["jobs"] == {}
        with pytest.raises(ApiError, match="there is no job 1"):
            daemon.client.job(1)
        database.rollback()
    submitter.join(DEADLINE_S)
    assert [job["job_id"] for job in daemon.client.jobs()] == told == [1]
    (daemon.work / "go").touch()
    assert daemon.wait(1)["state"] == "COMPLETED"


def test_a_job_is_over_once_that_is_stored(daemon: Daemon) -> None:
    """A caller that lists live jobs hears no earlier of the end than one that asks for all."""
    job_id = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(job_id, "RUNNING")
    daemon.client.resume("e1")  # answered after a commit, so that this is stored
    me = daemon.client.job(job_id)["user"]
    passes = daemon.client.status()["passes"]
    with contextlib.closing(sqlite3.connect(daemon.state / "rmsd.db")) as database:
        database.execute("BEGIN IMMEDIATE")
        (daemon.work / "go").touch()
        wait_until(lambda: daemon.client.status()["passes"] > passes, "the scheduler knows")
        assert daemon.client.status()["jobs"] == {"RUNNING": 1}
        for wanted in ({}, {"states": "R"}, {"states": "all"}, {"user": f"nobody,{me}"}):
            states = [job["state"] for job in daemon.client.jobs(**wanted)]
            assert states == ["RUNNING"], wanted
        assert daemon.client.jobs(states="PD") == []
        assert daemon.client.jobs(user="nobody") == []
        assert daemon.client.jobs(states="R", ids=[job_id + 1]) == []
        assert daemon.state_of(job_id) == "RUNNING"
        database.rollback()
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    assert daemon.client.jobs() == []


def accepted(daemon: Daemon) -> int | None:
    try:
        return daemon.submit("true", comment="x" * 4000)
    except ClientError:
        return None


def test_a_damaged_record_spoils_itself_only(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    daemon.spoiled = True
    running = daemon.submit("while [ ! -e go ]; do sleep 0.02; done")
    daemon.wait_for(running, "RUNNING")
    damaged, sound = daemon.submit("true"), daemon.submit("true")
    daemon.kill()
    with sqlite3.connect(daemon.state / "rmsd.db") as connection:
        connection.execute("UPDATE job SET request = '[[' WHERE id = ?", (damaged,))
        connection.execute(
            "UPDATE event SET payload = x'00' WHERE id = (SELECT max(id) FROM event)"
        )
    connection.close()
    daemon.start()
    (daemon.work / "go").touch()
    assert daemon.wait(sound)["state"] == "COMPLETED"
    assert daemon.wait(running)["state"] == "COMPLETED"
    log = daemon.log.read_text()
    assert '"event": "job-damaged"' in log
    assert '"event": "event-damaged"' in log
    assert daemon.submit("true") > sound


def test_databases_that_are_not_ours(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", begin=False)
    daemon.spoiled = True
    daemon.state.mkdir(mode=0o700)
    with sqlite3.connect(daemon.state / "rmsd.db") as connection:
        connection.execute("CREATE TABLE recipes (cake TEXT)")
    connection.close()
    assert start_fails(daemon) == (1, "is not a database of rmsd")
    (daemon.state / "rmsd.db").write_bytes(b"no database at all" * 100)
    assert start_fails(daemon) == (1, "file is not a database")
    (daemon.state / "rmsd.db").unlink()
    daemon.start()
    daemon.stop()
    with sqlite3.connect(daemon.state / "rmsd.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert start_fails(daemon) == (1, "it has schema 0099")


def start_fails(daemon: Daemon) -> tuple[int, str]:
    """Return the exit code and the part of the message that these tests know."""
    done = subprocess.run(
        daemon.command(), env=daemon.env, capture_output=True, text=True, timeout=DEADLINE_S
    )
    known = ("is not a database of rmsd", "file is not a database", "it has schema 0099")
    last = done.stderr.splitlines()[-1]
    return done.returncode, next((text for text in known if text in last), last)
