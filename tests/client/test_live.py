"""The commands, as processes, with a real daemon, its agent and its jobs."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rmsd_client.errors import ApiError
from tests.commands import BIN
from tests.live import Daemon, node_state, other_agent
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def cluster() -> Iterator[Daemon]:
    """Yield a daemon with two emulated nodes of twenty cores, whose jobs find our commands."""
    daemon = Daemon(
        *("--no-local-node", "--emulate", "2x20"),
        config='kill_grace = "30s"\nmax_script_size = "5M"\n',
    )
    daemon.env["PATH"] = f"{BIN}:{os.environ['PATH']}"
    daemon.env["XDG_CONFIG_HOME"] = str(daemon.root)
    try:
        yield daemon.start()
        for job in daemon.client.jobs():
            with contextlib.suppress(ApiError):  # the job has just ended
                daemon.client.cancel(job["job_id"])
        wait_until(lambda: not daemon.client.jobs())
        daemon.stop()
    finally:
        daemon.close()


def submit(cluster: Daemon, *arguments: str) -> int:
    """Return the id of a job that `rsub` submits with these arguments."""
    return int(cluster.run("rsub", "--parsable", *arguments, expect=0).stdout)


# ---------------------------------------------------------------- rsub, rstat, rlog


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


def test_the_daemon_decides_how_long_a_script_may_be(cluster: Daemon) -> None:
    script = cluster.work / "long.sh"
    script.write_text("#!/bin/sh\n" + "#23456\n" * (4_500_000 // 7))
    submit(cluster, "long.sh")
    script.write_text("#!/bin/sh\n" + "#23456\n" * (5_500_000 // 7))
    done = cluster.run("rsub", "long.sh")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"has {script.stat().st_size} bytes, more than the limit of {5 << 20}" in done.stderr


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
    """Once, though what it prints is more of it; where it does not, its file may not fill a
    disk."""
    writes = f"head -c {size} /dev/zero | tr '\\000' x; ulimit -f 100000; rlog $RMS_JOB_ID"
    job_id = submit(cluster, "--wrap", writes)
    assert len(_output_of(cluster, job_id)) == 2 * size
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


# ---------------------------------------------------------------- rnode


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
    assert "State:      drained (new fans)\n" in cluster.run("rnode", "show", name).stdout
    assert cluster.run("rnode", "resume", nodes).returncode == 0
    assert len(cluster.run("rnode", "-N", "-h").stdout.splitlines()) == 2
    assert [node["state"] for node in cluster.client.nodes()] == ["idle", "idle"]
    for action in (("show", "x9"), ("drain", "x9", "why"), ("resume", "x9")):
        done = cluster.run("rnode", *action)
        assert done.returncode == 1
        assert "x9" in done.stderr


# ---------------------------------------------------------------- rrun


def _output_of(cluster: Daemon, job_id: int) -> str:
    job = cluster.wait(job_id)
    return Path(job["stdout"]).read_text()


def test_tasks_of_a_script_for_slurm_find_their_place(cluster: Daemon) -> None:
    show = "'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURM_NTASKS $SLURMD_NODENAME'"
    command = f"rrun sh -c {show}; test $SLURM_JOB_START_TIME -gt 0 && echo $SLURM_PROCID of script"
    job_id = submit(cluster, "-N", "2", "-n", "3", "--wrap", command)
    assert sorted(_output_of(cluster, job_id).splitlines()) == [
        "0 0 0 3 e1",
        "0 of script",
        "1 1 0 3 e1",
        "2 0 1 3 e2",
    ]


def test_tasks_on_all_nodes(cluster: Daemon) -> None:
    show = "'echo $RMS_PROCID $RMS_LOCALID $RMS_NODEID $RMS_NTASKS $RMS_NODENAME $MINE $PWD'"
    command = f"export MINE=x; rrun sh -c {show} && rrun -l -n 1 pwd"
    job_id = submit(cluster, "-N", "2", "-n", "4", "--wrap", command)
    lines = sorted(_output_of(cluster, job_id).splitlines())
    nodes = [node["name"] for node in cluster.client.nodes()]
    assert lines == [
        f"0 0 0 4 {nodes[0]} x {cluster.work}",
        f"0: {cluster.work}",
        f"1 1 0 4 {nodes[0]} x {cluster.work}",
        f"2 0 1 4 {nodes[1]} x {cluster.work}",
        f"3 1 1 4 {nodes[1]} x {cluster.work}",
    ]


def test_what_a_job_used_is_what_its_tasks_used_on_all_nodes(cluster: Daemon) -> None:
    burn = (
        "import os, time\n"
        "held = bytearray((int(os.environ['RMS_NODEID']) * 64 + 1) << 20)\n"
        "while time.process_time() < 0.5: pass\n"
    )
    (cluster.work / "burn.py").write_text(burn)
    job_id = submit(cluster, "-N", "2", "-n", "2", "--wrap", f"rrun {sys.executable} burn.py")
    job = cluster.wait(job_id)
    assert job["state"] == "COMPLETED"
    assert job["cpu_s"] > 1.0
    assert 64 <= job["max_rss_mib"] < 200
    used = f"{job['cpu_s']:.2f} s of processor time, at most {job['max_rss_mib']}M of memory\n"
    assert used in cluster.run("rstat", str(job_id)).stdout


def test_who_used_too_much_and_where_is_told_though_the_script_ran_elsewhere(
    cluster: Daemon,
) -> None:
    hold = (
        "import os, time\n"
        "held = bytearray((int(os.environ['RMS_NODEID']) * 200 + 1) << 20)\n"
        "time.sleep(600)\n"
    )
    (cluster.work / "hold.py").write_text(hold)
    script = f"rrun {sys.executable} hold.py"
    job = cluster.wait(submit(cluster, "-N", "2", "-n", "2", "--mem", "100", "--wrap", script))
    assert job["state"] == "OUT_OF_MEMORY"
    second = [node["name"] for node in cluster.client.nodes()][1]
    assert f" on node {second}" in job["message"]


def test_the_highest_exit_code_wins(cluster: Daemon) -> None:
    ends = {
        "exit $RMS_PROCID": 3,
        "exit 0": 0,
        '[ "$RMS_PROCID" = 1 ] && kill -9 $$; exit 5': 137,
    }
    for command, code in ends.items():
        wrapped = f"rrun sh -c '{command}'"
        done = cluster.run("rsub", "-W", "-N", "2", "-n", "4", "--wrap", wrapped)
        assert done.returncode == code


def test_streams_stay_apart(cluster: Daemon) -> None:
    command = "rrun -l sh -c 'echo out; echo err >&2; printf end'"
    job_id = submit(cluster, "-n", "2", "-e", "%j.err", "--wrap", command)
    lines = sorted(_output_of(cluster, job_id).splitlines())
    assert lines == ["0: end", "0: out", "1: end", "1: out"]
    errors = (cluster.work / f"{job_id}.err").read_text()
    assert sorted(errors.splitlines()) == ["0: err", "1: err"]


def test_more_tasks_than_connections(cluster: Daemon) -> None:
    command = "echo $RMS_PROCID; sleep 0.2; echo $RMS_PROCID again; exit $RMS_PROCID"
    job_id = submit(cluster, "-n", "40", "--wrap", f"rrun -l sh -c '{command}'")
    lines = _output_of(cluster, job_id).splitlines()
    assert sorted(lines) == sorted(f"{i}: {i}{end}" for i in range(40) for end in ("", " again"))
    assert cluster.client.job(job_id)["exit_code"] == 39


def test_more_tasks_than_there_are(cluster: Daemon) -> None:
    job_id = submit(cluster, "-n", "2", "--wrap", "rrun -n 3 true")
    assert _output_of(cluster, job_id) == "rrun: error: --ntasks=3: the job has 2 tasks\n"
    assert cluster.client.job(job_id)["exit_code"] == 2


def test_a_command_that_is_not_there(cluster: Daemon) -> None:
    job_id = submit(cluster, "-n", "3", "--wrap", "rrun nosuch -x")
    assert _output_of(cluster, job_id) == "rrun: nosuch: command not found\n"
    assert cluster.client.job(job_id)["exit_code"] == 127
    job_id = submit(cluster, "--wrap", "rrun /no/such/program")
    assert _output_of(cluster, job_id).startswith("rrun: /no/such/program: ")
    assert cluster.client.job(job_id)["exit_code"] == 127
    job_id = submit(cluster, "-N", "2", "--wrap", "rrun nosuch")
    names = [node["name"] for node in cluster.client.nodes()]
    said = _output_of(cluster, job_id).splitlines()
    assert sorted(said) == [f"rrun: nosuch: command not found on {name}" for name in names]
    job_id = submit(cluster, "--", "nosuch", "-x")
    assert _output_of(cluster, job_id) == "nosuch: command not found, or not executable\n"
    assert cluster.client.job(job_id)["exit_code"] == 127


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


def test_signals_reach_the_tasks(cluster: Daemon) -> None:
    task = 'trap "echo got it; exit 7" USR1; touch up.$RMS_PROCID; while :; do sleep 0.05; done'
    until_up = "while [ ! -e up.0 ] || [ ! -e up.1 ]; do sleep 0.05; done"
    wrapped = f"rrun sh -c '{task}' & {until_up}; kill -USR1 $!; wait $!"
    job_id = submit(cluster, "-n", "2", "-e", "shells.err", "--wrap", wrapped)
    assert _output_of(cluster, job_id) == "got it\ngot it\n"
    assert cluster.client.job(job_id)["exit_code"] == 7


def test_a_signal_reaches_a_task_that_a_node_starts_later(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    other = ("--no-local-node", "--emulate", "1x1", "--emulate-prefix", "x")
    env = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    task = "touch up.$RMS_NODENAME; exec sleep 600"
    script = (
        "touch begun; while [ ! -e go ]; do sleep 0.05; done\n"
        f"rrun sh -c '{task}' & while [ ! -e up.e1 ]; do sleep 0.05; done\n"
        "while [ ! -e end ]; do sleep 0.05; done; kill $!; wait $!"
    )
    with other_agent(daemon, *other):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        job_id = daemon.submit(script, tasks=2, nodes=2, env=env)
        wait_until((daemon.work / "begun").exists)
    wait_until(lambda: node_state(daemon, "x1") in ("suspect", "down"))
    (daemon.work / "go").touch()
    wait_until((daemon.work / "up.e1").exists)
    (daemon.work / "end").touch()
    with other_agent(daemon, *other):
        assert daemon.wait(job_id)["exit_code"] == 143


def test_a_closed_pipe_ends_the_tasks(cluster: Daemon) -> None:
    command = "rrun sh -c 'while :; do echo y; sleep 0.05; done' | head -n 1"
    job_id = submit(cluster, "-n", "2", "--wrap", command)
    assert _output_of(cluster, job_id) == "y\n"


def test_outside_of_a_job(cluster: Daemon) -> None:
    cluster.env.pop("RMS_JOB_ID", None)
    done = cluster.run("rrun", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert "inside a job only" in done.stderr


# ---------------------------------------------------------------- of jobs that start again


def _timed(start_daemon: Callable[..., Daemon]) -> tuple[Daemon, int]:
    """Return a daemon with a core for trial runs, and the job at the head of its queue. While that
    waits, for another core, a trial is not committed: however late, whoever comes next ends it."""
    config = 'recipe = "timed-easy,trial=1"\nkill_grace = "1s"\n'
    daemon = start_daemon("--no-local-node", "--emulate", "1x2", config=config)
    daemon.submit("sleep 900", restartable=False, time_limit_s=900)
    return daemon, daemon.submit("true", tasks=2, restartable=False, time_limit_s=900)


def _run(daemon: Daemon, *command: str) -> tuple[int, str, str]:
    done = daemon.run(*command)
    return done.returncode, done.stdout, done.stderr


def _follow(daemon: Daemon, job_id: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [BIN / "rlog", "-f", str(job_id)], env=daemon.env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


_TWICE = 'echo attempt $RMS_ATTEMPT; [ "$RMS_ATTEMPT" = 2 ] || { echo goes on; sleep 600; }'


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_following_a_job_whose_trial_is_killed(start_daemon: Callable[..., Daemon]) -> None:
    daemon, head = _timed(start_daemon)
    job_id = daemon.submit(_TWICE)
    daemon.wait_for(job_id, "RUNNING")
    follower = _follow(daemon, job_id)
    assert follower.stdout is not None
    assert [follower.stdout.readline() for _ in range(2)] == ["attempt 1\n", "goes on\n"]
    daemon.submit("sleep 0.5")
    wait_until(lambda: daemon.client.attempts(job_id)[0]["cause"] == "trial")
    daemon.client.cancel(head)
    rest, said = follower.communicate(timeout=DEADLINE_S)
    assert (rest, follower.returncode) == ("attempt 2\n", 0)
    assert said.endswith(f"rlog: job {job_id} starts again (attempt 2)\n")
    assert daemon.client.job(job_id)["state"] == "COMPLETED"
    assert _run(daemon, "rlog", str(job_id)) == (0, "attempt 2\n", "")


def test_a_job_cancelled_after_its_trial_was_killed(start_daemon: Callable[..., Daemon]) -> None:
    """What it has written is there, and that it has run is said."""
    daemon, _ = _timed(start_daemon)
    job_id = daemon.submit(_TWICE)
    daemon.wait_for(job_id, "RUNNING")
    wait_until(lambda: daemon.client.output(job_id).data == b"attempt 1\ngoes on\n")
    daemon.wait_for(daemon.submit("sleep 600"), "RUNNING")
    daemon.client.drain(daemon.client.nodes()[0]["name"], "so that it waits")
    daemon.wait_for(job_id, "PENDING")
    text = "attempt 1\ngoes on\n"
    waits = f"rlog: job {job_id} waits to start again: PENDING (ReqNodeNotAvail)\n"
    assert _run(daemon, "rlog", str(job_id)) == (0, text, waits)
    follower = _follow(daemon, job_id)
    assert follower.stderr is not None
    assert follower.stderr.readline() == waits
    daemon.client.cancel(job_id)
    rest, said = follower.communicate(timeout=DEADLINE_S)
    assert (rest, said, follower.returncode) == (text, "", 0)
    for options in ((), ("-f",)):
        assert _run(daemon, "rlog", *options, str(job_id)) == (0, text, "")
    assert _run(daemon, "rlog", "-n", "1", str(job_id)) == (0, "goes on\n", "")
    code, shown, _ = _run(daemon, "rstat", str(job_id))
    assert code == 0
    assert "State:      CANCELLED: cancelled while it waited to start again\n" in shown
    [attempt] = [line for line in shown.splitlines() if line.startswith("Attempt ")]
    assert attempt.startswith("Attempt 1:")
    assert attempt.endswith(": killed after its trial run")


@pytest.mark.long  # the node is dead after 15 s
def test_following_a_job_whose_node_is_lost(start_daemon: Callable[..., Daemon]) -> None:
    """Its first output is out of reach while the node is away; the other attempt's is told whole,
    though it is shorter."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "15s"\n')
    other = ("--no-local-node", "--emulate", "1x2", "--emulate-prefix", "x")
    with other_agent(daemon, *other):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        job_id = daemon.submit(_TWICE, tasks=2)
        follower = _follow(daemon, job_id)
        assert follower.stdout is not None
        assert follower.stderr is not None
        while (line := follower.stdout.readline()) != "goes on\n":
            assert line == "attempt 1\n"
    daemon.wait_for(job_id, "PENDING")
    away = "node x1 cannot be reached now: there is no link to its agent\n"
    assert _run(daemon, "rlog", str(job_id)) == (1, "", f"rlog: error: {away}")
    second = _follow(daemon, job_id)
    assert second.stderr is not None
    waits = f"rlog: job {job_id} waits to start again: PENDING (ReqNodeNotAvail)\n"
    assert [second.stderr.readline() for _ in range(2)] == [f"rlog: {away}", waits]
    with other_agent(daemon, *other):
        outputs = [one.communicate(timeout=DEADLINE_S) for one in (follower, second)]
    assert outputs[0][0] == "attempt 2\n"
    assert outputs[0][1].endswith(f"rlog: job {job_id} starts again (attempt 2)\n")
    assert outputs[1][0].endswith("attempt 2\n")  # after the first output, if it was in time
    assert (follower.returncode, second.returncode) == (0, 0)


# ---------------------------------------------------------------- while the daemon is away


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
