"""`scancel` as processes, with a real daemon: it ends what is named, and nothing else."""

from __future__ import annotations

import json
import os

import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def test_a_step_ends_alone(site: SlurmSite) -> None:
    script = site.write(
        "two-steps.sh",
        "#!/bin/bash\n#SBATCH -n 2 -o two-%j\n"
        "srun -n1 sh -c 'touch first-$SLURM_JOB_ID; exec sleep 600' & first=$!\n"
        "while [ ! -e first-$SLURM_JOB_ID ]; do sleep 0.1; done\n"
        "srun -n1 sh -c 'touch second-$SLURM_JOB_ID; "
        "until [ -e end-$SLURM_JOB_ID ]; do sleep 0.1; done; echo second' & second=$!\n"
        "wait $first; echo first $?; touch over-$SLURM_JOB_ID; wait $second; echo code $?\n",
    )
    job = site.submit(script)
    wait_until(lambda: (site.daemon.work / f"second-{job}").exists())
    site.out("scancel", f"{job}.0")
    wait_until(lambda: (site.daemon.work / f"over-{job}").exists())
    assert site.state(job) == "RUNNING"
    site.write(f"end-{job}", "")
    assert site.wait(job) == "COMPLETED"
    told = site.read(f"two-{job}").splitlines()
    assert told[0].endswith(": task 0: Killed")
    assert told[1:] == ["first 137", "second", "code 0"]
    rows = site.out("sacct", "-P", "-n", "-o", "JobID,State,ExitCode", "-j", job).splitlines()
    assert rows[2:] == [f"{job}.0|CANCELLED|0:9", f"{job}.1|COMPLETED|0:0"]


def test_a_signal_reaches_the_named_step_alone(site: SlurmSite) -> None:
    script = site.write(
        "signal-steps.sh",
        "#!/bin/bash\n#SBATCH -n 2 -o trapped-%j\nfor step in 0 1; do\n"
        'srun -n1 bash -c \'trap "echo got $SLURM_STEP_ID; exit" USR1; '
        "touch trap$SLURM_STEP_ID-$SLURM_JOB_ID; while :; do sleep 0.1; done' 2>/dev/null &\n"
        "while [ ! -e trap$step-$SLURM_JOB_ID ]; do sleep 0.1; done\ndone\nwait\n",
    )
    job = site.submit(script)
    wait_until(lambda: (site.daemon.work / f"trap1-{job}").exists())
    site.out("scancel", "-s", "USR1", f"{job}.1")
    wait_until(lambda: site.read(f"trapped-{job}") == "got 1\n")
    site.out("scancel", "-s", "USR1", f"{job}.0")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"trapped-{job}") == "got 1\ngot 0\n"


@pytest.mark.slow
def test_a_step_that_is_not_there_is_told_as_in_slurm(site: SlurmSite) -> None:
    runs = site.submit("--wrap", "sleep 600")
    waits = site.submit("-H", "--wrap", "true")
    over = site.submit("--wrap", "true")
    site.wait(over)
    site.wait_for(runs, "RUNNING")
    no_step = f"scancel: error: Kill job error on job step id {runs}: Invalid job id specified\n"
    no_job = "scancel: error: Kill job error on job step id {}: Invalid job id specified\n"
    for words, code, error in (
        ((f"{runs}.7",), 225, no_step),
        (("-Q", f"{runs}.7"), 225, no_step),
        (("-s", "USR1", f"{runs}.7"), 0, ""),
        (("999999.0",), 1, no_job.format("999999.0")),
        (("-Q", "999999.0"), 1, ""),
        ((f"{over}.0",), 1, no_job.format(f"{over}.0")),
        ((f"{waits}.0",), 0, ""),
        (("-s", "TERM", f"{waits}.0"), 0, ""),
        ((f"{runs}.batch",), 1, f"scancel: error: Invalid job id {runs}.batch\n"),
    ):
        done = site.run("scancel", *words)
        assert (words, done.returncode, done.stdout, done.stderr) == (words, code, "", error)
    assert (site.state(runs), site.state(waits)) == ("RUNNING", "PENDING")
    site.out("scancel", runs, waits)
    assert site.wait(runs).startswith("CANCELLED")


