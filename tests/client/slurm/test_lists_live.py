"""The lists of `squeue`, `sinfo`, `sacct` and `scontrol show` in forms that people ask for."""

from __future__ import annotations

import getpass
import json
import os
import re

import pytest

from rmsd_client.slurm.fields.account_fields import FIELDS
from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live

_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \d{4}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("jobid", "JOB"), ("jobid=JOB",), ("JobId", "JOB"), ("JobId=JOB",), ("jobs", "JOB"),
        ("job=JOB",), ("j", "JOB"),
    ],
)  # fmt: skip
def test_scontrol_shows_a_job_by_all_names_of_jobs(site: SlurmSite, words: tuple[str, ...]) -> None:
    job = site.submit("-H", "--wrap", "true")
    try:
        shown = site.out("scontrol", "-o", "show", *(word.replace("JOB", job) for word in words))
        assert shown.startswith(f"JobId={job} ")
    finally:
        site.out("scancel", job)


def test_scontrol_shows_that_there_are_no_reservations(site: SlurmSite) -> None:
    for word in ("reservation", "res", "reservations", "reservationname=x"):
        assert site.out("scontrol", "show", word) == "No reservations in the system\n"
    shown = "LicenseName=matlab\n    Total=4 Used=0 Free=4 Reserved=0 Remote=no\n"
    assert site.out("scontrol", "show", "lic") == shown
    assert site.out("scontrol", "-o", "show", "lic", "matlab").startswith(
        "LicenseName=matlab Total=4"
    )
    assert site.out("scontrol", "-o", "show", "partitionname", "main").startswith(
        "PartitionName=main "
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", ["squeue", "sinfo"])
def test_a_long_list_has_the_date_above_it(site: SlurmSite, command: str) -> None:
    date, titles, *_ = site.out(command, "-l").splitlines()
    assert re.fullmatch(_DATE, date)
    assert "PARTITION" in titles
    assert not re.search(_DATE, site.out(command, "-l", "-h"))
    assert not re.search(_DATE, site.out(command))


def test_a_long_list_of_steps_has_the_date_above_it(site: SlurmSite) -> None:
    date, titles, *_ = site.out("squeue", "-l", "-s").splitlines()
    assert re.fullmatch(_DATE, date)
    assert titles.split()[0] == "STEPID"


def test_all_fields_are_shown(site: SlurmSite) -> None:
    job = site.submit("-H", "-J", "every", "--wrap", "true")
    try:
        titles, row = site.out("sacct", "-P", "-o", "ALL", "-j", job).splitlines()
        assert titles.split("|") == [field.name for field in FIELDS]
        assert dict(zip(titles.split("|"), row.split("|"), strict=True))["JobName"] == "every"
        titles, row = site.out("squeue", "-o", "%all", "-j", job).splitlines()
        assert titles.startswith("ACCOUNT|TRES_PER_NODE|MIN_CPUS|MIN_TMP_DISK|END_TIME|FEATURES|")
        assert titles.endswith("|SUBMIT_TIME|LICENSES|CORE_SPEC|SCHEDNODES|WORK_DIR")
        assert row.split("|")[titles.split("|").index("NAME")] == "every"
        titles, *rows = site.out("sinfo", "-o", "%all").splitlines()
        assert titles.startswith("AVAIL|ACTIVE_FEATURES|CPUS|TMP_DISK|FREE_MEM|")
        place = titles.split("|").index("NODELIST")
        assert {row.split("|")[place] for row in rows} == {"e1", "e2", "e3", "e4"}
    finally:
        site.out("scancel", job)


@pytest.mark.slow
def test_a_drain_has_the_name_of_its_operator_and_its_time(site: SlurmSite) -> None:
    me, stamp = getpass.getuser(), r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
    site.out("scontrol", "update", "nodename=e2", "state=drain", "reason=new fans")
    try:
        assert re.search(rf"Reason=new fans \[{me}@{stamp}\]", site.out("scontrol", "show", "node"))
        assert re.search(rf"^new fans +{me} +{stamp} e2$", site.out("sinfo", "-R"), re.MULTILINE)
        uid = f"{me}({os.getuid()})"
        assert site.out("sinfo", "-h", "-n", "e2", "-o", "%U").split() == [uid]
        [node] = json.loads(site.out("scontrol", "show", "node", "e2", "--json"))["nodes"]
        assert (node["reason"], node["reason_set_by_user"]) == ("new fans", me)
        assert node["reason_changed_at"] > 0
    finally:
        site.out("scontrol", "update", "nodename=e2", "state=resume")
    assert "Reason=" not in site.out("scontrol", "show", "node", "e2")


def test_sums_are_of_all_nodes_of_a_line(site: SlurmSite) -> None:
    """Nodes of one line were those with as many used processors, and nodes of two partitions were
    counted twice. The lines are as of Slurm 22.05."""
    job = site.submit("-n", "3", "-w", "e1", "-o", "/dev/null", "--wrap", "exec sleep 1000")
    try:
        site.wait_for(job, "RUNNING")
        for text, lines in (
            ("%D", ["4"]),
            ("%C", ["3/29/0/32"]),
            ("%F %A", ["1/3/0/4 1/3"]),
            ("%R %C", ["main 3/29/0/32", "short 3/13/0/16"]),
            ("%R %D %c %m", [f"{name} {count}" for name, count in (("main", 4), ("short", 2))]),
            ("%a %D", ["up 4"]),
            ("%t %D", ["mix 1", "idle 3"]),
            ("%R %t %D", ["main mix 1", "main idle 3", "short mix 1", "short idle 1"]),
        ):
            told = site.out("sinfo", "-h", "-o", text).splitlines()
            assert [
                line.strip()[: len(one)] for line, one in zip(told, lines, strict=True)
            ] == lines
        assert site.out("sinfo", "-h", "-O", "cpusstate").split() == ["3/29/0/32"]
        assert site.out("sinfo", "-h", "-N", "-o", "%N").split() == ["e1", "e2", "e3", "e4"]
        told = site.out("sinfo", "-h", "-N", "-o", "%N,%R").split()
        assert told == ["e1,main", "e1,short", "e2,main", "e2,short", "e3,main", "e4,main"]
    finally:
        site.out("scancel", job)


def test_a_waiting_job_has_its_expected_start(site: SlurmSite) -> None:
    """StartTime was Unknown, though squeue --start told it."""
    all_cores = ("-n", "32", "-o", "/dev/null", "--wrap", "exec sleep 1000")
    runs = site.submit("-t", "20", *all_cores)
    site.wait_for(runs, "RUNNING")
    waits = [site.submit("-t", "5", *all_cores) for _ in range(2)]
    try:
        shown = site.out("scontrol", "show", "job", waits[0])
        assert re.search(r"StartTime=\d{4}-\d\d-\d\dT", shown)
        shown = site.out("scontrol", "show", "job")
        for job in waits:
            [lines] = [one for one in shown.split("\n\n") if one.startswith(f"JobId={job} ")]
            assert re.search(r"StartTime=\d{4}-\d\d-\d\dT", lines)
    finally:
        site.out("scancel", runs, *waits)
