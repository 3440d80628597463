"""Accounts and QOS of a live daemon: named by jobs, checked, changed by SIGHUP, kept."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_client.errors import ApiError
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings
from rmsd_daemon.setup.loading import ConfigError
from tests.client.slurm.site import SlurmSite
from tests.daemon.configured import from_text, reload
from tests.live import Daemon
from tests.waiting import wait_until

USER = getpass.getuser()
ACCOUNTS = f"""
[accounts.physics]
members = ["{USER}", "somebody-else"]
[accounts.lab]
members = ["{USER}"]
default_of = ["{USER}"]
[accounts.secret]
members = ["somebody-else"]
[qos.urgent]
accounts = ["physics"]
[qos.guest]
users = ["somebody-else"]
"""


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "2x2", config=ACCOUNTS)
    try:
        yield found.start()
    finally:
        found.close()


# ---------------------------------------------------------------- the configuration


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accounts = 3\n", "accounts: 3 is not a table"),
        ('[accounts."a b"]\n', "'a b' is not usable as a name"),
        ("[accounts.a]\nmembers = 3\n", "a.members: 3"),
        ("[accounts.a]\ncolour = 1\n", "a.colour: unknown key; there are "),
        ("[qos]\na = 1\n", "a: 1 is not a table; write .qos.a"),
        ("[qos.a]\ndefault = true\n[qos.b]\ndefault = true\n", "a and b are both the default"),
    ],
)
def test_an_unusable_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_text(tmp_path, text)


def test_the_tables_are_read(tmp_path: Path) -> None:
    config = from_text(tmp_path, ACCOUNTS)
    assert config.accounts[1] == AccountSettings("lab", (USER,), (USER,))
    assert config.qos == (
        QosSettings("urgent", accounts=("physics",)),
        QosSettings("guest", users=("somebody-else",)),
    )


# ---------------------------------------------------------------- who may name what


def policies(*qos: QosSettings) -> AccountRules:
    accounts = (
        AccountSettings("a", ("ann", "bob")),
        AccountSettings("b", ("bob",), ("bob",)),
        AccountSettings("c", (), ("cid",)),
    )
    return AccountRules(lambda user, listed: user in listed, accounts, qos)


@pytest.mark.parametrize(
    ("name", "user", "account"),
    [("", "ann", "a"), ("", "bob", "b"), ("a", "bob", "a"), ("", "cid", "c"), ("c", "cid", "c")],
)
def test_a_job_has_the_account_named_or_the_default(name: str, user: str, account: str) -> None:
    assert policies().account_of(name, user) == account


@pytest.mark.parametrize(
    ("name", "user", "message"),
    [
        ("x", "bob", "there is no account 'x'; bob is a member of a, b"),
        ("c", "bob", "bob is no member of the account 'c', but of a, b"),
        ("", "dan", "is not given, and dan is a member of no account"),
        ("a", "dan", "dan is no member of the account 'a', but of none"),
    ],
)
def test_an_account_that_a_user_may_not_name(name: str, user: str, message: str) -> None:
    with pytest.raises(DaemonError, match=message):
        policies().account_of(name, user)


def test_without_accounts_a_job_may_name_any() -> None:
    free = AccountRules(lambda user, listed: user in listed)
    assert [free.account_of(name, "ann") for name in ("", "x")] == ["", "x"]
    assert [free.qos_of(name, "", "ann") for name in ("", "x")] == ["normal", "x"]


def test_a_qos_may_be_for_some_accounts_and_users() -> None:
    both = policies(QosSettings("q", True, ("a", "b")), QosSettings("p", users=("ann",)))
    assert both.qos_of("", "a", "ann") == "q"
    assert both.qos_of("p", "c", "ann") == "p"
    with pytest.raises(DaemonError, match="account 'c' may not use the QOS 'q'"):
        both.qos_of("", "c", "cid")
    with pytest.raises(DaemonError, match="bob may not use the QOS 'p'"):
        both.qos_of("p", "a", "bob")
    with pytest.raises(DaemonError, match="no QOS 'r'; there are q, p"):
        both.qos_of("r", "a", "bob")


def test_no_job_escapes_the_default_qos_by_the_name_of_another_default() -> None:
    """Where `[qos.std]` was the default, with limits, `-q normal` was free of all limits."""
    std = QosSettings("std", is_default=True)
    with pytest.raises(DaemonError, match=r"no QOS 'normal'; there are std$"):
        policies(std).qos_of("normal", "a", "ann")
    assert policies(std, QosSettings("normal")).qos_of("normal", "a", "ann") == "normal"
    assert policies(QosSettings("fast")).qos_of("normal", "a", "ann") == "normal"
    with pytest.raises(DaemonError, match=r"no QOS 'r'; there are normal, fast$"):
        policies(QosSettings("fast")).qos_of("r", "a", "ann")
    assert policies(std).offered_qos == (std,)


# ---------------------------------------------------------------- a live daemon


@pytest.mark.slow
def test_a_job_has_its_account_and_qos_everywhere_and_keeps_them(daemon: Daemon) -> None:
    first = daemon.client.job(daemon.emulate(3600))
    assert (first["account"], first["qos"]) == ("lab", "normal")
    shown = "echo $RMS_JOB_ACCOUNT $RMS_JOB_QOS $SLURM_JOB_ACCOUNT $SLURM_JOB_QOS"
    done = daemon.run(
        "rsub", "--wait", "-A", "physics", "-q", "urgent", "-o", "out", "--wrap", shown
    )
    assert done.returncode == 0, done.stderr
    assert (daemon.work / "out").read_text() == "physics urgent physics urgent\n"
    array = daemon.emulate(3600, array="1-2", tasks=4, account="physics")
    listed = daemon.run("rstat", "-h", "-o", "%a %q", "-j", str(array)).stdout.split()
    assert listed == ["physics", "normal"] * 2  # a task runs, and another waits
    daemon.kill()
    daemon.configure_anew("")  # the accounts are gone, and jobs keep theirs
    daemon.start()
    assert [daemon.client.job(2)[key] for key in ("account", "qos")] == ["physics", "urgent"]
    assert daemon.client.job(array)["account"] == "physics"
    lines = [line.split() for line in daemon.run("rstat", "2").stdout.splitlines()]
    assert ["Account:", "physics"] in lines
    assert ["QOS:", "urgent"] in lines
    used = daemon.client.usage(0, by="account,user")["usage"]
    assert [(row["account"], row["user"], row["jobs"]) for row in used] == [
        ("lab", USER, 1),
        ("physics", USER, 1),
    ]
    told = daemon.rmsd("usage", "--by", "account", "--since", "unlimited").stdout
    assert [line.split()[:2] for line in told.splitlines()[:3]] == [
        ["account", "jobs"],
        ["lab", "1"],
        ["physics", "1"],
    ]


@pytest.mark.slow
def test_what_a_user_may_not_name_is_refused(daemon: Daemon) -> None:
    for words, code, message in (
        (["-A", "nosuch"], 2, f"there is no account 'nosuch'; {USER} is a member of physics, lab"),
        (["-A", "secret"], 77, f"{USER} is no member of the account 'secret'"),
        (["-q", "nosuch"], 2, "there is no QOS 'nosuch'; there are normal, urgent, guest"),
        (["-q", "guest"], 77, f"{USER} may not use the QOS 'guest'"),
        (["-q", "urgent"], 77, "jobs of the account 'lab' may not use the QOS 'urgent'"),
    ):
        done = daemon.run("rsub", *words, "--wrap", "true")
        assert done.returncode == code
        assert message in done.stderr
    assert daemon.client.jobs(states="all") == []


def test_sighup_changes_accounts_and_qos(daemon: Daemon) -> None:
    first = daemon.emulate(3600, account="physics", qos="urgent")
    reload(
        daemon, "[accounts.new]\nmembers = ['@root', '" + USER + "']\n[qos.only]\ndefault = true\n"
    )
    assert daemon.client.job(first)["account"] == "physics"
    second = daemon.client.job(daemon.emulate(1))
    assert (second["account"], second["qos"]) == ("new", "only")
    with pytest.raises(ApiError, match="there is no account 'physics'"):
        daemon.emulate(1, account="physics")


@pytest.mark.slow
def test_slurms_commands_name_and_show_accounts(daemon: Daemon) -> None:
    site = SlurmSite(daemon)
    script = "#!/bin/sh\n#SBATCH --account=physics\n#SBATCH --qos=urgent\n#SBATCH -n 4\nsleep 600\n"
    job = site.submit(stdin=script)
    other = site.submit("-H", "--wrap", "true")
    assert site.out("squeue", "-h", "-o", "%a %q", "-j", job) == "physics urgent\n"
    assert site.out("squeue", "-h", "-o", "%i", "-q", "urgent") == f"{job}\n"
    assert site.out("squeue", "-h", "-o", "%i", "-A", "lab") == f"{other}\n"
    told = site.out("sacct", "-X", "-n", "-P", "-o", "Account,QOS", "-q", "urgent")
    assert told == "physics|urgent\n"
    assert "Account=physics QOS=urgent" in site.out("scontrol", "show", "job", job)
    failed = "sbatch: error: Batch job submission failed: "
    for words, message in (
        ("-A nosuch", "Invalid account or account/partition combination specified"),
        ("-A secret", "Invalid account or account/partition combination specified"),
        ("-q nosuch", "Invalid qos specification"),
        ("-q guest", "Invalid qos specification"),
    ):
        done = site.run("sbatch", *words.split(), "--wrap", "true")
        assert (done.returncode, done.stderr) == (1, f"{failed}{message}\n")
    site.out("scancel", "--qos", "urgent")
    assert site.wait(job).startswith("CANCELLED")
    assert site.state(other) == "PENDING"


# ---------------------------------------------------------------- limits


LIMITS = f"""
[accounts.top]
members = ["{USER}"]
max_cpus = 3
[accounts.low]
parent = "top"
default_of = ["{USER}"]
max_submitted_per_user = 6
[qos.normal]
max_time = "1h"
[qos.one]
max_running_per_user = 1
max_submitted = 3
max_cpus_per_user = 2
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[accounts.a]\nparent = "b"\n', "a.parent: there is no account 'b'"),
        ('[accounts.a]\nparent = "b"\n[accounts.b]\nparent = "a"\n', "a, b are in a circle"),
        ("[accounts.a]\nmax_running = 0\n", "a.max_running: 0 is not a whole number from 1"),
        ('[qos.a]\nmax_time = "soon"\n', "a.max_time: "),
        (
            "".join(f'[accounts.a{at}]\nparent = "a{at + 1}"\n' for at in range(17))
            + "[accounts.a17]\n",
            "a0.parent: there are 17 accounts above it, more than 15",
        ),
    ],
)
def test_unusable_limits_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        from_text(tmp_path, text)


