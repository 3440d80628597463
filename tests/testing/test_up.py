"""`rmsd slurm up` and `rmsd slurm fail`, and that a cluster ends with its owner."""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

import psutil
import pytest

import rmsd.testing
from tests.command_lines import words_of
from tests.commands import BIN, run_program
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live

_UP = (str(BIN / "rmsd"), "slurm", "up")


def up(*words: str) -> subprocess.CompletedProcess[str]:
    return run_program("rmsd", "slurm", "up", *words, expect=None, timeout_s=DEADLINE_S)


@pytest.mark.long  # three clusters start
def test_a_command_has_a_cluster_and_its_exit_code_is_that_of_all() -> None:
    done = up("--nodes", "3", "--", "sh", "-c", "sinfo -h -o %D; exit 7")
    assert (done.returncode, done.stdout, done.stderr) == (7, "3\n", "")
    assert up("--", "sh", "-c", "kill -9 $$").returncode == 128 + 9
    assert up("--", "/no/such").returncode == 127


@pytest.mark.slow
def test_a_cluster_comes_up_with_any_umask() -> None:
    """Root's daemon takes no configuration that a group could change."""
    umask = os.umask(0)
    try:
        assert up("--nodes", "1", "--", "true").returncode == 0
    finally:
        os.umask(umask)


def test_wrong_usage_starts_nothing() -> None:
    done = up("--nodes", "0", "--", "true")
    assert (done.returncode, done.stderr) == (2, "rmsd: error: 0 nodes: 1 to 64\n")
    assert up("--mem", "x", "--", "true").returncode == 2


def test_a_fault_has_to_be_named() -> None:
    for words in ((), ("--back-after", "5")):
        done = run_program("rmsd", "slurm", "fail", *words, expect=None, timeout_s=DEADLINE_S)
        assert (done.returncode, done.stdout) == (2, "")
        assert "no fault is named" in done.stderr


@pytest.mark.slow
def test_faults_are_told_from_inside() -> None:
    script = """
        rmsd slurm fail --refuse 1
        sbatch --wrap true 2>/dev/null || echo refused
        rmsd slurm fail --unreachable 1000
        squeue -h 2>/dev/null || echo unreachable
        rmsd slurm fail --unreachable 0
        job=$(sbatch --parsable -o /dev/null --wrap 'sleep 1000')
        rmsd slurm fail --timeout $job node2
        sinfo -h -n node2 -o %t
        until [ "$(sacct -XnPo State -j $job)" = TIMEOUT ]; do :; done
        rmsd slurm fail node9
    """
    done = up("--", "sh", "-c", f"PATH=$PATH:{BIN}; {script}")
    assert done.stdout == "refused\nunreachable\ndown\n"
    assert done.stderr == "rmsd: error: there is no node node9: node1, node2\n"
    assert done.returncode == 1


def test_without_a_cluster_nothing_can_fail() -> None:
    env = {name: value for name, value in os.environ.items() if name != "RMSD_TEST_CLUSTER"}
    done = run_program("rmsd", "slurm", "fail", "node1", expect=1, env=env)
    assert "there is no cluster here" in done.stderr


def _belonging_to(folder: str) -> list[psutil.Process]:
    """Return all processes of the cluster in this folder, jobs among them."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [*words_of(process), *process.environ().values()]
        except psutil.Error:
            continue
        if any(folder in word for word in words):
            found.append(process)
    return found


def _with_both_sleeps(supervisors: list[psutil.Process]) -> list[psutil.Process]:
    """Return all processes of the cluster once both `sleep`s of its job are there; before, none."""
    cluster = [one for top in supervisors for one in top.children(recursive=True)]
    return cluster if [words_of(one) for one in cluster].count(["sleep", "1000"]) == 2 else []


@pytest.mark.parametrize(
    "number",
    # long: each starts a cluster of its own, as that of signal 9 does in the short run
    [9, pytest.param(15, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)],
)
def test_nothing_is_left_when_the_owner_is_killed(number: int, tmp_path: Path) -> None:
    """Neither what a job has detached is left, nor what an owner's child would keep open."""
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\n(setsid sleep 1000 &) &\ntouch begun\nsleep 1000\n")
    with (
        subprocess.Popen(_UP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as owner,
        contextlib.ExitStack() as at_failure,
    ):
        at_failure.callback(owner.kill)
        assert owner.stdout is not None
        lines = [owner.stdout.readline() for _ in range(3)]
        exported = dict(line.removeprefix("export ").strip().split("=", 1) for line in lines)
        folder = exported["RMSD_TEST_CLUSTER"]
        path = exported["PATH"].strip("'")
        subprocess.run(
            ["sbatch", "-D", str(tmp_path), str(script)],
            env={**os.environ, "PATH": path},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        wait_until((tmp_path / "begun").exists)
        supervisors = psutil.Process(owner.pid).children()
        cluster = wait_until(lambda: _with_both_sleeps(supervisors))
        at_failure.pop_all()
        owner.send_signal(number)
    assert psutil.wait_procs([*supervisors, *cluster], DEADLINE_S)[1] == []
    assert _belonging_to(folder) == []
    assert not Path(folder).exists()


@pytest.mark.slow
@pytest.mark.parametrize("which", ["supervisor", "guard"])
def test_nothing_is_left_when_the_supervisor_or_its_guard_is_killed(
    which: str, tmp_path: Path
) -> None:
    before = set(psutil.Process().children())
    with rmsd.testing.slurm(nodes=1) as cluster:
        script = "(setsid sleep 1000 &) & touch begun; sleep 1000"
        cluster.output("sbatch", "-o", "/dev/null", "--wrap", script, cwd=tmp_path)
        wait_until((tmp_path / "begun").exists)
        folder = str(cluster.bin.parent)
        [guard] = set(psutil.Process().children()) - before
        [supervisor] = guard.children()
        below = wait_until(lambda: _with_both_sleeps([supervisor]))
        (supervisor if which == "supervisor" else guard).kill()
        assert psutil.wait_procs([*below, supervisor], DEADLINE_S)[1] == []
        wait_until(lambda: not Path(folder).exists())
        assert _belonging_to(folder) == []


@pytest.mark.slow
def test_a_cluster_whose_supervisor_is_killed_ends_its_owner() -> None:
    command = [*_UP, "--nodes", "1"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        folder = [owner.stdout.readline().rstrip("\n").rpartition("=")[2] for _ in range(3)][2]
        [guard] = psutil.Process(owner.pid).children()
        [supervisor] = guard.children()
        supervisor.kill()
        _, told = owner.communicate(timeout=DEADLINE_S)
    assert owner.returncode == 1
    assert told == "rmsd: error: the cluster has ended: its supervisor was killed\n"
    wait_until(lambda: not Path(folder).exists())


@pytest.mark.slow
def test_a_forked_child_of_a_killed_owner_keeps_no_cluster() -> None:
    """A child that was forked has the owner's end of the pipe, and lives on."""
    code = (
        "import os, signal, time, rmsd.testing\n"
        "with rmsd.testing.slurm() as cluster:\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        time.sleep(1000)\n"
        "    print(child, cluster.bin.parent, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    owner = subprocess.Popen([BIN / "python", "-c", code], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid, folder = owner.stdout.readline().split()
    child = psutil.Process(int(pid))
    try:
        owner.wait(DEADLINE_S)
        wait_until(lambda: not Path(folder).exists())
        assert child.is_running()
    finally:
        child.kill()
        owner.stdout.close()
