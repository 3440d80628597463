"""Slurm's commands as processes, with a real daemon and its jobs: what real clients say, and the
answers that they look for.
"""

from __future__ import annotations

import getpass
import json
import re

import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until

USER = getpass.getuser()
_NO_PARTITION = (
    "sbatch: error: invalid partition specified: nosuch\n"
    "sbatch: error: Batch job submission failed: Invalid partition name specified\n"
)


def test_a_script_is_a_file_with_directives_and_arguments(site: SlurmSite) -> None:
    script = site.write(
        "job.sh",
        '#!/bin/bash\n#SBATCH -J "two words" -o "out put-%J.txt" --comment=x # a comment\n'
        "#SBATCH --wckey=w --mail-type=ALL --hint=nomultithread\n\n"
        "echo $SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_SUBMIT_DIR $1 $2\n#SBATCH -n 99\n",
    )
    done = site.run("sbatch", script, "-n", "7")
    assert (done.returncode, done.stderr) == (0, "")
    match = re.fullmatch(r"Submitted batch job (\d+)\n", done.stdout)
    assert match is not None
    assert site.wait(match[1]) == "COMPLETED"
    wanted = f"{match[1]} two words {site.daemon.work} -n 7\n"
    assert site.read(f"out put-{match[1]}.txt") == wanted
    assert site.job(match[1])["tasks"] == 1


@pytest.mark.parametrize("words", [(), ("/dev/stdin",)])
def test_a_script_may_come_on_standard_input(site: SlurmSite, words: tuple[str, ...]) -> None:
    job = site.submit("-o", "in-%j", *words, stdin="#!/bin/sh\n#SBATCH -t 3\necho here\n")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"in-{job}") == "here\n"
    assert site.job(job)["time_limit_s"] == 180


def test_the_command_line_wins_over_variables_and_these_over_directives(site: SlurmSite) -> None:
    script = site.write("three.sh", "#!/bin/sh\n#SBATCH -t 1 -n 2 -J script\ntrue\n")
    env = {"SBATCH_TIMELIMIT": "2", "SBATCH_JOB_NAME": "variable"}
    job = site.job(site.submit("--job-name", "typed", script, **env))
    assert (job["time_limit_s"], job["tasks"], job["name"]) == (120, 2, "typed")


def test_mails_are_asked_for(site: SlurmSite) -> None:
    script = site.write("mail.sh", "#!/bin/sh\n#SBATCH --mail-type=fail,end,TIME_LIMIT_90\ntrue\n")
    job = site.submit("--mail-user", "anna@example.org", script)
    shown = site.out("scontrol", "show", "job", job)
    assert "MailUser=anna@example.org MailType=END,FAIL,TIME_LIMIT_90" in shown
    own = site.submit(script)
    assert f"MailUser={USER} MailType=END,FAIL,TIME_LIMIT_90" in site.out(
        "scontrol", "show", "job", own
    )
    done = site.run("sbatch", "--parsable", "--mail-user=$USER@example.org", script)
    assert done.stderr == (
        "sbatch: warning: --mail-user=$USER@example.org is no address; no mail is sent\n"
    )
    assert "Mail" not in site.out("scontrol", "show", "job", done.stdout.strip())
    wrong = site.run("sbatch", "--mail-type=LUNCH", script)
    assert (wrong.returncode, wrong.stdout) == (255, "")
    assert wrong.stderr.startswith("sbatch: error: Invalid --mail-type specification ('LUNCH'")


def test_limits_of_the_shell_are_propagated(site: SlurmSite) -> None:
    shown = "ulimit -S -n; ulimit -S -s"
    script = site.write("limits.sh", f"#!/bin/bash\n#SBATCH --propagate=STACK -o %j\n{shown}\n")
    own = site.out("bash", "-c", shown)
    for words, limits in (
        ("--propagate", ["123", "4096"]),
        ("--propagate=NOFILE", ["123", own.split()[1]]),
        ("", [own.split()[0], "4096"]),
    ):
        done = site.out(
            *("bash", "-c", f"ulimit -S -n 123 -s 4096; sbatch --parsable {words} {script}")
        )
        assert site.wait(done.strip()) == "COMPLETED"
        assert site.read(done.strip()).split() == limits
    wrong = site.run("sbatch", "--propagate=CORES", script)
    assert wrong.returncode == 255
    assert wrong.stderr.startswith("sbatch: error: Invalid --propagate specification ('CORES' is")