@pytest.fixture
def limited() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "2x4", "--recipe", "easy", config=LIMITS)
    try:
        yield found.start()
    finally:
        found.close()


def reasons(daemon: Daemon) -> dict[int, str]:
    """Return the reasons of the jobs that wait, by number; "R" of those that run."""
    jobs = daemon.client.jobs()
    return {
        job["job_id"]: job["reason"] if job["state"] == "PENDING" else "R"
        for job in sorted(jobs, key=lambda job: int(job["job_id"]))
    }


MINUTES = f"""
[accounts.a]
members = ["{USER}"]
max_cpu_minutes = 10
[qos.small]
max_cpu_minutes = 2
"""


@pytest.fixture
def by_minutes() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "1x4", config=MINUTES)
    try:
        yield found.start()
    finally:
        found.close()


def test_a_job_may_take_so_many_processor_minutes(by_minutes: Daemon) -> None:
    def submit(*options: str) -> tuple[int, str]:
        done = by_minutes.run("rsub", "-H", *options, "--wrap", "true")
        return done.returncode, done.stderr

    assert submit("-n", "4", "-t", "2:30")[0] == submit("-q", "small", "-t", "2")[0] == 0
    assert submit("-n", "4", "-t", "3") == (
        65,
        "rsub: error: 4 processors for 00:03:00 asked for; the account 'a' allows at most 10 "
        "processor minutes of a job (AssocMaxCpuMinutesPerJobLimit)\n",
    )
    code, told = submit("-q", "small", "-t", "3")
    assert (code, "(QOSMaxCpuMinutesPerJobLimit)" in told) == (65, True)
    code, told = submit()
    assert (code, "1 processors without a limit asked for" in told) == (65, True)
    with pytest.raises(ApiError, match="AssocMaxCpuMinutesPerJobLimit"):
        by_minutes.client.update(1, {"time_limit_s": 160})
    assert "10cpu-min" in by_minutes.run("rmsd", "account").stdout


