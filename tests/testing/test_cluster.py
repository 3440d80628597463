"""A Slurm for tests, as its user has it: what Slurm's commands print of each fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rmsd.testing.cluster import Cluster
from rmsd.testing.faults import REFUSAL
from tests.commands import BIN
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_CONTACT = "Unable to contact slurm controller (connect failure)\n"
_SLEEP = ("-o", "/dev/null", "--wrap", "sleep 1000")


def submit(slurm: Cluster, *words: str) -> str:
    return slurm.output("sbatch", "--parsable", *words).strip()


def accounted(slurm: Cluster, job: str, field: str = "State") -> str:
    return slurm.output("sacct", "-X", "-n", "-P", "-o", field, "-j", job).strip()


@pytest.mark.slow
def test_a_job_runs(slurm: Cluster, tmp_path: Path) -> None:
    shown = slurm.output("sinfo", "-h", "-N", "-o", "%N %c %m %P %t").splitlines()
    assert shown == ["node1 4 8192 main* idle", "node2 4 8192 main* idle"]
    out = tmp_path / "out"
    words = ("-N2", "--ntasks-per-node=1", "-o", str(out))
    job = submit(slurm, *words, "--wrap", "srun -l sh -c 'echo $SLURMD_NODENAME'")
    assert slurm.wait(job) == "COMPLETED"
    assert sorted(out.read_text().splitlines()) == ["0: node1", "1: node2"]


@pytest.mark.slow
def test_a_node_dies_and_comes_back(slurm: Cluster) -> None:
    kept = submit(slurm, "-w", "node1", *_SLEEP)
    lost = submit(slurm, "-w", "node1", "--no-requeue", *_SLEEP)
    for job in (kept, lost):
        slurm.wait(job, "RUNNING")
    slurm.fail_node("node1")
    assert slurm.output("sinfo", "-h", "-n", "node1", "-o", "%t").strip() == "down"
    assert accounted(slurm, lost) == "NODE_FAIL"
    assert slurm.output("squeue", "-h", "-j", kept, "-o", "%t").strip() == "PD"
    slurm.bring_back("node1")
    slurm.wait(kept, "RUNNING")
    assert slurm.output("squeue", "-h", "-j", kept, "-o", "%N").strip() == "node1"
    assert "Restarts=1" in slurm.output("scontrol", "show", "job", kept)


@pytest.mark.slow
def test_a_node_comes_back_by_itself(slurm: Cluster) -> None:
    job = submit(slurm, "-w", "node2", *_SLEEP)
    slurm.wait(job, "RUNNING")
    slurm.fail_node("node2", back_after_s=0.0)
    wait_until(lambda: "Restarts=1" in slurm.output("scontrol", "show", "job", job))
    slurm.wait(job, "RUNNING")


def test_submits_are_refused(slurm: Cluster) -> None:
    slurm.refuse_submits(2)
    failed = "sbatch: error: Batch job submission failed"
    done = slurm.run("sbatch", "--wrap", "true")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{failed}: {REFUSAL}\n")
    done = slurm.run("srun", "true")
    assert done.returncode == 1
    assert done.stderr == f"srun: error: Unable to allocate resources: {REFUSAL}\n"
    slurm.refuse_submits(1, "Socket timed out on send/recv operation")
    done = slurm.run("sbatch", "--wrap", "true")
    assert done.stderr == f"{failed}: Socket timed out on send/recv operation\n"
    submit(slurm, *_SLEEP)
    slurm.refuse_submits(5)
    slurm.refuse_submits(0)
    submit(slurm, *_SLEEP)


def test_the_controller_is_unreachable(slurm: Cluster) -> None:
    job = submit(slurm, *_SLEEP)
    slurm.wait(job, "RUNNING")
    slurm.unreachable(1000)
    for command, told in (
        (("squeue",), "slurm_load_jobs error: "),
        (("sbatch", "--wrap", "true"), "sbatch: error: Batch job submission failed: "),
        (("sinfo",), "slurm_load_partitions: "),
        (("scontrol", "show", "job", job), "slurm_load_jobs error: "),
    ):
        done = slurm.run(*command)
        assert (done.returncode, done.stdout, done.stderr) == (1, "", told + _CONTACT)
    assert accounted(slurm, job) == "RUNNING"  # Slurm has another server for accounting.
    slurm.unreachable(0)
    assert slurm.output("squeue", "-h", "-o", "%i %t").strip() == f"{job} R"


def test_accounting_lags(slurm: Cluster) -> None:
    job = submit(slurm, "-o", "/dev/null", "--wrap", "true")
    assert slurm.wait(job) == "COMPLETED"
    slurm.accounting_lags(1000)
    assert accounted(slurm, job) == ""
    assert slurm.output("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").strip() == "COMPLETED"
    slurm.accounting_lags(0)
    assert accounted(slurm, job) == "COMPLETED"


def test_jobs_wait(slurm: Cluster) -> None:
    slurm.drain()
    job = submit(slurm, "-o", "/dev/null", "--wrap", "true")
    assert slurm.output("squeue", "-h", "-j", job, "-o", "%t").strip() == "PD"
    assert slurm.output("sinfo", "-h", "-o", "%t").split() == ["drain"]
    slurm.resume()
    assert slurm.wait(job) == "COMPLETED"


def test_a_job_times_out_and_another_runs_out_of_memory(slurm: Cluster) -> None:
    late, large = submit(slurm, *_SLEEP), submit(slurm, "-n", "5", *_SLEEP)
    slurm.time_out(late)
    slurm.out_of_memory(large)
    assert slurm.wait(late) == "TIMEOUT"
    assert slurm.wait(large) == "OUT_OF_MEMORY"
    assert (accounted(slurm, late), accounted(slurm, large)) == ("TIMEOUT", "OUT_OF_MEMORY")


def test_what_is_ordered_of_a_job_that_waits_comes_when_it_runs(slurm: Cluster) -> None:
    job = submit(slurm, "-H", *_SLEEP)
    slurm.time_out(job)
    slurm.fail_node("node1")
    slurm.output("scontrol", "release", job)
    assert slurm.wait(job) == "TIMEOUT"


def test_a_job_is_preempted_once_and_told_to_end(slurm: Cluster, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(
        "#!/bin/sh\ntrap 'echo ended >> told; exit 0' TERM\necho begun >> told\nsleep 1000 & wait\n"
    )
    told = tmp_path / "told"
    job = submit(slurm, "-N2", "-D", str(tmp_path), str(script))
    wait_until(told.exists)
    slurm.preempt(job)
    wait_until(lambda: told.read_text() == "begun\nended\nbegun\n")
    assert "Restarts=1" in slurm.output("scontrol", "show", "job", job)
    assert accounted(slurm, job) == "RUNNING"


def test_a_job_is_preempted_for_good(slurm: Cluster, tmp_path: Path) -> None:
    asked = ("--no-requeue", "-D", str(tmp_path), "-o", "out", "--wrap", "sleep 1000")
    job = submit(slurm, *asked)
    slurm.preempt(job, requeue=False)
    assert slurm.wait(job) == "PREEMPTED"
    assert accounted(slurm, job) == "PREEMPTED"
    told = slurm.output("squeue", "-h", "-t", "all", "-j", job, "-o", "%t %T")
    assert told == "PR PREEMPTED\n"
    assert "DUE TO PREEMPTION ***" in (tmp_path / "out").read_text()
    other = submit(slurm, *_SLEEP)
    slurm.output(str(BIN / "rmsd"), "slurm", "fail", "--preempt-cancel", other)
    assert slurm.wait(other) == "PREEMPTED"


@pytest.mark.slow
@pytest.mark.slurm(nodes=1, cores=1, partitions=["cpu", "gpu"], rate=60)
def test_a_cluster_is_as_it_was_asked_for(slurm: Cluster) -> None:
    shown = slurm.output("sinfo", "-h", "-o", "%P %D %c").splitlines()
    assert shown == ["cpu* 1 1", "gpu 1 1"]
    job = submit(slurm, "-p", "gpu", *_SLEEP)
    slurm.wait(job, "RUNNING")
    wait_until(lambda: slurm.output("squeue", "-h", "-j", job, "-o", "%M").strip() >= "1:00")
    assert slurm.state(job) == "RUNNING"


def test_python_in_the_environment_finds_the_cluster(slurm: Cluster) -> None:
    code = "import rmsd.testing.cluster as c; print(c.Cluster.of_environment().settings.nodes)"
    assert slurm.output(sys.executable, "-c", code) == "2\n"