def test_the_environment_follows_export(site: SlurmSite) -> None:
    script = site.write("env.sh", "#!/bin/sh\necho ${A:-none} ${B:-none} $(command -v srun)\n")
    for export, wanted in (
        ("ALL", f"1 2 {site.bin}/srun\n"),
        ("NONE", f"none none {site.bin}/srun\n"),
        ("A,C=3", f"1 none {site.bin}/srun\n"),
    ):
        job = site.submit("-o", "env-%j", f"--export={export}", script, A="1", B="2")
        assert site.wait(job) == "COMPLETED"
        assert site.read(f"env-{job}") == wanted


def test_output_is_appended_if_that_is_asked_for(site: SlurmSite) -> None:
    site.write("kept", "before\n")
    options = ("-o", "kept", "--wrap", "echo after")
    assert site.wait(site.submit("--open-mode=append", *options)) == "COMPLETED"
    assert site.read("kept") == "before\nafter\n"
    assert site.wait(site.submit(*options)) == "COMPLETED"
    assert site.read("kept") == "after\n"


def test_a_file_may_be_the_standard_input_of_the_script(site: SlurmSite) -> None:
    site.write("words", "some words\n")
    job = site.submit("-i", "words", "-o", "cat-%j", "--wrap", "cat")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"cat-{job}") == "some words\n"


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (("-p", "nosuch", "--wrap", "true"), 1, _NO_PARTITION),
        (("--nosuch",), 255, "sbatch: unrecognized option '--nosuch'\n"
         'Try "sbatch --help" for more information\n'),
        (("nosuch.sh",), 1, "sbatch: error: Unable to open file nosuch.sh\n"),
        (("--mem", "9T", "--wrap", "true"), 1,
         "sbatch: error: Memory specification can not be satisfied\nsbatch: error: Batch job "
         "submission failed: Requested node configuration is not available (...)\n"),
        (("-p", "short", "-t", "3-0", "--wrap", "true"), 1, "sbatch: error: Batch job submission "
         "failed: Requested time limit is invalid (missing or exceeds some limit) (...)\n"),
        (("-C", "haswell", "--wrap", "true"), 1,
         "sbatch: error: Batch job submission failed: Invalid feature specification (...)\n"),
        (("--gres=tpu:1", "--mem=100", "--wrap", "true"), 1, "sbatch: error: Batch job submission "
         "failed: Invalid generic resource (gres) specification (...)\n"),
        (("-w", "e9", "--wrap", "true"), 1,
         "sbatch: error: Batch job submission failed: Invalid node name specified (...)\n"),
        (("-N", "9", "--mem=100", "--wrap", "true"), 1, "sbatch: error: Batch job submission "
         "failed: Requested node configuration is not available (...)\n"),
        (("-n", "99", "--wrap", "true"), 1, "sbatch: error: Batch job submission failed: "
         "Requested node configuration is not available (...)\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_submitted_is_told_in_slurms_words(
    site: SlurmSite, words: tuple[str, ...], code: int, text: str
) -> None:
    done = site.run("sbatch", *words)
    told = re.sub(r"(?<= )\([^()]+asked for; .+\)$", "(...)", done.stderr, flags=re.MULTILINE)
    assert (done.returncode, done.stdout, told) == (code, "", text)


def test_srun_and_salloc_tell_of_refusals_in_slurms_words(site: SlurmSite) -> None:
    for program in ("srun", "salloc"):
        done = site.run(program, "-C", "haswell", "true")
        assert done.returncode == 1
        assert done.stderr.startswith(
            f"{program}: error: Unable to allocate resources: Invalid feature specification ("
        )
        assert "on nodes with feature 'haswell'" in done.stderr


