"""The commands that scontrol reads on standard input: conversations as a Slurm 22.05 has them."""

from __future__ import annotations

import pytest

from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live


def said(site: SlurmSite, *lines: str) -> tuple[int, str, str]:
    done = site.run("scontrol", stdin="".join(lines))
    return done.returncode, done.stdout, done.stderr


def test_a_conversation_goes_on_after_an_error(site: SlurmSite) -> None:
    asked = ("bogus\n", "\n", "show hostnames a[1-2]\n", "!!\n", "quit\n", "show hostnames b\n")
    assert said(site, *asked) == (
        1,
        "scontrol: bogus\nscontrol: \n"
        "scontrol: show hostnames a[1-2]\na1\na2\nscontrol: !!\na1\na2\nscontrol: quit\n",
        "invalid keyword: bogus\n",
    )
    assert said(site) == (0, "scontrol: \n", "")


def test_errors_of_jobs_are_told_in_their_places(site: SlurmSite) -> None:
    assert said(site, "show job 999999\n", "hold 999999\n") == (
        1,
        "scontrol: show job 999999\nscontrol: hold 999999\nscontrol: \n",
        "slurm_load_jobs error: Invalid job id specified\n"
        "Invalid job id specified for job 999999\n"
        "slurm_suspend error: Invalid job id specified\n",
    )
    code, _, error = said(site, "quiet\n", "hold 999999\n", "verbose\n", "hold 999998\n")
    assert code == 1
    assert "999999" not in error
    assert "999998" in error


def test_changes_and_switches_hold_for_the_lines_behind(site: SlurmSite) -> None:
    job = site.submit("-H", "-o", "/dev/null", "--wrap", "true")
    code, out, error = said(
        site, f'update JobId={job} Comment="two words"\n', "oneliner\n", f"show job {job}"
    )
    assert (code, error) == (0, "")
    [shown] = [line for line in out.splitlines() if line.startswith(f"JobId={job} ")]
    assert 'Comment="two words"' in shown
    assert "JobState=PENDING" in shown
    site.out("scancel", job)


def test_the_reason_of_a_drain_is_without_its_quotes(site: SlurmSite) -> None:
    reason = 'update NodeName=e4 State=DRAIN Reason="two words"\n'
    assert said(site, reason, "show node e4\n")[1].count("Reason=two words [") == 1
    assert said(site, "update NodeName=e4 State=RESUME\n")[0] == 0


def test_a_job_that_is_over_cannot_be_changed_in_slurms_words(site: SlurmSite) -> None:
    job = site.submit("-o", "/dev/null", "--wrap", "true")
    assert site.wait(job) == "COMPLETED"
    over = f"Job has already finished for job {job}\n"
    held = "slurm_suspend error: Job has already finished\n"
    for words, error in (
        (("hold", job), over + held),
        (("release", job), over + held),
        (("update", f"JobId={job}", "TimeLimit=5"), over),
        (("suspend", job), f"Job/step already completing or completed for job {job}\n"),
    ):
        done = site.run("scontrol", *words)
        assert (done.returncode, done.stderr) == (1, error)


def test_what_a_running_job_asks_for_cannot_be_changed_in_slurms_words(site: SlurmSite) -> None:
    job = site.submit("-o", "/dev/null", "--wrap", "sleep 1000")
    site.wait_for(job, "RUNNING")
    done = site.run("scontrol", "update", f"JobId={job}", "NumTasks=2")
    told = f"Job is no longer pending execution for job {job}\n"
    assert (done.returncode, done.stderr) == (1, told)
    site.out("scancel", job)
