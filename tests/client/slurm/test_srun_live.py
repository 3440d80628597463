"""`srun`, `salloc` and the steps of jobs, as processes, with a real daemon."""

from __future__ import annotations

import re

import pytest

from rmsd_wire.hostlist import expand
from tests.client.slurm.site import SlurmSite
from tests.typist import Typist
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def test_srun_runs_the_tasks_of_a_job(site: SlurmSite) -> None:
    script = site.write(
        "step.sh",
        "#!/bin/bash\n#SBATCH -n 4 -N 2 -o step-%j\n"
        "srun -l bash -c 'echo $SLURM_PROCID $SLURM_NTASKS $SLURMD_NODENAME $SLURM_STEP_NODELIST'\n"
        "unset ${!SLURM_@} ${!RMS_@}; export SLURM_JOB_ID=$0id\n",
    )
    job = site.submit(script)
    assert site.wait(job) == "COMPLETED"
    rows = sorted(site.read(f"step-{job}").splitlines())
    assert [row.split()[:3] for row in rows] == [[f"{i}:", str(i), "4"] for i in range(4)]
    nodes = [row.split()[3] for row in rows]
    assert nodes[0] == nodes[1] != nodes[2] == nodes[3]


def test_srun_finds_its_job_by_the_number_alone(site: SlurmSite) -> None:
    job = site.submit(
        "-o", "alone-%j", "--wrap",
        "id=$SLURM_JOB_ID; env -i PATH=$PATH RMSD_SERVER=$RMSD_SERVER SLURM_JOB_ID=$id "
        "srun -n1 --cpu-bind=q --cpus-per-task=1 --nodes=1 sh -c 'echo in $SLURM_JOB_ID'",
    )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    assert site.read(f"alone-{job}") == f"in {job}\n"


def test_srun_writes_files_and_tells_of_failures(site: SlurmSite) -> None:
    job = site.submit(
        "-n", "2", "-o", "told-%j", "--wrap",
        "srun --unbuffered --output %j_%t.out --error %j_%t.err sh -c "
        "'echo out; echo err >&2; exit $SLURM_PROCID'; echo code $?; srun -n 9 true; echo $?",
    )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    for rank in (0, 1):
        assert site.read(f"{job}_{rank}.out") == "out\n"
        assert site.read(f"{job}_{rank}.err") == "err\n"
    told = site.read(f"told-{job}").splitlines()
    assert re.fullmatch(r"srun: error: e\d: task 1: Exited with exit code 1", told[0])
    assert told[1] == "code 1"
    many = f"srun: error: Unable to create step for job {job}: More processors requested than"
    assert told[2:] == [f"{many} permitted", "1"]


@pytest.mark.slow
def test_srun_passes_its_standard_input_to_the_tasks(site: SlurmSite) -> None:
    site.write("part.sh", "echo one $SLURM_PROCID\necho two\n")
    job = site.submit(
        "-n", "2", "-o", "fed-%j", "--wrap", "srun -n1 sh -s < part.sh; srun -l cat < part.sh"
    )
    assert site.wait(job) == "COMPLETED"
    lines = site.read(f"fed-{job}").splitlines()
    text = site.read("part.sh").splitlines()
    assert lines[:2] == ["one 0", "two"]
    assert sorted(lines[2:]) == sorted(f"{rank}: {line}" for rank in (0, 1) for line in text)
    long = "x" * 79 + "\n"
    assert site.out("srun", "-n1", "cat", stdin=long * 10_000) == long * 10_000
    assert site.out("srun", "-n1", "true", stdin=long * 10_000) == ""


def test_steps_are_numbered_and_sacct_lists_them(site: SlurmSite) -> None:
    job = site.submit(
        "-n", "2", "-o", "steps-%j", "--wrap",
        "srun sh -c 'echo $SLURM_STEP_ID $SLURM_STEP_NUM_TASKS'; srun -n1 -J other sh -c 'exit 2'",
    )  # fmt: skip
    assert site.wait(job) == "FAILED"
    assert site.read(f"steps-{job}").splitlines()[:2] == ["0 2", "0 2"]
    rows = site.out("sacct", "-P", "-n", "-o", "JobID,JobName,State,ExitCode,NTasks", "-j", job)
    assert rows.splitlines()[1:] == [
        f"{job}.batch|batch|FAILED|2:0|1",
        f"{job}.0|sh|COMPLETED|0:0|2",
        f"{job}.1|other|FAILED|2:0|1",
    ]
    one = site.out("sacct", "-P", "-n", "-o", "JobID,MaxRSS,TotalCPU", "-j", f"{job}.1")
    assert re.fullmatch(rf"{job}\.1\|\d+K\|\d\d:\d\d\.\d{{3}}\n", one)


