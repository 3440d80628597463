"""PBS's commands as processes, against a real daemon with emulated nodes and real jobs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.command_site import CommandSite
from tests.live import Daemon
from tests.typist import Typist
from tests.waiting import wait_until

_CONFIG = """\
limit_memory = false
mail = "/bin/true"
[partitions.main]
nodes = "e[1-4]"
default = true
[partitions.short]
nodes = "e[1-2]"
"""


class PbsSite(CommandSite):
    """A daemon, and the folder of PBS's commands for it."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon, "pbs-commands", "--server", f"unix:{daemon.state}/rmsd.sock")
        self.home = os.path.expanduser("~")

    def submit(self, script: str, *words: str, **env: str) -> str:
        return self.out("qsub", *words, stdin=script, **env).strip()

    def fails(self, code: int, *words: str) -> str:
        """Return what a command says that ends with this exit code."""
        done = self.run(*words)
        assert (done.returncode, done.stdout) == (code, ""), (done.returncode, done.stderr)
        return done.stderr

    def shown(self, job: str) -> dict[str, Any]:
        """Return a job's attributes."""
        told = json.loads(self.out("qstat", "-x", "-f", "-F", "json", job))
        found: dict[str, Any] = told["Jobs"][job]
        return found

    def wait_for(self, job: str, state: str) -> dict[str, Any]:
        wait_until(lambda: self.shown(job)["job_state"] == state)
        return self.shown(job)


@pytest.fixture(scope="module")
def site() -> Iterator[PbsSite]:
    daemon = Daemon("--no-local-node", "--emulate", "4x8", config=_CONFIG)
    try:
        yield PbsSite(daemon.start())
        daemon.stop()
    finally:
        daemon.close()


@pytest.mark.slow
def test_a_script_has_the_variables_and_files_of_pbs(site: PbsSite) -> None:
    script = (
        "#PBS -N vars\n#PBS -l select=2:ncpus=2:mpiprocs=3:mem=100mb\n#PBS -l place=scatter\n"
        "#PBS -v A=1,B\n#PBS -A lab\n"
        "echo $PBS_JOBID $PBS_JOBNAME $PBS_QUEUE $PBS_O_WORKDIR $PBS_ENVIRONMENT $NCPUS\n"
        "echo ${A-none} ${B-none} ${C-none}; sort $PBS_NODEFILE | uniq -c | wc -l\n"
        "wc -l < $PBS_NODEFILE; pwd; echo wrong >&2\n"
    )
    job = site.submit(script, "-q", "short", B="2", C="3")
    shown = site.wait_for(job, "F")
    assert (shown["Exit_status"], shown["queue"], shown["Account_Name"]) == (0, "short", "lab")
    assert shown["Resource_List"]["select"] == "2:ncpus=2:mem=100mb"
    assert shown["exec_host"] == "e1/0*2+e2/0*2"
    number = job.partition(".")[0]
    first, exported, nodes, lines, folder = site.read(f"vars.o{number}").splitlines()
    assert first == f"{job} vars short {site.daemon.work} PBS_BATCH 2"
    assert (exported, nodes.strip(), lines.strip(), folder) == ("1 2 none", "2", "6", site.home)
    assert site.read(f"vars.e{number}") == "wrong\n"


def test_the_whole_environment_and_joined_output(site: PbsSite) -> None:
    job = site.submit("echo $C; echo $D; echo two >&2\n", "-V", "-j", "oe", "-o", "joined", C="3")
    site.wait_for(job, "F")
    assert site.read("joined") == "3\n\ntwo\n"
    assert site.shown(job)["Join_Path"] == "oe"


def test_a_command_after_two_dashes(site: PbsSite) -> None:
    job = site.out("qsub", "-o", "said", "--", "/bin/echo", "a b", "-N").strip()
    site.wait_for(job, "F")
    assert (site.read("said"), site.shown(job)["Job_Name"]) == ("a b -N\n", "echo")


