"""Variables and options of Slurm's commands, as recorded of Slurm 22.05.8: other clusters, formats
of times, exit codes, lists."""

from __future__ import annotations

import os
import re
import time

import pytest

from rmsd_client.slurm.sinfo import BY_LETTER as NODE_LETTERS
from rmsd_client.slurm.sinfo import NodeGroup, sorted_by
from rmsd_client.slurm.words.times import stamp
from tests.client.slurm.site import SlurmSite

_SLEEP = ("-o", "/dev/null", "--wrap", "exec sleep 1000")


def _not_here(program: str, origin: str = "--cluster") -> str:
    return (
        f"{program}: error: No cluster 'other' known by database.\n"
        f"{program}: error: 'other' can't be reached now, or it is an invalid entry for {origin}.  "
        "Use 'sacctmgr list clusters' to see available clusters.\n"
    )


def test_nothing_of_this_cluster_is_done_for_another_one(site: SlurmSite) -> None:
    """`scancel -M other 12` cancelled job 12 of this cluster."""
    job = site.submit("-H", *_SLEEP)
    for words in (("squeue",), ("scancel", job), ("scontrol", "hold", job), ("sinfo",),
                  ("sprio",), ("sshare",), ("sdiag",), ("sbatch", "--wrap", "true")):  # fmt: skip
        done = site.run(words[0], "-M", "other", *words[1:])
        assert (done.returncode, done.stdout, done.stderr) == (1, "", _not_here(words[0]))
    for words in (("squeue",), ("scancel", job), ("sinfo",)):
        done = site.run(*words, SLURM_CLUSTERS="other")
        assert (done.returncode, done.stderr) == (1, _not_here(words[0], "SLURM_CLUSTERS"))
    assert site.state(job) == "PENDING"
    assert site.out("sacct", "-n", "-X", "-M", "other", "-j", job) == ""
    done = site.run("squeue", "-M", "rmsd,other", "-j", job, "-o", "%i")
    assert (done.returncode, done.stdout) == (0, f"CLUSTER: rmsd\nJOBID\n{job}\n")
    assert done.stderr == "squeue: error: No cluster 'other' known by database.\n"
    assert site.out("squeue", "-h", "-M", "all", "-j", job, "-o", "%i") == f"{job}\n"
    assert site.out("sinfo", "-M", "RMSD").startswith("CLUSTER: rmsd\nPARTITION ")
    site.out("scancel", "-M", "rmsd", job)


