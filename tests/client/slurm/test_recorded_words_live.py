"""Words that a real Slurm 22.05 has said, and odd requests that it has taken."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rmsd_client.slurm.fields.account_fields import BY_NAME
from rmsd_client.slurm.words.account_row import Row
from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until


@pytest.mark.live
def test_fewer_tasks_than_nodes_have_fewer_nodes(site: SlurmSite) -> None:
    done = site.run("sbatch", "--parsable", "-H", "-N", "2", "-n", "1", "--wrap", "true")
    told = "sbatch: Warning: can't run 1 processes on 2 nodes, setting nnodes to 1\n"
    assert (done.returncode, done.stderr) == (0, told)
    assert site.job(done.stdout.strip())["nodes"] == 1


@pytest.mark.live
def test_none_beside_other_names_exports_these(site: SlurmSite) -> None:
    job = site.submit(
        "--export=NONE,OWN=1", "-o", "names-%j", "--wrap",
        "echo $OWN-$OTHER", OTHER="x",
    )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"names-{job}") == "1-\n"


@pytest.mark.live
def test_a_step_counts_its_own_tasks(site: SlurmSite) -> None:
    told = "echo $SLURM_TASKS_PER_NODE"
    job = site.submit(
        "-N", "2", "--ntasks-per-node=2", "-o", "counts-%j", "--wrap",
        f"{told}; srun -n 3 sh -c '{told}'",
    )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"counts-{job}").split() == ["2(x2)", "2,1", "2,1", "2,1"]


@pytest.mark.live
def test_reservations_are_told_of(site: SlurmSite) -> None:
    named = ("ReservationName=words", "StartTime=now+60minutes", "Duration=60", "Nodes=e4")
    assert site.out("scontrol", "create", "reservation", *named, "Users=root") == (
        "Reservation created: words\n"
    )
    assert " BurstBuffer=(null) Watts=n/a\n" in site.out("scontrol", "show", "res", "words")
    updated = site.out("scontrol", "update", "ReservationName=words", "Duration=90")
    assert updated == "Reservation updated.\n"
    assert site.out("scontrol", "delete", "ReservationName=words") == ""
    for words, error in (
        (
            ("delete", "ReservationName=words"),
            "delete_reservation ReservationName=words: Requested reservation is invalid\n",
        ),
        (
            ("create", "reservation", *named),
            "scontrol: error: Either Users/Groups and/or Accounts must be specified.  "
            "No reservation created.\n",
        ),
        (
            ("create", "reservation", "Users=root", "Nodes=e4"),
            "scontrol: error: A start time must be given.  No reservation created.\n",
        ),
    ):
        done = site.run("scontrol", *words)
        assert (done.returncode, done.stderr) == (1, error)


@pytest.mark.live
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("scontrol", "hold"), "too few arguments for keyword:hold\n"),
        (("scontrol", "requeue"), "too few arguments for keyword:requeue\n"),
        (("scancel", "-s", "NOSUCH", "1"), "Unknown job signal: NOSUCH\n"),
        (("sacct", "-S", "nosuch"), "Invalid time specification (pos=0): nosuch\n"),
    ],
)
def test_errors_of_the_command_line(site: SlurmSite, words: tuple[str, ...], error: str) -> None:
    done = site.run(*words)
    assert (done.returncode, done.stderr) == (1, error)


def test_the_script_of_a_preempted_job_is_cancelled() -> None:
    job = {"job_id": 5, "state": "PREEMPTED", "reason": "None", "exit_code": None, "signal": 15}
    shown = [[BY_NAME[name].show(row) for name in ("state", "exitcode")]
             for row in (Row(job), Row(job, "batch"))]  # fmt: skip
    assert shown == [["PREEMPTED", "0:0"], ["CANCELLED", "0:15"]]


@pytest.mark.slow
@pytest.mark.live
def test_the_file_of_a_script_is_shown_with_its_arguments(site: SlurmSite) -> None:
    script = site.write("told.sh", "#!/bin/sh\ntrue\n")
    path = f"{site.daemon.work}/told.sh"
    job = site.submit(script, "-n", "two words")
    assert f"   Command={path} -n two words\n" in site.out("scontrol", "show", "job", job)
    told = ("squeue", "-h", "-t", "all", "-o", "%o", "-j")
    assert site.out(*told, job) == f"{path} -n two words\n"
    [shown] = json.loads(site.out("squeue", "--json", "-t", "all", "-j", job))["jobs"]
    assert shown["command"] == f"{path} -n two words"
    assert site.out(*told, site.submit(site.write("lines.sh", "#!/bin/sh\n"), "a\nb")) == "(null)\n"
    assert site.out(*told, site.submit("--wrap", "true")) == "(null)\n"


@pytest.mark.slow
@pytest.mark.live
def test_the_error_output_says_why_a_job_was_ended(site: SlurmSite) -> None:
    job = site.submit("-t", "0:01", "-o", "out-%j", "-e", "err-%j", "--wrap", "sleep 600")
    assert site.wait(job) == "TIMEOUT"
    node = site.job(job)["nodelist"]
    assert re.fullmatch(
        rf"slurmstepd-{node}: error: \*\*\* JOB {job} ON {node} CANCELLED AT \S+ DUE TO TIME LIMIT "
        r"\*\*\*\n",
        site.read(f"err-{job}"),
    )
    assert site.read(f"out-{job}") == ""
    job = site.submit("-o", "both-%j", "--wrap", "echo here; sleep 600")
    wait_until(lambda: (site.daemon.work / f"both-{job}").exists() and site.read(f"both-{job}"))
    site.out("scancel", job)
    assert site.wait(job).startswith("CANCELLED")
    first, second = site.read(f"both-{job}").splitlines()
    assert first == "here"
    assert re.search(rf": error: \*\*\* JOB {job} ON e\d CANCELLED AT \S+ \*\*\*$", second)
    [own] = site.daemon.client.submit([{"script": "#!/bin/sh\nsleep 600\n", "stdout": "own"}])
    wait_until(lambda: site.daemon.client.job(own["job_id"])["state"] == "RUNNING")
    site.daemon.client.cancel(own["job_id"])
    site.daemon.client.wait(own["job_id"])
    assert not Path(site.job(str(own["job_id"]))["stdout"]).read_text()
