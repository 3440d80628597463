"""`ralloc` beside jobs of a real daemon."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess

import psutil
import pytest

from tests.client.live_commands import submit
from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def test_a_command_has_the_nodes_until_its_end(cluster: Daemon) -> None:
    script = "rrun -l sh -c 'echo on $RMS_NODENAME'; rrun -n 1 echo $RMS_NTASKS; exit 7"
    done = cluster.run("ralloc", "-N", "2", "-n", "2", "sh", "-c", script)
    assert done.returncode == 7
    *first, last = done.stdout.splitlines()
    assert (sorted(first), last) == (["0: on e1", "1: on e2"], "2")
    found = re.fullmatch(
        r"ralloc: job (\d+) has 2 nodes: e\[1-2\]\nralloc: job \1 is released\n", done.stderr
    )
    assert found
    job = cluster.wait(int(found[1]))
    assert (job["name"], job["state"], job["exit_code"]) == ("sh", "FAILED", 7)


def test_a_job_that_ends_first_ends_its_command(cluster: Daemon) -> None:
    command = 'trap "echo told; exit 3" HUP; rdel $RMS_JOB_ID; while :; do sleep 0.05; done'
    done = cluster.run("ralloc", "-J", "mine", "-Q", "sh", "-c", command)
    assert (done.returncode, done.stdout) == (3, "told\n")
    assert re.fullmatch(r"ralloc: error: job \d+: cancelled.*\n", done.stderr)


def test_an_allocation_that_never_comes_leaves_no_job(cluster: Daemon) -> None:
    others = submit(cluster, "--exclusive", "-N", "2", "--wrap", "exec sleep 600")
    with subprocess.Popen(
        [BIN / "ralloc", "true"], env={**os.environ, **cluster.env}, cwd=cluster.work, text=True,
        stderr=subprocess.PIPE,
    ) as waiting:  # fmt: skip
        assert waiting.stderr
        found = re.fullmatch(r"ralloc: job (\d+) waits for its nodes\n", waiting.stderr.readline())
        assert found
        waiting.terminate()
        assert waiting.wait() == 130
    assert cluster.client.job(int(found[1]))["state"] == "CANCELLED"
    cluster.client.cancel(others)
    wait_until(lambda: not cluster.client.jobs())


@pytest.mark.parametrize("state", ["PENDING", "RUNNING"])
def test_an_allocation_whose_program_is_killed_is_given_back(cluster: Daemon, state: str) -> None:
    """SIGKILL left a job that waited for its nodes, and held them until its limit, for nobody."""
    others = [submit(cluster, "--exclusive", "-N", "2", "--wrap", "exec sleep 600")]
    if state == "RUNNING":
        cluster.client.cancel(others.pop())
    with subprocess.Popen(
        [BIN / "ralloc", "-J", "mine", "sleep", "600"],
        env={**os.environ, **cluster.env},
        cwd=cluster.work,
    ) as holding:
        [job] = wait_until(lambda: cluster.client.jobs(name="mine", states=state))
        beside = wait_until(psutil.Process(holding.pid).children)  # the guardian is there
        holding.kill()
    assert cluster.wait(job["job_id"])["state"] == "CANCELLED"
    _, left = psutil.wait_procs([one for one in beside if one.name() != "sleep"], timeout=60)
    assert not left
    for one in beside:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    for other in others:
        cluster.client.cancel(other)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-n", "41", "true"], 65, "can never"),
        (["--array", "1-2", "true"], 2, "--array: an allocation is one job"),
        (["--interactive", "true"], 2, "--interactive: the command has this terminal"),
        (["/no/such/program"], 127, "/no/such/program: No such file or directory"),
    ],
)
def test_an_allocation_that_cannot_be(
    cluster: Daemon, words: list[str], code: int, said: str
) -> None:
    done = cluster.run("ralloc", *words)
    assert done.returncode == code
    assert said in done.stderr
    wait_until(lambda: not cluster.client.jobs(name=words[0].rpartition("/")[2]))