def test_a_file_that_is_no_script_is_refused(site: SlurmSite) -> None:
    done = site.run("sbatch", site.write("text", "no script\n"))
    assert done.returncode == 1
    assert done.stderr.startswith("sbatch: error: This does not look like a batch script.  The")
    assert len(done.stderr.splitlines()) == 3


def test_an_option_that_changes_the_job_is_an_error_unless_lenient(site: SlurmSite) -> None:
    words = ("sbatch", "--parsable", "--tmp=9", "--wrap", "true")
    refused = site.run(*words)
    assert refused.returncode == 1
    assert "--tmp" in refused.stderr
    passed = site.run(*words, RMSD_SLURM="lenient")
    assert passed.returncode == 0
    assert "--tmp" in passed.stderr
    strict = site.run("sbatch", "--wckey=w", "--wrap", "true", RMSD_SLURM="strict")
    assert strict.returncode == 1
    assert strict.stderr == (
        "sbatch: error: --wckey has no effect here, which is an error with RMSD_SLURM=strict; "
        "remove it\n"
    )


def test_an_exclusive_job_has_all_processors_of_its_nodes(site: SlurmSite) -> None:
    job = site.submit("--exclusive", "-o", "whole-%j", "--wrap", "echo $SLURM_CPUS_ON_NODE")
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"whole-{job}") == "8\n"
    refused = site.run("sbatch", "--exclusive=user", "--wrap", "true")
    assert (refused.returncode, "--exclusive" in refused.stderr) == (255, True)
    request = site.job(site.submit("--exclusive", "-H", "-n", "9", "-c", "2", "--wrap", "true"))
    [component] = request["request"]
    assert (component["exclusive"], component["units"], component["cores"]) == (True, 9, 2)


def test_nodes_are_named_and_excluded(site: SlurmSite) -> None:
    named = site.submit("-w", "e3", "-o", "on-%N-%j", "--wrap", "srun -w e3 hostname")
    other = site.submit("-H", "-x", "e[1-3]", "--wrap", "true")
    assert site.wait(named) == "COMPLETED"
    assert (site.daemon.work / f"on-e3-{named}").exists()
    assert site.out("squeue", "-h", "-o", "%n|%x", "-j", other) == "|e[1-3]\n"
    site.out("scontrol", "release", other)
    assert site.wait(other) == "COMPLETED"
    assert site.out("sacct", "-X", "-n", "-P", "-o", "NodeList", "-j", other) == "e4\n"


def test_wait_ends_with_the_exit_code_of_the_job(site: SlurmSite) -> None:
    assert site.run("sbatch", "--wait", "--wrap", "exit 6").returncode == 6


@pytest.mark.slow
def test_a_job_from_its_queue_to_its_end(site: SlurmSite) -> None:
    job = site.submit("-J", "life", "--hold", "--comment", "a b", "-A", "lab", "--wrap", "exit 5")
    for words in (
        ("squeue", "-h", "-o", "%i %t", "-t", "all", "-p", "main", "-u", USER),
        ("squeue", "--noheader", "--format=%i %t", "--job", job),
        ("squeue", "--me", "-h", "-o", "%i %t", job),
    ):
        assert f"{job} PD\n" in site.out(*words)
    sacct = ("sacct", "-X", "--noheader", "--format=jobid,state%20", "--job", job)
    assert site.out(*sacct).split() == [job, "PENDING"]
    assert site.out("squeue", "-h", "-j", job, "-o", "%r|%R|%a|%k") == (
        "JobHeldUser|(JobHeldUser)|lab|a b\n"
    )
    assert site.out("scontrol", "release", job) == ""
    assert site.wait(job) == "FAILED"
    lines = site.out("squeue", "-O", "JobArrayID,StateCompact,Reason", "-t", "all", "--me")
    rows = [line.split() for line in lines.splitlines()]
    assert rows[0] == ["JOBID", "ST", "REASON"]
    assert [job, "F", "NonZeroExitCode"] in rows
    assert all(len(row) == 3 for row in rows)
    assert site.out("squeue", "-h", "-j", f"{job},{job}") == ""
    rows_of_job = site.out("sacct", "-P", "-n", "-o", "JobID,JobName,ExitCode", "-j", job)
    assert rows_of_job == f"{job}|life|5:0\n{job}.batch|batch|5:0\n"


