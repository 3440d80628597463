"""The commands, as processes, with a real daemon, its agent and its jobs."""

from __future__ import annotations

import getpass
import json
import os
import pty
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.client.live_commands import output_of, submit
from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until


def test_a_script_from_submit_to_history(cluster: Daemon) -> None:
    script = cluster.work / "hello.sh"
    script.write_text(
        '#!/bin/sh\n#RSUB -t 5 -c 2\necho "hello $1 from $RMS_JOB_ID"\necho bad >&2\n'
    )
    done = cluster.run("rsub", "-J", "greet", "-o", "%x.%j.out", "-e", "%j.err", "hello.sh", "you")
    assert done.stdout.startswith("Submitted batch job ")
    job_id = done.stdout.split()[-1]
    job = cluster.wait(int(job_id))
    assert job["state"] == "COMPLETED"
    text = f"hello you from {job_id}\n"
    assert (cluster.work / f"greet.{job_id}.out").read_text() == text
    assert cluster.run("rlog", job_id).stdout == text
    assert cluster.run("rlog", "-e", job_id).stdout == "bad\n"
    detail = cluster.run("rstat", job_id)
    assert detail.returncode == 0
    assert f"Job:        {job_id} greet\n" in detail.stdout
    assert "State:      COMPLETED: exited with 0\n" in detail.stdout
    assert "Time limit: 00:05:00\n" in detail.stdout
    assert "Request:    1 x 2 cpus\n" in detail.stdout
    for chosen in (["-j", job_id], [job_id], ["--name=greet", "-t", "CD"]):
        row = cluster.run("rstat", "-h", "-o", "%i|%j|%t|%C|%l", *chosen).stdout
        assert row == f"{job_id}|greet|CD|2|00:05:00\n"


def test_the_queue(cluster: Daemon) -> None:
    running = submit(cluster, "-N", "2", "-n", "40", "-t", "10", "-J", "wide", "--", "sleep", "600")
    cluster.wait_for(running, "RUNNING")
    pending = submit(cluster, "-J", "later", "--wrap", "true")
    lines = cluster.run("rstat").stdout.splitlines()
    assert lines[0].split() == [
        "JOBID", "NAME", "USER", "ST", "TIME", "TIME_LIMIT", "NODES", "CPUS", "NODELIST(REASON)"
    ]  # fmt: skip
    rows = {int(line.split()[0]): line.split() for line in lines[1:]}
    assert rows[running][1:4:2] == ["wide", "R"]
    assert rows[running][5:8] == ["00:10:00", "2", "40"]
    assert rows[running][8].startswith("e[")
    assert rows[pending][3] == "PD"
    assert rows[pending][-1] in ("(Resources)", "(Priority)")
    assert json.loads(cluster.run("rstat", "--json", "-n", "later").stdout)["jobs"][0][
        "job_id"
    ] == pending  # fmt: skip
    only = cluster.run("rstat", "-h", "-o", "%i", "--me", "-t", "pending").stdout.split()
    assert only == [str(pending)]
    assert cluster.run("rdel", str(pending), str(running)).returncode == 0
    cluster.wait_for(running, "CANCELLED")
    assert "CANCELLED: cancelled before it started" in cluster.run("rstat", str(pending)).stdout


@pytest.mark.parametrize(
    ("command", "options", "code", "state"),
    [
        ("true", (), 0, "COMPLETED"),
        ("exit 3", (), 3, "FAILED"),
        ("kill -9 $$", (), 137, "FAILED"),
        ("trap 'exit 0' TERM; sleep 600 & wait", ("-t", "1s"), 1, "TIMEOUT"),
        ("sleep 600", ("-t", "1s"), 143, "TIMEOUT"),
    ],
)
def test_wait_exits_as_the_job_does(
    cluster: Daemon, command: str, options: tuple[str, ...], code: int, state: str
) -> None:
    done = cluster.run("rsub", "--wait", "--parsable", *options, "--wrap", command)
    job = cluster.client.job(int(done.stdout))
    if command.startswith("trap") and job["signal"]:
        code = 143  # the limit came before the shell had started
    assert done.returncode == code, done.stderr
    assert job["state"] == state


def test_a_job_knows_where_it_was_submitted(cluster: Daemon) -> None:
    away = cluster.work / "away"
    away.mkdir()
    job_id = submit(cluster, "-D", "away", "--wrap", 'echo "$PWD $RMS_SUBMIT_DIR"')
    job = cluster.wait(job_id)
    assert job["workdir"] == str(away)
    assert Path(job["stdout"]).read_text() == f"{away} {cluster.work}\n"