def test_the_use_of_steps_is_that_of_their_tasks_and_counts_once(site: SlurmSite) -> None:
    burn = "import os, resource\nwhile resource.getrusage(0).ru_utime < 0.5: pass\n"
    hold = "x = b'x' * (60 << 20) if os.environ['SLURM_PROCID'] == '1' else b''\n"
    site.write("use.py", burn + hold)
    job = site.submit("-N", "2", "-n", "2", "-o", "use-%j", "--wrap", "srun python3 use.py")
    assert site.wait(job) == "COMPLETED"
    fields = "JobID,MaxRSSNode,MaxRSSTask,MaxRSS,AveRSS,CPUTimeRAW,TotalCPU,MinCPU"
    shown = site.out("sacct", "-P", "-n", "-o", fields, "-j", job)
    [_, script, step] = [line.split("|") for line in shown.splitlines()]
    assert script[1:5] == ["", "", "", ""]
    node = site.job(job)["nodelist"]
    assert (step[1], step[2]) == (expand(node)[1], "1")
    assert int(step[3][:-1]) > int(step[4][:-1]) + (20 << 10)
    steps, _ = site.daemon.client.steps([int(job)])
    used = site.job(job)["cpu_s"]
    assert 1.0 <= steps[0]["cpu_s"] <= used
    seconds = [float(row[6].partition(":")[2]) for row in (script, step)]
    assert sum(seconds) == pytest.approx(used, abs=0.01)


def test_sstat_tells_what_a_running_script_uses(site: SlurmSite) -> None:
    site.write(
        "held.py", "import time\nx = b'x' * (60 << 20)\nopen('held', 'w')\ntime.sleep(600)\n"
    )
    job = site.submit("-o", "held-%j", "--wrap", "exec python3 held.py")
    wait_until(lambda: (site.daemon.work / "held").exists())
    fields = "MaxRSS,MaxRSSNode,MaxRSSTask,AveCPU"
    row = site.out("sstat", "-P", "-n", "-o", fields, "-j", f"{job}.batch").strip().split("|")
    assert int(row[0][:-1]) >= 60 << 10
    assert row[1:3] == [site.job(job)["nodelist"], "0"]
    assert row[3].startswith("00:00:")
    site.out("scancel", job)
    site.wait(job)


def test_an_exit_code_above_128_is_no_signal_in_sacct(site: SlurmSite) -> None:
    job = site.submit("-o", "codes-%j", "--wrap",
                      "srun sh -c 'exit 200'; srun sh -c 'kill -9 $$'; srun sh -c 'exit 255'; true",
                      )  # fmt: skip
    assert site.wait(job) == "COMPLETED"
    rows = site.out("sacct", "-P", "-n", "-o", "ExitCode,DerivedExitCode", "-j", job)
    assert rows.splitlines() == ["0:0|255:0", "0:0|", "200:0|", "0:9|", "255:0|"]
    assert "task 0: Exited with exit code 255\n" in site.read(f"codes-{job}")


def test_srun_outside_of_a_job_has_one_of_its_own(site: SlurmSite) -> None:
    done = site.run("srun", "-n", "2", "-l", "sh", "-c", "echo $SLURM_JOB_ID; exit 3")
    assert done.returncode == 3
    [job] = {line.split()[1] for line in done.stdout.splitlines()}
    assert site.wait(job) == "FAILED"
    assert site.out("sacct", "-X", "-n", "-P", "-o", "ExitCode", "-j", job) == "3:0\n"


def test_srun_outside_of_a_job_says_that_its_job_was_at_its_limit(site: SlurmSite) -> None:
    done = site.run("srun", "-t", "0:01", "sleep", "600")
    assert done.returncode == 143
    assert re.search(r"error: \*\*\* JOB \d+ ON e\d CANCELLED AT .* DUE TO TIME LIMIT", done.stderr)


