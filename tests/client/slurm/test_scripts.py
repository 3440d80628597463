"""Scripts as the documentation of clusters has them (`tests/scripts`), run for real.

Long: a cluster is started, and its jobs waited for.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str) -> str:
    return str(SCRIPTS / f"{name}.sh")


def test_an_array_over_a_list_of_files(site: SlurmSite) -> None:
    for at in range(1, 6):
        site.write(f"input-{at}", "x" * at)
    site.write("files.txt", "".join(f"input-{at}\n" for at in range(1, 6)))
    job = site.submit(script("array_over_files"))
    wait_until(lambda: set(site.state(job).split()) == {"COMPLETED"})
    assert [site.read(f"count-{job}_{at}.out") for at in range(1, 6)] == [
        f"task {at} of 5: input-{at} {at}\n" for at in range(1, 6)
    ]
    listed = site.out("sacct", "-X", "-n", "-P", "-o", "JobID,State,ExitCode", "-j", job)
    assert listed.split() == [f"{job}_{at}|COMPLETED|0:0" for at in range(1, 6)]


def test_a_pipeline_of_dependent_jobs(site: SlurmSite) -> None:
    prepare, work, collect, clean = site.out(script("pipeline")).split()
    assert site.wait(collect) == "COMPLETED"
    assert site.read("result") == "10\n20\n30\n40\n"
    assert site.wait(clean).startswith("CANCELLED")
    assert site.state(prepare) == "COMPLETED"
    assert set(site.state(work).split()) == {"COMPLETED"}


def test_training_goes_on_after_a_requeue(site: SlurmSite) -> None:
    job = site.submit(script("train_with_requeue"))
    assert site.wait(job) == "COMPLETED"
    lines = site.read(f"train-{job}.out").splitlines()
    assert [line for line in lines if "epoch" in line] == [
        "run 0 begins at epoch 0",
        "checkpoint at epoch 0",
        "run 1 begins at epoch 0",
        "done at epoch 5",
    ]
    assert "Restarts=1" in site.out("scontrol", "show", "job", job)


def test_ranks_on_four_nodes(site: SlurmSite) -> None:
    job = site.submit(script("tasks_on_nodes"))
    assert site.wait(job) == "COMPLETED"
    head, *ranks = site.read("ranks.out").splitlines()
    names = [node["name"] for node in site.daemon.client.nodes()]
    assert head == f"4 nodes, 8 tasks: {' '.join(names)}"
    assert ranks == [f"{at}: {at} on {names[at // 2]}, local {at % 2}" for at in range(8)]


def test_a_farm_of_steps_shares_an_allocation(site: SlurmSite) -> None:
    job = site.submit(script("task_farm"))
    assert site.wait(job) == "COMPLETED"
    lines = site.read("farm.out").splitlines()
    assert lines[-1] == "all steps are over"
    running: dict[str, int] = {}
    for line in sorted(lines[:-1]):  # lines begin with nanoseconds
        _, word, _, node = line.split()
        running[node] = running.get(node, 0) + (1 if word == "begin" else -1)
        assert 0 <= running[node] <= 2  # never more steps than the job has processors there
    assert (len(lines), list(running.values())) == (17, [0, 0])


def test_a_killed_step_holds_nothing_and_an_overlapping_one_waits_for_nothing(
    site: SlurmSite,
) -> None:
    text = (
        "#!/bin/bash\nsrun sleep 600 & first=$!\nsrun --overlap echo beside\n"
        "srun echo after &\nuntil grep -q 'step creation temporarily disabled' busy.out; do "
        "sleep 0.05; done\nkill -9 $first\nwait $!\n"
    )
    job = site.submit("-o", "busy.out", site.write("busy.sh", text))
    assert site.wait(job) == "COMPLETED"
    told = site.read("busy.out").splitlines()
    assert [line for line in told if line in ("beside", "after")] == ["beside", "after"]
    assert f"srun: Step created for job {job}" in told


def test_a_job_submits_its_successor(site: SlurmSite) -> None:
    site.submit(script("resubmits_itself"), CHAIN=script("resubmits_itself"))
    wait_until(lambda: (site.daemon.work / "chain").exists() and site.read("chain") == "3\n")
    wait_until(lambda: not site.out("squeue", "-h", "-n", "chain"))
    listed = site.out("sacct", "-X", "-n", "-P", "-o", "JobName,State", "--name", "chain")
    assert listed.split() == ["chain|COMPLETED"] * 3


def test_a_nightly_job_waits_for_its_time_and_submits_the_next(site: SlurmSite) -> None:
    nightly = {"NIGHTLY": script("nightly")}
    job = site.submit(script("nightly"), **nightly)
    assert site.out("squeue", "-h", "-o", "%t %r", "-j", job) == "PD BeginTime\n"
    assert begins(site, job)
    site.out("scancel", job)
    assert site.wait(job).startswith("CANCELLED by ")
    tonight = site.submit("--begin=now+1", script("nightly"), **nightly)
    assert site.wait(tonight) == "COMPLETED"
    assert site.read("backup") == site.read("nightly.out") == "the backup of night 1\n"
    following = site.read("next-night").strip()
    assert begins(site, following)
    assert site.out("squeue", "-h", "-o", "%j %t", "-j", following) == "nightly PD\n"
    site.out("scancel", following)


def begins(site: SlurmSite, job: str) -> bool:
    """Return whether a job begins at two in the night."""
    shown = site.out("scontrol", "show", "job", job)
    return re.search(r"EligibleTime=\d{4}-\d\d-\d\dT02:00:00", shown) is not None


def test_results_are_saved_on_cancel(site: SlurmSite) -> None:
    job = site.submit(script("saves_on_term"))
    wait_until((site.daemon.work / "computing").exists)
    site.out("scancel", "--batch", "--signal=TERM", job)
    wait_until((site.daemon.work / "partial-result").exists)
    assert site.wait(job) == "FAILED"  # the script was told, and ended by itself
    assert site.read("scratch.out").endswith("saved\n")


def test_a_strict_shell_with_stages(site: SlurmSite) -> None:
    job = site.submit(script("strict_stages"))
    assert site.wait(job) == "COMPLETED", site.read(f"stages-stages-{job}.err")
    assert site.read(f"stages-stages-{job}.out").splitlines() == [
        "job stages on 1 node with 2 tasks",
        "stage one, rank 0",
        "stage one, rank 1",
    ]
    assert "stage two\n" in site.read(f"stages-stages-{job}.err")


def test_an_interactive_allocation(site: SlurmSite) -> None:
    done = site.run("salloc", "-n", "2", "srun", "bash", "-c", "echo rank $SLURM_PROCID")
    assert done.returncode == 0, done.stderr
    assert "Granted job allocation" in done.stderr
    assert "Relinquishing job allocation" in done.stderr


def test_a_session_with_steps(site: SlurmSite) -> None:
    done = site.run(script("session"))
    assert done.returncode == 3, done.stderr
    first, *others = done.stdout.splitlines()
    assert re.fullmatch(r"job \d+ has 2 tasks", first)
    assert others == [
        "0: rank 0",
        "1: rank 1",
        "session R",
        "the step failed, and the session goes on",
    ]
    assert site.wait(first.split()[1]) == "FAILED"
    assert "Relinquishing job allocation" in done.stderr
