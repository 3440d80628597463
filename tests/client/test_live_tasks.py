"""`rsub`'s tasks inside of jobs, with a real daemon and its agent."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from tests.client.live_commands import output_of, submit
from tests.commands import BIN
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def test_tasks_of_a_script_for_slurm_find_their_place(cluster: Daemon) -> None:
    show = "'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURM_NTASKS $SLURMD_NODENAME'"
    command = f"rrun sh -c {show}; test $SLURM_JOB_START_TIME -gt 0 && echo $SLURM_PROCID of script"
    job_id = submit(cluster, "-N", "2", "-n", "3", "--wrap", command)
    assert sorted(output_of(cluster, job_id).splitlines()) == [
        "0 0 0 3 e1",
        "0 of script",
        "1 1 0 3 e1",
        "2 0 1 3 e2",
    ]


def test_a_file_has_the_node_of_each_task(cluster: Daemon) -> None:
    several = "test $(env | grep ^RMS_NODEFILE= | wc -l) = 1 && cat $(printenv RMS_NODE''FILE)"
    for wanted, *words in (
        (["e1", "e1", "e2"], "-N", "2", "-n", "3", "--wrap", several),
        (["e1", "e1"], "-N", "1", "-n", "2", "-w", "e1", "--wrap", "cat $RMS_NODEFILE"),
        (["none"], "-N", "1", "-w", "e1", "--wrap", "printenv RMS_NODE''FILE || echo none"),
    ):
        assert output_of(cluster, submit(cluster, *words)).split() == wanted


def test_tasks_on_all_nodes(cluster: Daemon) -> None:
    show = "'echo $RMS_PROCID $RMS_LOCALID $RMS_NODEID $RMS_NTASKS $RMS_NODENAME $MINE $PWD'"
    command = f"export MINE=x; rrun sh -c {show} && rrun -l -n 1 pwd"
    job_id = submit(cluster, "-N", "2", "-n", "4", "--wrap", command)
    lines = sorted(output_of(cluster, job_id).splitlines())
    nodes = [node["name"] for node in cluster.client.nodes()]
    assert lines == [
        f"0 0 0 4 {nodes[0]} x {cluster.work}",
        f"0: {cluster.work}",
        f"1 1 0 4 {nodes[0]} x {cluster.work}",
        f"2 0 1 4 {nodes[1]} x {cluster.work}",
        f"3 1 1 4 {nodes[1]} x {cluster.work}",
    ]


@pytest.mark.slow
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
    lines = sorted(output_of(cluster, job_id).splitlines())
    assert lines == ["0: end", "0: out", "1: end", "1: out"]
    errors = (cluster.work / f"{job_id}.err").read_text()
    assert sorted(errors.splitlines()) == ["0: err", "1: err"]


def test_more_tasks_than_connections(cluster: Daemon) -> None:
    command = "echo $RMS_PROCID; sleep 0.2; echo $RMS_PROCID again; exit $RMS_PROCID"
    job_id = submit(cluster, "-n", "40", "--wrap", f"rrun -l sh -c '{command}'")
    lines = output_of(cluster, job_id).splitlines()
    assert sorted(lines) == sorted(f"{i}: {i}{end}" for i in range(40) for end in ("", " again"))
    assert cluster.client.job(job_id)["exit_code"] == 39


def test_more_tasks_than_there_are(cluster: Daemon) -> None:
    job_id = submit(cluster, "-n", "2", "--wrap", "rrun -n 3 true")
    assert output_of(cluster, job_id) == (
        "rrun: error: 3 tasks of 1 processor each have no place on e1, "
        f"where job {job_id} has 2 processors\n"
    )
    assert cluster.client.job(job_id)["exit_code"] == 2


def test_a_command_that_is_not_there(cluster: Daemon) -> None:
    job_id = submit(cluster, "-n", "3", "--wrap", "rrun nosuch -x")
    assert output_of(cluster, job_id) == "rrun: nosuch: command not found\n"
    assert cluster.client.job(job_id)["exit_code"] == 127
    job_id = submit(cluster, "--wrap", "rrun /no/such/program")
    assert output_of(cluster, job_id).startswith("rrun: /no/such/program: ")
    assert cluster.client.job(job_id)["exit_code"] == 127
    job_id = submit(cluster, "-N", "2", "--wrap", "rrun nosuch")
    names = [node["name"] for node in cluster.client.nodes()]
    said = output_of(cluster, job_id).splitlines()
    assert sorted(said) == [f"rrun: nosuch: command not found on {name}" for name in names]
    job_id = submit(cluster, "--", "nosuch", "-x")
    assert output_of(cluster, job_id) == "nosuch: command not found, or not executable\n"
    assert cluster.client.job(job_id)["exit_code"] == 127


def test_signals_reach_the_tasks(cluster: Daemon) -> None:
    task = 'trap "echo got it; exit 7" USR1; touch up.$RMS_PROCID; while :; do sleep 0.05; done'
    until_up = "while [ ! -e up.0 ] || [ ! -e up.1 ]; do sleep 0.05; done"
    wrapped = f"rrun sh -c '{task}' & {until_up}; kill -USR1 $!; wait $!"
    job_id = submit(cluster, "-n", "2", "-e", "shells.err", "--wrap", wrapped)
    assert output_of(cluster, job_id) == "got it\ngot it\n"
    assert cluster.client.job(job_id)["exit_code"] == 7


@pytest.mark.slow
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
    assert output_of(cluster, job_id) == "y\n"


def test_outside_of_a_job(cluster: Daemon) -> None:
    cluster.env.pop("RMS_JOB_ID", None)
    done = cluster.run("rrun", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert "inside a job only" in done.stderr