def test_salloc_holds_a_job_for_a_command(site: SlurmSite) -> None:
    done = site.run("salloc", "-n", "2", "srun", "sh", "-c", "echo $SLURM_JOB_ID")
    assert done.returncode == 0
    [job] = set(done.stdout.split())
    assert f"salloc: Granted job allocation {job}\n" in done.stderr
    assert site.wait(job) == "COMPLETED"


def test_a_signal_reaches_the_steps_or_the_script_alone(site: SlurmSite) -> None:
    script = site.write(
        "signals.sh",
        "#!/bin/bash\n#SBATCH -o sig-%j\ntrap 'echo script' USR1\n"
        'srun bash -c \'trap "echo step; exit" USR1; touch up-$SLURM_JOB_ID; '
        "while :; do sleep 0.1; done 2>/dev/null' 2>/dev/null\necho after\n"
        "while [ ! -e done-$SLURM_JOB_ID ]; do sleep 0.1; done 2>/dev/null\n",
    )
    job = site.submit(script)
    wait_until(lambda: (site.daemon.work / f"up-{job}").exists())
    site.out("scancel", job, "--signal", "USR1")
    wait_until(lambda: site.read(f"sig-{job}") == "step\nafter\n")
    site.out("scancel", "-b", "-s", "USR1", job)
    wait_until(lambda: site.read(f"sig-{job}") == "step\nafter\nscript\n")
    site.write(f"done-{job}", "")
    assert site.wait(job) == "COMPLETED"


def test_srun_gives_a_terminal(site: SlurmSite) -> None:
    env = {**site.daemon.env, "PS1": "$ ", "TERM": "dumb"}
    command = [str(site.bin / "srun"), "--pty", "-J", "here", "sh"]
    with Typist(command, env, cwd=site.daemon.work) as person:
        person.wait_for("$ ")
        person.type("stty size; echo step $SLURM_STEP_ID of $SLURM_NTASKS\r")
        person.wait_for("30 100")
        person.wait_for("step 0 of 1")
        person.type("srun echo inner </dev/null; echo $((6 * 7))\r")
        person.wait_for("inner\r\n42\r\n")
        person.type("exit 5\r")
        assert person.end() == 5
    assert "task 0: Exited with exit code 5\r\n" in person.seen()
    refused = site.run("srun", "--pty", "-o", "file", "sh")
    assert "--error/--input/--output are incompatible with --pty" in refused.stderr


def test_of_several_tasks_the_first_has_the_terminal(site: SlurmSite) -> None:
    env = {**site.daemon.env, "TERM": "dumb"}
    command = [str(site.bin / "srun"), "-n2", "--pty", "sh", "-c"]
    shell = 'read a; echo "$SLURM_PROCID of $SLURM_NTASKS got $a"; exit $((SLURM_PROCID + 3))'
    with Typist([*command, shell], env, cwd=site.daemon.work) as person:
        person.wait_for("task 1: Exited with exit code 4\r\n")
        person.type("it\r")
        person.wait_for("0 of 2 got it\r\n")
        assert person.end() == 4
    assert "1 of 2" not in person.seen()
    assert "task 0: Exited with exit code 3\r\n" in person.seen()


def test_a_failed_task_ends_the_terminal_with_kill_on_bad_exit(site: SlurmSite) -> None:
    env = {**site.daemon.env, "TERM": "dumb"}
    command = [str(site.bin / "srun"), "-K", "-n2", "--pty", "sh", "-c"]
    shell = "[ $SLURM_PROCID = 1 ] && exit 4; exec sleep 600"
    with Typist([*command, shell], env, cwd=site.daemon.work) as person:
        assert person.end() == 128 + 1
        assert "task 1: Exited with exit code 4\r\n" in person.seen()


def test_other_tasks_are_killed_some_time_after_the_first_end(site: SlurmSite) -> None:
    text = "test $SLURM_PROCID = 0 || exec sleep 1000"
    done = site.run("salloc", "-Q", "-n", "2", "srun", "-W", "1", "sh", "-c", text)
    assert done.returncode == 137
    assert "srun: First task exited 1s ago\n" in done.stderr
    assert "task 1: Killed" in done.stderr
    done = site.run("srun", "-W", "soon", "true")
    assert done.returncode == 1
    assert 'Invalid numeric value "soon"' in done.stderr