def test_an_array_and_its_subjobs(site: PbsSite) -> None:
    array = site.submit("exit $((PBS_ARRAY_INDEX - 1))\n", "-J", "1-3:2", "-N", "arr", "-j", "oe")
    assert array.endswith("[].rmsd")
    shown = site.wait_for(array, "F")
    assert (shown["Exit_status"], shown["array"]) == (1, "True")
    third = site.shown(array.replace("[]", "[3]"))
    assert (third["job_state"], third["Exit_status"], third["array_id"]) == ("X", 2, array)
    lines = site.out("qstat", "-x", "-t", array).splitlines()[2:]
    assert [line.split()[0] for line in lines] == [
        array, array.replace("[]", "[1]"), array.replace("[]", "[3]")
    ]  # fmt: skip
    number = array.partition("[")[0]
    assert (site.daemon.work / f"arr.o{number}.3").exists()


@pytest.mark.slow
def test_held_released_listed_and_deleted(site: PbsSite) -> None:
    job = site.submit("sleep 600\n", "-h", "-N", "holdme")
    assert site.wait_for(job, "H")["Hold_Types"] == "u"
    assert site.out("qstat", job).splitlines()[2].split()[:2] == [job, "holdme"]
    assert job not in site.out("qstat", "-r")
    site.out("qrls", job)
    site.wait_for(job, "R")
    user = site.shown(job)["Job_Owner"].partition("@")[0]
    assert site.out("qstat", "-u", user).splitlines()[-1].split()[0] == job
    site.out("qhold", job)  # the job runs on, and would be held if it had to wait again
    assert (held := site.shown(job))["job_state"] == "R"
    assert held["Hold_Types"] == "u"
    assert site.out("qdel", job) == ""
    assert site.wait_for(job, "F")["Exit_status"] == 265
    assert "Request invalid for state of job" in site.fails(168, "qhold", job)
    assert site.fails(35, "qdel", job) == f"qdel: Job has finished {job}\n"
    told = site.fails(35, "qstat", job)
    assert told.startswith(f"qstat: {job} Job has finished, use -x or -H")
    assert site.out("qstat", "-x", job).splitlines()[2].split()[4] == "F"


@pytest.mark.slow
def test_a_job_that_depends_on_a_failure_is_deleted(site: PbsSite) -> None:
    first = site.submit("exit 3\n", "-h")
    then = site.submit("true\n", "-W", f"depend=afterok:{first}")
    other = site.submit("true\n", "-W", f"depend=afternotok:{first}")
    assert site.shown(then)["depend"] == f"afterok:{first}@rmsd"
    assert site.wait_for(then, "H")["job_state"] == "H"
    site.out("qrls", first)
    assert site.wait_for(then, "F")["Exit_status"] == 265
    assert site.wait_for(other, "F")["Exit_status"] == 0
    assert site.shown(first)["Exit_status"] == 3


def test_a_job_that_is_waited_for(site: PbsSite) -> None:
    done = site.run("qsub", "-W", "block=true", stdin="exit 4\n")
    assert (done.returncode, done.stdout.endswith(".rmsd\n")) == (4, True)


def test_the_end_by_the_walltime(site: PbsSite) -> None:
    job = site.submit("sleep 600\n", "-l", "walltime=1")
    assert site.wait_for(job, "F")["Exit_status"] == -29


def test_errors_and_their_exit_codes(site: PbsSite) -> None:
    assert site.fails(170, "qsub", "-q", "nosuch", "--", "true") == "qsub: Unknown queue\n"
    assert site.fails(188, "qsub", "-l", "ncpus=900", "--", "true").startswith("qsub: Job violates")
    assert site.fails(1, "qsub", "nofile") == "qsub: script file:: No such file or directory\n"
    assert site.fails(153, "qstat", "999999") == "qstat: Unknown Job Id 999999.rmsd\n"
    assert site.fails(153, "qdel", "999999") == "qdel: Unknown Job Id 999999.rmsd\n"
    assert site.fails(170, "qstat", "nosuch") == "qstat: Unknown queue nosuch\n"
    assert site.fails(1, "qsub", "-I").startswith("qsub: standard input and output must be a term")
    assert site.fails(1, "qsub", "-I", "-J", "1-2").startswith("qsub: -I and -J exclude each other")
    assert site.fails(2, "qdel").startswith("usage: qdel")