def test_a_request_that_never_fits(cluster: Daemon) -> None:
    done = cluster.run("rsub", "-n", "1000", "--wrap", "true")
    assert done.returncode == 65
    assert done.stderr.startswith("rsub: error: ")
    assert "1000" in done.stderr


@pytest.mark.slow
def test_the_daemon_decides_how_long_a_script_may_be(cluster: Daemon) -> None:
    script = cluster.work / "long.sh"
    script.write_text("#!/bin/sh\n" + "#23456\n" * (4_500_000 // 7))
    submit(cluster, "long.sh")
    script.write_text("#!/bin/sh\n" + "#23456\n" * (5_500_000 // 7))
    done = cluster.run("rsub", "long.sh")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"has {script.stat().st_size} bytes, more than the limit of {5 << 20}" in done.stderr


@pytest.mark.slow
def test_what_is_not_there(cluster: Daemon) -> None:
    for program in ("rstat", "rlog", "rdel"):
        done = cluster.run(program, "999999")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"{program}: error: ")
        assert "999999" in done.stderr
    done = cluster.run("rstat", "-j", "999999")
    assert (done.returncode, done.stderr) == (1, "rstat: error: there is no job 999999\n")
    over = submit(cluster, "--wrap", "exit 4")
    cluster.wait(over)
    done = cluster.run("rdel", str(over))
    assert done.returncode == 1
    assert str(over) in done.stderr


def test_more_jobs_than_a_request_line_holds(cluster: Daemon) -> None:
    job_id = submit(cluster, "--wrap", "true")
    cluster.wait(job_id)
    found = cluster.client.jobs(ids=range(1, 3000))
    assert job_id in [job["job_id"] for job in found]


def test_rdel_by_name_goes_on_with_the_others(cluster: Daemon) -> None:
    jobs = [submit(cluster, "-J", "many", "--wrap", "sleep 600") for _ in range(3)]
    other = submit(cluster, "-J", "other", "--wrap", "sleep 600")
    assert cluster.run("rdel", "-n", "many").returncode == 0
    for job_id in jobs:
        cluster.wait(job_id)
    assert cluster.state_of(other) in ("RUNNING", "PENDING", "CONFIGURING")
    assert cluster.run("rdel", "999999", str(other)).returncode == 1
    assert cluster.wait(other)["state"] == "CANCELLED"


def test_rstat_names_the_tasks_that_a_job_awaits(cluster: Daemon) -> None:
    first = submit(cluster, "-a", "1-2", "--wrap", "test $RMS_ARRAY_TASK_ID = 1")
    assert cluster.wait(first)["state"] == "FAILED"
    held = submit(cluster, "-H", "-a", "1-2", "--wrap", "true")
    each = submit(cluster, "-a", "1-2", "-d", f"aftercorr:{first}", "--wrap", "true")
    both = submit(cluster, "-d", f"afterok:{held}_2:{held}", "--wrap", "true")
    never = submit(cluster, "-d", f"afterok:{first}_2", "--wrap", "true")
    wait_until(lambda: cluster.client.job(f"{each}_1")["state"] == "COMPLETED")
    for option in ([], ["--explain"]):
        told = " ".join(cluster.run("rstat", *option, str(both)).stdout.split())
        assert f"the success of job {held}_2, the success of job {held} " in told
        why = f"it needs the success of job {first}_2, which has ended as FAILED, so it can never"
        told = " ".join(cluster.run("rstat", *option, str(never)).stdout.split())
        assert f"{why} start; cancel it, or let it depend on others (`rjob " in told
        told = " ".join(cluster.run("rstat", *option, f"{each}_2").stdout.split())
        assert f"{why} start; cancel it Submitted:" in told or f"{why} start; cancel it R" in told
    cluster.run("rdel", *map(str, (held, each, both, never)))


def test_rdel_says_that_no_task_of_a_list_goes_on(cluster: Daemon) -> None:
    array = submit(cluster, "-H", "-a", "1-3", "--wrap", "true")
    assert cluster.run("rdel", f"{array}_[1-2,9]").returncode == 0
    done = cluster.run("rdel", f"{array}_[1-2,9]", f"{array}_3")
    assert done.returncode == 1
    assert done.stderr == f"rdel: error: all of {array}_[1-2,9] is already over, or is not there\n"
    assert cluster.wait(array)["state"] == "CANCELLED"


def test_the_effective_request_is_told_on_a_terminal(cluster: Daemon) -> None:
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [BIN / "rsub", "-t", "90s", "-n", "2", "--mem", "64", "--wrap", "true"],
            env=cluster.env, cwd=cluster.work, stdout=subprocess.PIPE, stderr=slave, timeout=60,
        )  # fmt: skip
        told = os.read(master, 10_000).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 0
    assert told.startswith("rsub: limit 00:01:30, 2 tasks, 2 cpus, ")
    assert "64M a node" in told


@pytest.mark.parametrize("size", [6, 3_000_000])
def test_a_job_reads_its_own_output(cluster: Daemon, size: int) -> None:
    """The job reads its output once, though what it prints is more of it. If the reading does not
    end, the job's file may not fill a disk."""
    writes = f"head -c {size} /dev/zero | tr '\\000' x; ulimit -f 100000; rlog $RMS_JOB_ID"
    job_id = submit(cluster, "--wrap", writes)
    assert len(output_of(cluster, job_id)) == 2 * size
    assert cluster.state_of(job_id) == "COMPLETED"


def test_why_a_job_that_is_waited_for_did_not_start(cluster: Daemon) -> None:
    done = cluster.run("rsub", "--wait", "--parsable", "-D", "/no/such/dir", "--wrap", "true")
    said = f"rsub: error: job {done.stdout.strip()}: it could not be started: "
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert "/no/such/dir" in done.stderr


def test_following_a_job(cluster: Daemon) -> None:
    command = "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; printf three"
    job_id = submit(cluster, "--wrap", command)
    follower = cluster.begin("rlog", "-f", str(job_id))
    assert follower.stdout is not None
    assert follower.stdout.readline() == b"one\n"
    assert cluster.run("rlog", str(job_id)).stdout == "one\n"
    (cluster.work / "go").touch()
    rest, _ = follower.communicate(timeout=DEADLINE_S)
    assert (rest, follower.returncode) == (b"two\nthree", 0)
    assert cluster.run("rlog", "-n", "2", str(job_id)).stdout == "two\nthree"


def test_following_ends_on_an_interrupt(cluster: Daemon) -> None:
    job_id = submit(cluster, "--wrap", "echo one; sleep 600")
    follower = cluster.begin("rlog", "-f", str(job_id))
    assert follower.stdout is not None
    assert follower.stdout.readline() == b"one\n"
    follower.send_signal(signal.SIGINT)
    _, errors = follower.communicate(timeout=DEADLINE_S)
    assert (follower.returncode, errors) == (130, b"")
    cluster.wait_for(job_id, "RUNNING")
    cluster.client.cancel(job_id)


def test_following_into_a_closed_pipe_is_quiet(cluster: Daemon) -> None:
    job_id = submit(cluster, "--wrap", "while :; do echo y; sleep 0.05; done")
    follower = cluster.begin("rlog", "-f", str(job_id))
    assert follower.stdout is not None
    assert follower.stderr is not None
    assert follower.stdout.readline() == b"y\n"
    follower.stdout.close()
    assert follower.wait(DEADLINE_S) == 141
    assert follower.stderr.read() == b""
    follower.stderr.close()
    cluster.client.cancel(job_id)


def test_a_job_that_waits_has_no_output_yet(cluster: Daemon) -> None:
    blocker = submit(cluster, "-N", "2", "-n", "40", "--", "sleep", "600")
    cluster.wait_for(blocker, "RUNNING")
    job_id = submit(cluster, "--wrap", "echo here")
    done = cluster.run("rlog", str(job_id))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"job {job_id} has not started: PENDING" in done.stderr
    follower = cluster.begin("rlog", "-f", str(job_id))
    cluster.run("rdel", str(blocker))
    output, _ = follower.communicate(timeout=DEADLINE_S)
    assert (output, follower.returncode) == (b"here\n", 0)


def test_an_interrupted_wait_leaves_the_job(cluster: Daemon) -> None:
    waiter = cluster.begin("rsub", "--wait", "--parsable", "--wrap", "touch waited; sleep 600")
    wait_until((cluster.work / "waited").exists)
    assert waiter.stdout is not None
    job_id = int(waiter.stdout.readline())
    waiter.send_signal(signal.SIGINT)
    _, errors = waiter.communicate(timeout=DEADLINE_S)
    assert waiter.returncode == 130
    assert f"rsub: job {job_id} goes on" in errors.decode()
    cluster.wait_for(job_id, "RUNNING")
    cluster.client.cancel(job_id)


@pytest.mark.slow
def test_draining_and_resuming(cluster: Daemon) -> None:
    # A node tells that a launch failed there last until a script starts there, or until this.
    assert cluster.run("rnode", "resume", "e[1-2]").returncode == 0
    wait_until(lambda: [node["state"] for node in cluster.client.nodes()] == ["idle"] * 2)
    listed = cluster.run("rnode", "-h").stdout.split()
    nodes, count = listed[0], listed[1]
    assert (count, listed[2], listed[3]) == ("2", "idle", "0/40")
    assert cluster.run("rnode", "drain", nodes, "new", "fans").returncode == 0
    assert [node["state"] for node in cluster.client.nodes()] == ["drained", "drained"]
    assert "new fans" in cluster.run("rnode").stdout
    name = cluster.client.nodes()[0]["name"]
    shown = cluster.run("rnode", "show", name).stdout
    assert "State:      drained (new fans)\n" in shown
    assert re.search(rf"^Drained:    by {getpass.getuser()}, \d{{4}}-", shown, re.MULTILINE)
    assert cluster.run("rnode", "resume", "ALL").returncode == 0
    shown = cluster.run("rnode", "show", name).stdout
    assert re.search(rf"^Resumed:    by {getpass.getuser()}, \d{{4}}-", shown, re.MULTILINE)
    assert len(cluster.run("rnode", "-N", "-h").stdout.splitlines()) == 2
    assert [node["state"] for node in cluster.client.nodes()] == ["idle", "idle"]
    for action in (("show", "x9"), ("drain", "x9", "why"), ("resume", "x9")):
        done = cluster.run("rnode", *action)
        assert done.returncode == 1
        assert "x9" in done.stderr
    for action in (("drain", f"{name},x9", "why"), ("forget", f"{name},x9")):
        done = cluster.run("rnode", *action)
        assert (done.returncode, "no node 'x9'; no node was" in done.stderr) == (1, True)
    assert "several nodes are one list" in cluster.run("rnode", "resume", name, "x9").stderr
    two = [node["name"] for node in cluster.client.nodes()]  # a shell makes these of e[1-2]
    refused = cluster.run("rnode", "drain", *two, "new", "fans")
    assert (refused.returncode, "in quotes; no node was" in refused.stderr) == (2, True)
    assert [node["state"] for node in cluster.client.nodes()] == ["idle", "idle"]
    assert [node["state"] for node in cluster.client.nodes()] == ["idle", "idle"]


def test_the_output_of_a_job_that_never_started(cluster: Daemon) -> None:
    (cluster.work / "old.txt").write_text("of another job\n")
    script = cluster.work / "odd.sh"
    script.write_text("#!/no/such/interpreter\n")
    broken = submit(cluster, "-o", "old.txt", "-D", "/no/such/dir", "--wrap", "true")
    unreadable = submit(cluster, "odd.sh")
    for job_id, words in ((broken, "/no/such/dir"), (unreadable, "/no/such/interpreter")):
        cluster.wait(job_id)
        for options in ((), ("-f",), ("-n", "3")):
            done = cluster.run("rlog", *options, str(job_id))
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(f"rlog: error: job {job_id} was never started: ")
            assert words in done.stderr


def test_following_a_job_that_is_cancelled_before_it_starts(cluster: Daemon) -> None:
    blocker = submit(cluster, "-N", "2", "-n", "40", "--", "sleep", "600")
    cluster.wait_for(blocker, "RUNNING")
    job_id = submit(cluster, "--wrap", "true")
    follower = cluster.begin("rlog", "-f", str(job_id))
    assert follower.stderr is not None
    assert b"has not started" in follower.stderr.readline()
    cluster.run("rdel", str(job_id))
    _, errors = follower.communicate(timeout=DEADLINE_S)
    told = f"rlog: error: job {job_id} was never started: CANCELLED\n"
    assert (errors.decode(), follower.returncode) == (told, 1)
    cluster.run("rdel", str(blocker))


@pytest.mark.slow
def test_those_who_wait_survive_a_restart(cluster: Daemon) -> None:
    command = "rrun sh -c 'echo a; touch begun; while [ ! -e on ]; do sleep 0.05; done; echo b'"
    job_id = submit(cluster, "-J", "long", "--wrap", command)
    wait_until((cluster.work / "begun").exists)
    follower = cluster.begin("rlog", "-f", str(job_id))
    assert follower.stdout is not None
    assert follower.stdout.readline() == b"a\n"
    waiter = cluster.begin(
        "rsub", "--wait", "--wrap", "touch begun2; while [ ! -e on2 ]; do sleep 0.05; done; exit 6"
    )
    wait_until((cluster.work / "begun2").exists)
    cluster.stop()
    try:
        (cluster.work / "on").touch()
        (cluster.work / "on2").touch()
    finally:
        cluster.start()
    output, _ = follower.communicate(timeout=DEADLINE_S)
    assert (output, follower.returncode) == (b"b\n", 0)
    waiter.communicate(timeout=DEADLINE_S)
    assert waiter.returncode == 6
    assert cluster.wait(job_id)["state"] == "COMPLETED"