def test_sacct_pads_and_cuts_as_slurm_does(site: SlurmSite) -> None:
    job = site.submit("-J", "a-long-name-of-a-job", "--wrap", "true")
    assert site.wait(job) == "COMPLETED"
    lines = site.out("sacct", "-X", "-j", job).splitlines()
    assert lines[0] == (
        "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode "
    )
    assert lines[1] == (
        "------------ ---------- ---------- ---------- ---------- ---------- -------- "
    )
    assert lines[2] == f"{job:<12} a-long-na+       main {'':10} {'1':>10}  COMPLETED      0:0 "
    assert site.out("sacct", "-n", "-X", "-j", job, "-o", "nodelist%-12") == f"{'e1':<12} \n"


def test_unknown_jobs(site: SlurmSite) -> None:
    one = site.run("squeue", "-j", "999999")
    assert (one.returncode, one.stderr) == (1, "slurm_load_jobs error: Invalid job id specified\n")
    two = site.run("squeue", "-h", "-j", "999999,999998")
    assert (two.returncode, two.stdout, two.stderr) == (0, "", "")
    assert site.out("sacct", "-n", "-j", "999999.0", "--format=Reason") == ""
    silent = site.run("scancel", "999999")
    assert (silent.returncode, silent.stdout, silent.stderr) == (0, "", "")
    loud = site.run("scancel", "-v", "999999")
    assert (loud.returncode, loud.stderr) == (
        0,
        "scancel: Terminating job 999999\nscancel: error: Kill job error on job id 999999: "
        "Invalid job id specified\n",
    )
    word = site.run("scancel", "xyz")
    assert (word.returncode, word.stderr) == (1, "scancel: error: Invalid job id xyz\n")
    shown = site.run("scontrol", "show", "job", "999999")
    assert shown.stderr == "slurm_load_jobs error: Invalid job id specified\n"
    again = site.run("scontrol", "requeue", "999999")
    assert (again.returncode, again.stderr) == (1, "Invalid job id specified for job 999999\n")


def test_a_cancelled_job_names_who_cancelled_it(site: SlurmSite) -> None:
    job = site.submit("--wrap", "sleep 600")
    site.wait_for(job, "RUNNING")
    assert site.out("scancel", "-Q", job) == ""
    assert re.fullmatch(r"CANCELLED by \d+", site.wait(job))
    done = site.run("scancel", job)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_job_that_is_cancelled_while_it_waits_starts_when_it_ends(site: SlurmSite) -> None:
    held = site.submit("-H", "--wrap", "true")
    site.out("scancel", held)
    shown = site.out("scontrol", "show", "job", held)  # HyperQueue reads both as times
    found = re.search(r"StartTime=(\S+) EndTime=(\S+)", shown)
    assert found is not None
    assert found[1] == found[2] != "Unknown"


def test_formats_keep_what_is_no_letter(site: SlurmSite) -> None:
    job = site.submit("--hold", "--wrap", "true")
    assert site.out("squeue", "-h", "-j", job, "-o", r"%i\x1f%j;'%u'%%") == (
        rf"{job}\x1fwrap;'{USER}'%" "\n"
    )
    named = site.out("squeue", "-h", "-j", job, "-O", "JobID:\x1f,Name:6,State:.10,UserName:\x1f")
    assert named == f"{job}\x1fwrap     PENDING{USER}\x1f\n"
    site.out("scancel", job)


def test_json_is_that_of_the_stated_version(site: SlurmSite) -> None:
    job = site.submit("--hold", "-t", "7", "-J", "js", "--wrap", "true")
    for words in (("squeue", "--json", "-j", job), ("scontrol", "show", "job", job, "--json")):
        told = json.loads(site.out(*words))
        assert told["meta"]["Slurm"]["release"] == "22.05.8"
        [shown] = told["jobs"]
        assert (shown["job_id"], shown["job_state"], shown["time_limit"]) == (
            int(job), "PENDING", 7,
        )  # fmt: skip
    [accounted] = json.loads(site.out("sacct", "--json", "-j", job))["jobs"]
    assert accounted["state"] == {"current": "PENDING", "reason": "JobHeldUser"}
    nodes = json.loads(site.out("sinfo", "--json"))["nodes"]
    assert [node["cpus"] for node in nodes] == [8] * 4
    site.out("scancel", job)