def test_an_interactive_job_is_a_shell_on_a_node(site: PbsSite) -> None:
    (site.daemon.work / "asks.sh").write_text("#!/bin/sh\n#PBS -N here -l walltime=5:00\nexit 9\n")
    command = [str(site.bin / "qsub"), "-I", "-S", "/bin/sh", "asks.sh"]
    env = {**site.daemon.env, "PS1": "$ ", "TERM": "dumb"}
    with Typist(command, env, cwd=site.daemon.work) as person:
        person.wait_for("ready\r\n")
        person.type("echo $PBS_ENVIRONMENT in $PWD; stty size\r")
        person.wait_for(f"PBS_INTERACTIVE in {site.home}\r\n30 100")
        [job] = site.daemon.client.jobs(states="RUNNING")
        assert (job["name"], job["time_limit_s"], job["requeue"]) == ("here", 300, False)
        person.type("exit 3\r")
        assert person.end() == 0
        name = f"{job['job_id']}.rmsd"
        shown = person.seen()
    assert shown.startswith(f"qsub: waiting for job {name} to start\r\nqsub: job {name} ready\r\n")
    assert shown.endswith(f"qsub: job {name} completed\r\n")
    assert site.daemon.wait(job["job_id"])["exit_code"] == 3


def test_an_interactive_job_may_run_a_command(site: PbsSite) -> None:
    command = [str(site.bin / "qsub"), "-I", "--", "sh", "-c", "tty; read a; echo got $a"]
    with Typist(command, site.daemon.env, cwd=site.daemon.work) as person:
        person.wait_for("/dev/pts/")
        person.type("it\r")
        person.wait_for("got it")
        assert person.end() == 0


@pytest.mark.slow
def test_queues_and_the_server(site: PbsSite) -> None:
    lines = site.out("qstat", "-Q").splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["main", "short"]
    assert "queue_type = Execution" in site.out("qstat", "-Q", "-f", "short")
    told = json.loads(site.out("qstat", "-B", "-f", "-F", "json"))
    assert told["Server"]["rmsd"]["default_queue"] == "main"
    for command in ("qsub", "qstat", "qdel", "qhold", "qrls"):
        assert site.out(command, "--version") == "pbs_version = 23.06.06\n"
        assert site.out(command, "--help").startswith(f"usage: {command} ")


def test_a_server_that_is_not_there(site: PbsSite) -> None:
    done = site.run("qstat", RMSD_SERVER=f"unix:{site.daemon.root}/none")
    assert done.returncode == 162
    assert "qstat: cannot connect to server rmsd (errno=15010)" in done.stderr


@pytest.mark.slow
def test_mails_are_asked_for(site: PbsSite) -> None:
    shown = site.shown(site.submit("true\n", "-m", "be", "-M", "anna,otto@example.org"))
    assert (shown["Mail_Points"], shown["Mail_Users"]) == ("be", "anna,otto@example.org")
    assert site.shown(site.submit("true\n", "-M", "anna"))["Mail_Points"] == "a"
    for words in ((), ("-m", "n"), ("-m", "be", "-M", "$USER@x")):
        assert site.shown(site.submit("true\n", *words))["Mail_Points"] == "n"
    assert "illegal -m value" in site.fails(2, "qsub", "-m", "z", "--", "/bin/true")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["qsub", "qstat", "qdel", "qhold", "qrls"])
def test_a_mode_that_is_none_is_an_error(site: PbsSite, command: str) -> None:
    done = site.run(command, RMSD_PBS="foo")
    error = f"{command}: RMSD_PBS is 'foo': it must be strict or lenient, or not be set\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", error)