@pytest.mark.slow
def test_limits_hold_jobs_back_over_a_kill_and_a_reload(limited: Daemon) -> None:
    first = limited.emulate(3000, qos="one")
    second = limited.emulate(3000, qos="one")
    big = limited.emulate(3000, tasks=3)
    fits = limited.emulate(3000, tasks=2)
    waits = {first: "R", second: "QOSMaxJobsPerUserLimit", big: "AssocGrpCpuLimit", fits: "R"}
    wait_until(lambda: reasons(limited) == waits)
    limited.kill()
    limited.start()
    wait_until(lambda: reasons(limited) == waits)
    limited.client.cancel(first)
    wait_until(lambda: reasons(limited) == {second: "R", big: "AssocGrpCpuLimit", fits: "R"})
    reload(limited, LIMITS.replace("max_cpus = 3", "max_cpus = 6"))
    wait_until(lambda: reasons(limited) == {second: "R", big: "R", fits: "R"})
    limited.stop()
    assert limited.verdict().difference is None


@pytest.mark.slow
def test_what_limits_say_is_told(limited: Daemon) -> None:
    limited.emulate(3000, qos="one")
    waits = limited.emulate(3000, qos="one")
    text = " ".join(limited.run("rstat", "--explain", str(waits)).stdout.split())
    assert "a limit of its account or its QOS, or a license, holds it back" in text
    assert "its user has as many jobs running with its QOS as may be" in text
    assert "(account and QOS: low, one)" in text
    told = limited.client.test_submit({"emulate": {"run_s": 1}, "qos": "one"})
    assert (told["start_us"], told["no_start"]) == (None, "limit")
    listed = limited.run("rstat", "-h", "-o", "%i %r", "-t", "PD").stdout.split()
    assert listed == [str(waits), "QOSMaxJobsPerUserLimit"]