def test_an_array_from_its_submit_to_its_end(site: SlurmSite) -> None:
    script = site.write(
        "array.sh",
        "#!/bin/sh\n#SBATCH --array 1-3%2\n"
        "while [ ! -e go-$SLURM_ARRAY_JOB_ID ]; do sleep 0.1; done\n"
        "echo $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN-"
        "$SLURM_ARRAY_TASK_MAX $SLURM_JOB_ID\nexit $((SLURM_ARRAY_TASK_ID / 3))\n",
    )
    array = site.submit("-o", "%A_%a.out", script)
    wait_until(lambda: site.out("squeue", "-h", "-o", "%t", "-j", f"{array}_2") == "R\n")
    ids = site.out("squeue", "-h", "-o", "%i %F %K", "-j", array).split("\n")
    assert sorted(ids[:-1]) == [
        f"{array}_1 {array} 1", f"{array}_2 {array} 2", f"{array}_[3%2] {array} 3%2",
    ]  # fmt: skip
    apart = site.out("squeue", "-h", "-r", "-o", "%i", "-j", array).split()
    assert sorted(apart) == [f"{array}_{index}" for index in (1, 2, 3)]
    shown = site.out("sacct", "-n", "-P", "-X", "-o", "JobID,State", "-j", array).split()
    assert shown == [f"{array}_1|RUNNING", f"{array}_2|RUNNING", f"{array}_[3%2]|PENDING"]
    assert site.out("scancel", f"{array}_2") == ""
    site.write(f"go-{array}", "")
    ended = re.compile(r"COMPLETED|FAILED|CANCELLED by")
    wait_until(lambda: len(ended.findall(site.state(array))) == 3)
    states = site.out("sacct", "-n", "-P", "-X", "-o", "JobID,State", "-j", array).splitlines()
    assert states[0] == f"{array}_1|COMPLETED"
    assert states[1].startswith(f"{array}_2|CANCELLED by ")
    assert states[2] == f"{array}_3|FAILED"
    assert site.read(f"{array}_1.out").startswith("1 of 3 1-3 ")
    rows = site.out("squeue", "-h", "-t", "all", "-o", "%i %t", "-j", array).split("\n")[:-1]
    assert sorted(rows) == [f"{array}_1 CD", f"{array}_2 CA", f"{array}_3 F"]


def test_the_site_as_scontrol_and_sinfo_show_it(site: SlurmSite) -> None:
    config = site.out("scontrol", "show", "config")
    assert re.search(r"^MinJobAge +\= 300 sec$", config, re.MULTILINE)
    assert re.search(r"^MaxArraySize +\= \d+$", config, re.MULTILINE)
    assert re.search(r"^PropagateResourceLimits +\= ALL$", config, re.MULTILINE)
    assert "main*" in site.out("sinfo", "-h", "-o", "%P").split()
    assert site.out("scontrol", "show", "hostnames", "n[1-2],h") == "n1\nn2\nh\n"
    assert site.out("scontrol", "show", "hostnames", SLURM_NODELIST="e[3-4]") == "e3\ne4\n"
    empty = site.run("scontrol", "show", "hostnames")
    assert (empty.returncode, empty.stderr) == (0, "scontrol: error: host list is empty\n")
    node = site.out("scontrol", "-o", "show", "node", "e1")
    assert node.startswith("NodeName=e1 ")
    assert " CPUTot=8 " in node
    assert site.out("sinfo", "-h", "-N", "-n", "e2", "-o", "%N|%c|%P").startswith("e2|8|main*\n")