@pytest.mark.parametrize(
    ("chosen", "days", "form"),
    [
        ("", 0, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"),
        ("standard", 0, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"),
        ("%s", 0, r"\d{10}"),
        ("relative", 0, r"\d\d:\d\d:\d\d"),
        ("relative", 1, r"Tomorr \d\d:\d\d"),
        ("relative", -1, r"Ystday \d\d:\d\d"),
        ("relative", 3, r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d\d:\d\d"),
        ("relative", 900, r"\d{1,2} [A-Z][a-z]{2} \d{4}"),
    ],
)
def test_times_have_the_format_of_a_variable(
    monkeypatch: pytest.MonkeyPatch, chosen: str, days: int, form: str
) -> None:
    now = time.localtime(1_800_000_000)  # in the middle of a month, and of a year's days
    monkeypatch.setattr(time, "localtime", lambda s=None, real=time.localtime: now if s is None
                        else real(s))  # fmt: skip
    monkeypatch.setenv("SLURM_TIME_FORMAT", chosen)
    assert re.fullmatch(form, stamp((1_800_000_000 + days * 86400) * 1_000_000))
    assert stamp(None) == "Unknown"


def test_all_commands_follow_the_format_of_times(site: SlurmSite) -> None:
    job = site.submit("-H", *_SLEEP)
    own = {"SLURM_TIME_FORMAT": "%s"}
    submitted = str(site.job(job)["submit_us"] // 1_000_000)
    assert site.out("squeue", "-h", "-j", job, "-o", "%V", **own).strip() == submitted
    assert site.out("sacct", "-n", "-X", "-j", job, "-o", "Submit", **own).strip() == submitted
    assert f"SubmitTime={submitted} " in site.out("scontrol", "show", "job", job, **own)
    site.out("scancel", job)


def test_errors_of_commands_are_told_from_those_of_programs(site: SlurmSite) -> None:
    own = {"SLURM_EXIT_ERROR": "77", "SLURM_EXIT_IMMEDIATE": "66"}
    for code, words in (
        (255, ("sbatch", "--nosuch")),
        (77, ("sbatch", "-p", "nosuch", "--wrap", "true")),
        (77, ("sbatch", "nosuch.sh")),
        (77, ("srun", "-p", "nosuch", "true")),
        (66, ("srun", "-I1", "-b", "now+1hour", "true")),
        (66, ("salloc", "-I1", "-b", "now+1hour", "true")),
        (3, ("srun", "sh", "-c", "exit 3")),
    ):
        assert site.run(*words, **own).returncode == code, words


def test_srun_tells_when_its_job_would_start(site: SlurmSite) -> None:
    before = {job["job_id"] for job in site.daemon.client.jobs()}  # some end meanwhile
    done = site.run("srun", "--test-only", "-n", "2", "true")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(
        r"srun: Job \d+ to start at \S+ using 2 processors on nodes e\d in partition main\n",
        done.stderr,
    )
    assert {job["job_id"] for job in site.daemon.client.jobs()} <= before
    done = site.run("srun", "--test-only", "-p", "nosuch", "true")
    assert (done.returncode, done.stdout) == (1, "")


def test_mpi_of_a_variable_is_no_surprise(site: SlurmSite) -> None:
    """Each task of an MPI program would believe to be the only one."""
    done = site.run("srun", "true", SLURM_MPI_TYPE="pmix_v4")
    assert done.returncode == 1
    assert "mpirun starts MPI programs" in done.stderr


def test_variables_choose_what_lists_show(site: SlurmSite) -> None:
    job = site.submit("-H", "-L", "matlab:2", "-a", "1-2", *_SLEEP)
    listed = ("squeue", "-h", "-o", "%i")
    assert site.out(*listed, SQUEUE_LICENSES="matlab").split() == [f"{job}_[1-2]"]
    assert site.out(*listed, SQUEUE_LICENSES="matlab", SQUEUE_ARRAY="1").split() == [
        f"{job}_1", f"{job}_2",
    ]  # fmt: skip
    assert site.run("scancel", "-u", "root", SCANCEL_QOS="nosuch").returncode == 0
    assert site.state(job) == "PENDING"
    site.out("scancel", job)


def test_a_job_has_its_dependency_and_not_that_of_the_job_around_it(site: SlurmSite) -> None:
    first = site.submit("-o", "/dev/null", "--wrap", "true")
    script = site.write(
        "inner.sh", "#!/bin/sh\necho ${SLURM_JOB_DEPENDENCY-none}\n[ $1 ] || sbatch -W $0 inner\n"
    )
    job = site.submit("-o", "outer-%j", "-d", f"afterany:{first}", script)
    assert site.wait(job) == "COMPLETED"
    told, inner = site.read(f"outer-{job}").splitlines()
    assert told == f"afterany:{first}"
    assert site.read(f"slurm-{inner.split()[-1]}.out") == "none\n"


def test_lists_of_nodes_are_sorted(site: SlurmSite) -> None:
    assert site.out("sinfo", "-h", "-N", "-p", "main", "-S", "-N", "-o", "%N").split() == [
        "e4", "e3", "e2", "e1",
    ]  # fmt: skip
    assert site.out("sinfo", "-h", "-o", "%R", SINFO_SORT="-P").split() == ["short", "main"]
    assert site.out("sinfo", "-h", "-S", "x,#P", "-o", "%R").split() == ["main", "short"]


def test_nodes_are_sorted_by_the_numbers_in_their_names() -> None:
    groups = [NodeGroup(None, [{"name": f"n{at}"}]) for at in (10, 9, 1)]  # type: ignore[arg-type]
    found = sorted_by(groups, "N")
    assert [NODE_LETTERS["N"].show(one) for one in found] == ["n1", "n9", "n10"]


def test_sacct_chooses_jobs_by_what_few_ask_for(site: SlurmSite) -> None:
    """-C, -g, -k and others were passed over, and jobs were shown that were not meant. What -k and
    -K mean together and alone was recorded of Slurm."""
    ten = site.submit("-H", "-t", "10", "-C", "emulated", "--wrap", "true")
    three = site.submit("-H", "-t", "3", "--wrap", "true")
    for words, jobs in (
        (("-k", "5"), []),
        (("-k", "10"), [ten]),
        (("-k", "5", "-K", "20"), [ten]),
        (("-k", "2", "-K", "5"), [three]),
        (("-K", "5"), [ten, three]),
        (("-C", "emulated"), [ten]),
        (("-C", "emulated,nosuch"), []),
        (("-F", "startrecieved"), [ten, three]),
        (("-F", "SchedBackfill"), []),
        (("-g", str(os.getgid())), [ten, three]),
        (("--group", str(os.getgid() + 1)), []),
        (("-W", "key"), []),
        (("-x", "7"), []),
        (("-W", ""), [ten, three]),
    ):
        asked = ("sacct", "-X", "-n", "-P", "-o", "JobID", "-j", f"{ten},{three}")
        assert site.out(*asked, *words).split() == jobs, words
    assert "Invalid time limit" in site.run("sacct", "-k", "abc").stderr
    assert site.run("sacct", "-g", "no such").stderr == "sacct: error: Invalid group id: no such\n"
    assert site.out("sshare", "-a", "-n", "-P", "-A", "nosuch", "-o", "Account") == ""
    site.out("scancel", ten, three)


@pytest.mark.live
def test_a_job_has_the_umask_of_its_submit(site: SlurmSite) -> None:
    wrapped = r"umask; touch made; umask 077; srun sh -c \'umask; echo $SLURM_UMASK\'"
    words = f"umask 027; sbatch --parsable -o umask-%j --wrap $'{wrapped}'"
    job = site.out("bash", "-c", words).strip()
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"umask-{job}").split() == ["0027", "0077", "0077"]
    modes = [(site.daemon.work / name).stat().st_mode & 0o777 for name in (f"umask-{job}", "made")]
    assert modes == [0o640, 0o640]
