"""Dependencies in the words of Slurm, as `squeue` and `scontrol` show them."""

from __future__ import annotations

import json

import pytest

from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live


def _shown(site: SlurmSite, job: str) -> set[str]:
    """Return the dependency of a job in each form that shows it."""
    block = dict(
        word.split("=", 1)
        for word in site.out("scontrol", "-o", "show", "job", job).split()
        if "=" in word
    )
    return {
        site.out("squeue", "-h", "-o", "%E", "-j", job).strip(),
        block["Dependency"],
        json.loads(site.out("squeue", "--json", "-j", job))["jobs"][0]["dependency"],
        json.loads(site.out("scontrol", "show", "job", job, "--json"))["jobs"][0]["dependency"],
    }


@pytest.mark.slow
def test_dependencies_name_tasks_and_arrays_as_the_submit_did(site: SlurmSite) -> None:
    array = site.submit("-a", "1-3%1", "--wrap", "sleep 600")
    site.wait_for(f"{array}_1", "RUNNING")
    held = site.submit("-H", "--wrap", "true")
    depends = site.submit(
        "-d", f"afterok:{array}:{array}_3:{array}_1,after:{held}+5", "--wrap", "true"
    )
    assert _shown(site, depends) == {
        f"afterok:{array}_*(unfulfilled),afterok:{array}_3(unfulfilled),"
        f"afterok:{array}_1(unfulfilled),after:{held}+5(unfulfilled)"
    }
    either = site.submit("-d", f"afterany:{held}?afterok:{array}", "--wrap", "true")
    assert _shown(site, either) == {f"afterany:{held}(unfulfilled)?afterok:{array}_*(unfulfilled)"}
    site.out("scancel", depends, either, held, array)


def test_a_dependency_that_can_never_come_true_has_failed(site: SlurmSite) -> None:
    failing = site.submit("--wrap", "exit 3")
    never = site.submit("-d", f"afterok:{failing}", "--wrap", "true")
    site.wait_for(failing, "FAILED")
    assert _shown(site, never) == {f"afterok:{failing}(failed)"}
    site.out("scancel", never)


def test_an_array_names_the_one_whose_tasks_its_tasks_await(site: SlurmSite) -> None:
    other = site.submit("-H", "-a", "1-2", "--wrap", "exit $((SLURM_ARRAY_TASK_ID - 1))")
    array = site.submit("-a", "1-2", "-d", f"aftercorr:{other}", "--wrap", "true")
    assert _shown(site, array) == {f"aftercorr:{other}_*(unfulfilled)"}
    told = site.daemon.run("rstat", array)
    assert f"the success of the task with the same index in array {other}" in told.stdout
    site.out("scontrol", "release", other)
    site.wait_for(f"{array}_1", "COMPLETED")
    assert _shown(site, f"{array}_2") == {f"afterok:{other}_2(failed)"}
    site.out("scancel", array)


def test_an_empty_dependency_is_none(site: SlurmSite) -> None:
    job = site.submit("-H", "-d", "", "--wrap", "true")
    assert _shown(site, job) - {"", "(null)"} == set()
    site.out("scancel", job)


def test_a_singleton_is_unfulfilled(site: SlurmSite) -> None:
    first = site.submit("-J", "single", "--wrap", "sleep 600")
    second = site.submit("-J", "single", "-d", "singleton", "--wrap", "true")
    assert _shown(site, second) == {"singleton(unfulfilled)"}
    site.out("scancel", second, first)