@pytest.mark.slow
def test_a_waiting_job_is_updated(site: SlurmSite) -> None:
    job = site.submit("-H", "-t", "10", "--wrap", "true")
    site.out("scontrol", "update", f"JobId={job}", "TimeLimit=30", "Comment=more", "JobName=new")
    changed = site.job(job)
    assert (changed["time_limit_s"], changed["comment"], changed["name"]) == (1800, "more", "new")
    done = site.run(
        "scontrol", "update", f"jobid={job}", "timelimit-=5", "nice=3", "priority=0", "wckey=x"
    )
    assert (done.returncode, done.stderr) == (
        0,
        "scontrol: warning: wckey=x has no effect here\n",
    )
    assert (site.job(job)["time_limit_s"], site.job(job)["nice"]) == (1500, 3)
    assert site.out("squeue", "-h", "-j", job, "-o", "%y") == "3\n"
    assert " Nice=3 " in site.out("scontrol", "-o", "show", "job", job)
    for text, limit_s in (("=+5", 1800), ("=-10", 1200), ("+=1", 1260)):
        site.out("scontrol", "update", f"JobId={job}", f"TimeLimit{text}")
        assert site.job(job)["time_limit_s"] == limit_s
    for pair in ("Shared=1", "QOS=high", "Account=lab", "MailUser=ann"):
        refused = site.run("scontrol", "update", f"JobId={job}", pair)
        assert refused.returncode == 1
        assert refused.stderr.startswith(f"Update of this parameter is not supported: {pair}\n")
    site.out("scancel", job)


def test_a_change_that_is_refused_says_why(site: SlurmSite) -> None:
    array = site.submit("-H", "-a", "1-2", "--wrap", "true")
    done = site.run("scontrol", "update", f"JobId={array}_1", "TimeLimit=3")
    assert done.returncode == 1
    assert f"job {array}_1 is a task of an array, which cannot be changed" in done.stderr
    job = site.submit("--wrap", "sleep 600")
    site.wait_for(job, "RUNNING")
    done = site.run("scontrol", "update", f"JobId={job}", "NumTasks=2")
    assert done.returncode == 1
    assert done.stderr == f"Job is no longer pending execution for job {job}\n"
    site.out("scancel", array, job)


def test_accounting_answers_and_has_no_accounts(site: SlurmSite) -> None:
    assert site.out("sshare", "-U", "--format", "Account%256", "--noheader") == ""
    listed = site.out("sacctmgr", "-n", "-s", "list", "user", USER, "format=account%256")
    assert listed.strip() == ""
    piped = site.run("sacct", "-nu", USER, "-o", "Account%256", "|", "tail", "-1")
    assert piped.returncode == 1


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_failed_job_is_requeued_and_keeps_its_number(site: SlurmSite) -> None:
    job = site.submit("-o", "failed-%j", "--wrap", "exit $((3 - 3 * SLURM_RESTART_COUNT))")
    assert site.wait(job) == "FAILED"
    assert site.out("scontrol", "requeue", job) == ""
    assert site.wait(job) == "COMPLETED"
    assert "Restarts=1 " in site.out("scontrol", "show", "job", job)


def test_a_job_requeues_itself_and_keeps_its_number_and_output(site: SlurmSite) -> None:
    job = site.submit(
        "--requeue", "--open-mode=append", "-o", "again-%j", "--wrap",
        'echo life ${SLURM_RESTART_COUNT:-0}; if [ -z "$SLURM_RESTART_COUNT" ]; then '
        "srun sh -c \"trap : TERM; scontrol requeue $SLURM_JOB_ID; echo code \\$? > code\"; "
        "sleep 600; fi",
    )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"again-{job}").splitlines()[0] == "life 0"
    assert site.read(f"again-{job}").splitlines()[-1] == "life 1"
    assert site.read("code") == "code 0\n"


def test_test_only_tells_when_a_job_would_start(site: SlurmSite) -> None:
    before = len(site.daemon.client.jobs(states="all"))
    done = site.run("sbatch", "--test-only", "-p", "short", "-n", "2", "--wrap", "true")
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(
        r"sbatch: Job \d+ to start at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d using 2 processors "
        r"on nodes e[12] in partition short\n",
        done.stderr,
    )
    never = site.run("sbatch", "--test-only", "-N", "9", "--wrap", "true")
    assert never.returncode == 1
    assert never.stderr.startswith(
        "allocation failure: Requested node configuration is not available (the request can never "
    )
    assert len(site.daemon.client.jobs(states="all")) == before
