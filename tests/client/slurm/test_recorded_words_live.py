"""Words that a real Slurm 22.05 has said, and odd requests that it has taken."""

from __future__ import annotations

import pytest

from rmsd_client.slurm.account_fields import BY_NAME, Row
from tests.client.slurm.site import SlurmSite


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
