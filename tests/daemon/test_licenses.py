"""Licenses of a live daemon: jobs wait for them, they are told, changed by SIGHUP, and kept over a
kill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.jobs.accounts import License
from rmsd_daemon.setup.loading import ConfigError
from rmsd_wire.licenses import LicenseError, parse_licenses
from tests.client.slurm.site import SlurmSite
from tests.daemon.configured import from_text, reload
from tests.live import Daemon

LICENSES = "[licenses]\ncad = 2\nsim = 1\n"


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "2x4", config=LICENSES)
    try:
        yield found.start()
    finally:
        found.close()


# ---------------------------------------------------------------- what is understood


def test_the_table_is_read(tmp_path: Path) -> None:
    assert from_text(tmp_path, LICENSES).licenses == (License("cad", 2), License("sim", 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("licenses = 3\n", "licenses: 3 is not a table"),
        ('[licenses]\n"a b" = 1\n', "'a b' is not usable as a name"),
        ("[licenses]\ncad = -1\n", "cad: -1 is not a whole number from 0 to 1048576"),
        ("[licenses]\ncad = 1048577\n", "cad: 1048577 is not"),
        ("[licenses]\ncad = true\n", "cad: True is not"),
    ],
)
def test_an_unusable_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_text(tmp_path, text)


def test_licenses_as_users_write_them() -> None:
    assert parse_licenses("") == parse_licenses("none") == parse_licenses("cad:0") == ()
    assert parse_licenses("sim, cad:2") == (("cad", 2), ("sim", 1))
    assert parse_licenses("cad:1048576") == (("cad", 1 << 20),)
    for text in ("cad:", "cad:x", "cad:-1", "cad|sim", "a b", "cad,cad", "cad:1048577", "x" * 2049):
        with pytest.raises(LicenseError):
            parse_licenses(text)
    with pytest.raises(LicenseError, match="more than 16"):
        parse_licenses(",".join(f"n{at}" for at in range(17)))


# ---------------------------------------------------------------- live


@pytest.mark.slow
def test_jobs_wait_for_licenses_also_after_a_kill(daemon: Daemon) -> None:
    has = daemon.submit("echo $RMS_JOB_LICENSES; sleep 600", licenses="cad,sim")
    daemon.wait_for(has, "RUNNING")
    waits = daemon.submit("true", licenses="cad:2")
    passes = daemon.submit("true")
    daemon.wait(passes)
    assert daemon.client.job(waits)["reason"] == "Licenses"
    explained = " ".join(daemon.run("rstat", "--explain", str(waits)).stdout.split())
    assert "too few of the licenses" in explained
    assert "Why: it asks for the licenses cad:2, and jobs have 1 of 2 of cad now " in explained
    assert "account and QOS" not in explained
    told = [{"name": "cad", "total": 2, "used": 1}, {"name": "sim", "total": 1, "used": 1}]
    assert daemon.client.accounts("")["licenses"] == told
    assert "cad       1/2\n" in daemon.run("rmsd", "account").stdout
    daemon.kill()
    daemon.start()
    assert daemon.client.job(waits)["reason"] == "Licenses"
    assert daemon.client.job(waits)["licenses"] == "cad:2"
    assert ["Licenses:", "cad:1,sim:1"] in [
        line.split() for line in daemon.run("rstat", str(has)).stdout.splitlines()
    ]
    daemon.client.cancel(has)
    assert daemon.wait(waits)["state"] == "COMPLETED"
    assert (daemon.work / f"rms-{has}.out").read_text() == "cad:1,sim:1\n"
    for text, why in (
        ("cad:3", "the cluster has 2"),
        ("dvd", "there is no license 'dvd'; there are cad, sim"),
        ("cad|sim", "'cad|sim' is not understood"),
    ):
        with pytest.raises(ApiError, match=why.replace("|", r"\|")):
            daemon.submit("true", licenses=text)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_another_number_lets_jobs_start_and_a_license_can_be_left_out(daemon: Daemon) -> None:
    one, two, three = (daemon.submit("sleep 600", licenses="sim") for _ in range(3))
    daemon.wait_for(one, "RUNNING")
    reload(daemon, "[licenses]\nsim = 2\n")
    daemon.wait_for(two, "RUNNING")
    assert daemon.client.job(three)["reason"] == "Licenses"
    reload(daemon, "[licenses]\ncad = 1\n")
    daemon.wait_for(three, "RUNNING")
    for job_id in (one, two, three):
        daemon.client.cancel(job_id)
        daemon.wait(job_id)
    assert daemon.stop() == 0
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_slurms_commands_have_licenses(daemon: Daemon) -> None:
    site = SlurmSite(daemon)
    job = site.submit("-L", "cad:2", "--wrap", "sleep 600")
    site.wait_for(job, "RUNNING")
    other = site.submit("--licenses=cad", "--wrap", "true")
    assert site.out("squeue", "-h", "-j", other, "-o", "%T %r %W") == "PENDING Licenses cad:1\n"
    assert site.out("squeue", "-h", "-L", "cad", "-o", "%i").split() == [other, job]
    assert site.out("squeue", "-h", "-L", "sim", "-o", "%i") == ""
    shown = site.out("scontrol", "show", "licenses")
    assert shown.startswith("LicenseName=cad\n    Total=2 Used=2 Free=0 Reserved=0 Remote=no\n")
    assert " Licenses=cad:2 " in site.out("scontrol", "-o", "show", "job", job)
    refused = site.run("sbatch", "-L", "dvd", "--wrap", "true")
    assert refused.stderr.endswith("Invalid license specification\n")
    site.out("scancel", job)
    daemon.wait(int(other))