@pytest.mark.slow
def test_a_submit_beyond_a_limit_is_refused(limited: Daemon) -> None:
    site = SlurmSite(limited)
    policy = (
        "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job "
        "submit limit, user's size and/or time limits)\n"
    )
    for words, message, reason in (
        ("-t 61", "a limit of 01:01:00 asked for; the QOS 'normal' allows at most 01:00:00",
         "QOSMaxWallDurationPerJobLimit"),
        ("-n 4", "4 processors asked for; the account 'top' allows at most 3", "AssocGrpCpuLimit"),
        ("-n 3 -q one", "3 processors asked for; the QOS 'one' allows at most 2",
         "QOSMaxCpuPerUserLimit"),
        ("-a 1-4 -q one", "the QOS 'one' has 0 jobs waiting or running, and may have 3",
         "QOSGrpSubmitJobsLimit"),
        ("-a 1-7", f"the account 'low' has 0 jobs of {USER} waiting or running, and may have 6",
         "AssocMaxSubmitJobLimit"),
    ):  # fmt: skip
        done = limited.run("rsub", *words.split(), "--wrap", "true")
        assert done.returncode != 0
        assert f"{message} ({reason})" in done.stderr
        assert ("; this submit has 4 jobs; submit" in done.stderr) is ("-a 1-4" in words)
        refused = site.run("sbatch", *words.split(), "--wrap", "true")
        assert (refused.returncode, refused.stderr) == (1, f"sbatch: error: {reason}\n{policy}")
    assert limited.client.jobs(states="all") == []
    first = limited.client.job(limited.emulate(3000))
    assert first["estimate_s"] == 3600  # no longer than the QOS allows
    array = limited.emulate(3000, qos="one", array="1-3")
    with pytest.raises(ApiError, match="the QOS 'one' has 3 jobs waiting or running"):
        limited.emulate(3000, qos="one")
    limited.client.cancel(array)
    wait_until(lambda: len(limited.client.jobs()) == 1)
    held = limited.emulate(3000, qos="one", conditions={"hold": True})
    with pytest.raises(ApiError, match="5 processors asked for"):
        limited.client.update(held, {"tasks": 5})