@pytest.mark.slow
def test_an_empty_value_selects_no_job(site: SlurmSite) -> None:
    job = site.submit("-H", "--wrap", "true")
    for words in (
        *(("-n", ""), ("--jobname=",), ("-p", ""), ("-w", ""), ("-A", ""), ("-q", "")),
        *(("-R", ""), ("--wckey=",), ("--me", "-n", ""), ("-n", ",")),
    ):
        done = site.run("scancel", *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert site.state(job) == "PENDING"
    for words, error in (
        (("-u", ""), "Invalid user name: "),
        (("-u", "nosuchuser"), "Invalid user name: nosuchuser"),
        (("-t", ""), "Invalid job state specified: "),
        (("",), "Invalid job id "),
        (("--me", ""), "Invalid job id "),
    ):
        done = site.run("scancel", *words)
        assert done.returncode == 1
        assert done.stderr.splitlines()[0] == f"scancel: error: {error}"
        assert site.state(job) == "PENDING"
    site.out("scancel", job)


@pytest.mark.slow
def test_jobs_that_cannot_take_a_signal_are_told_with_slurms_exit_codes(site: SlurmSite) -> None:
    waits = site.submit("-H", "--wrap", "true")
    gone = "scancel: error: Kill job error on job id {}: Invalid job id specified\n"
    later = (
        "scancel: error: Kill job error on job id {}: Job can not be altered now, try again later\n"
    )
    for words, code, error in (
        (("-s", "USR1", waits), 228, later.format(waits)),
        (("-s", "USR1", "999999", "999998"), 1, gone.format("999999") + gone.format("999998")),
        (("-s", "KILL", "999999"), 1, gone.format("999999")),
        (("-Q", "-b", "999999"), 1, ""),
        (("-t", "R", "999999"), 1, gone.format("999999")),
        (("-t", "R", waits), 0, ""),
        (("999999",), 0, ""),
    ):
        done = site.run("scancel", *words)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", error)
    site.out("scancel", waits)
    assert site.run("scancel", "-s", "USR1", waits).stderr == gone.format(waits)


@pytest.mark.slow
def test_an_empty_value_lists_no_job(site: SlurmSite) -> None:
    job = site.submit("-H", "--wrap", "true")
    for words in (("-n", ""), ("-u", ""), ("-p", ""), ("-w", ""), ("-t", ""), ("--jobs=",)):
        assert site.out("squeue", "-h", *words) == ""
    assert job in site.out("squeue", "-h", "-o", "%i", "-j").split()
    site.out("scancel", job)


@pytest.mark.parametrize("command", ["squeue", "scancel", "sbatch"])
def test_a_mode_that_is_none_is_an_error(site: SlurmSite, command: str) -> None:
    done = site.run(command, RMSD_SLURM="foo")
    error = f"{command}: error: RMSD_SLURM is 'foo': it must be strict or lenient, or not be set\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", error)


def test_sinfo_knows_the_states_of_nodes(site: SlurmSite) -> None:
    done = site.run("sinfo", "-t", "idle,foo")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith('sinfo: error: Bad state string: "foo"\n')
    assert site.out("sinfo", "-h", "-t", "FAIL,maint*") == ""
    assert "idle" in site.out("sinfo", "-h", "-t", "IDLE,mix,alloc")


@pytest.mark.parametrize("pause", ["x", "0", "-1", ""])
def test_a_pause_that_is_none_is_an_error(site: SlurmSite, pause: str) -> None:
    done = site.run("squeue", "-i", pause)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"squeue: error: Invalid --iterate value '{pause}'")


@pytest.mark.slow
def test_a_job_that_is_over_is_told_if_every_job_is(site: SlurmSite) -> None:
    over, array = site.submit("--wrap", "true"), site.submit("-a", "1-2", "--wrap", "true")
    runs = site.submit("--wrap", "sleep 600")
    for job in (over, f"{array}_1", f"{array}_2"):
        site.wait(job)
    told = "scancel: Terminating job {0}\nscancel: error: Kill job error on job id {0}: {1}\n"
    ended = "Job/step already completing or completed"
    for words, error in (
        (("-v", over), told.format(over, ended)),
        (("-v", array), told.format(array, ended)),
        (("-v", f"{array}_1"), told.format(f"{array}_1", ended)),
        (("-v", "999999"), told.format("999999", "Invalid job id specified")),
        (("-Qv", over, "999999"), ""),
        (("-v", runs), f"scancel: Terminating job {runs}\n"),
    ):
        done = site.run("scancel", *words)
        assert (words, done.returncode, done.stderr) == (words, 0, error)
    assert site.wait(runs).startswith("CANCELLED")


def test_a_job_that_an_operator_cancelled_has_the_operators_number(site: SlurmSite) -> None:
    client = site.daemon.client
    given = {"user": "daemon", "time_limit_s": 600.0, "emulate": {"run_s": 500.0}}
    [job] = client.submit([given])
    client.cancel_all([job["job_id"]])
    assert site.wait(str(job["job_id"])) == f"CANCELLED by {os.getuid()}"
    told = client.job(job["job_id"])
    assert (told["user"], told["cancelled_by"]) == ("daemon", client.user())
    report = json.loads(site.out("sacct", "--json", "-j", str(job["job_id"])))
    assert report["jobs"][0]["kill_request_user"] == client.user()
