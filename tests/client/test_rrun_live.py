"""The options of `rrun`, in jobs of a real daemon and its agents."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import pytest

from tests.client.live_commands import output_of, submit
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def _run(cluster: Daemon, script: str, *options: str) -> list[str]:
    """Return the lines of output of a job that runs a script in a folder of its own: other tests
    leave files beside it."""
    folder = Path(tempfile.mkdtemp(dir=cluster.work))
    file = folder / "job.sh"
    file.write_text(f"#!/bin/sh\n{script}\n")
    return output_of(cluster, submit(cluster, *options, "-D", str(folder), str(file))).splitlines()


def test_a_step_has_tasks_of_its_own_on_nodes_of_the_job(cluster: Daemon) -> None:
    show = "sh -c 'echo $RMS_PROCID of $RMS_NTASKS on $RMS_NODENAME' | sort; echo"
    script = "\n".join(
        f"rrun {options} {show}"
        for options in ("-n 2", "-N 1", "-n 3 -c 1", "-w e2 -n 1", "-n 1 -x e1")
    )
    lines = _run(cluster, script, "-N", "2", "-n", "2", "-c", "2")
    assert "\n".join(lines).strip().split("\n\n") == [
        "0 of 2 on e1\n1 of 2 on e2",
        "0 of 1 on e1",
        "0 of 3 on e1\n1 of 3 on e1\n2 of 3 on e2",
        "0 of 1 on e2",
        "0 of 1 on e2",
    ]


def test_each_task_runs_its_program(cluster: Daemon) -> None:
    script = "\n".join(
        (
            "echo '0 echo master %t' > programs",
            "echo '1-2 echo \"worker  %o\" is %t' >> programs",
            "rrun -l -n 3 -c 1 --multi-prog programs | sort",
            "rrun -n 4 -c 1 --multi-prog programs 2>&1; echo $?",
            "rrun -n 1 --multi-prog no-such-file 2>&1; echo $?",
        )
    )
    assert _run(cluster, script, "-N", "2", "-n", "2", "-c", "2") == [
        *("0: master 0", "1: worker  0 is 1", "2: worker  1 is 2"),
        "rrun: error: Configuration file programs invalid, no record for task id 3",
        "2",
        "rrun: error: Unable to open no-such-file: No such file or directory",
        "2",
    ]


def test_steps_do_not_share_processors_unless_they_say_so(cluster: Daemon) -> None:
    """The second step would run beside the first one, which ends only when a third one has run."""
    lines = _run(
        cluster,
        "rrun -n 2 sh -c 'touch m.$RMS_PROCID; until [ -e go ]; do sleep 0.05; done; echo one' & "
        "until [ -e m.0 ] && [ -e m.1 ]; do sleep 0.05; done\n"
        "rrun -n 1 echo two 2> waited & until [ -s waited ]; do sleep 0.05; done\n"
        "rrun -n 1 --overlap sh -c 'echo three; rrun -n 2 echo within'\n"
        "touch go; wait; cat waited",
        *("-n", "2"),
    )
    assert lines == [
        *("three", "within", "within", "one", "one", "two"),
        "rrun: waiting for processors that other steps of the job hold (--overlap shares them)",
    ]


@pytest.mark.slow
def test_input_and_output_of_tasks(cluster: Daemon) -> None:
    lines = _run(
        cluster,
        "echo all | rrun -l cat | sort\n"
        "echo one | rrun -l -i 1 cat\n"
        "echo no | rrun -l --input none cat\n"
        "echo file > given; rrun -n 1 -i given cat\n"
        "rrun -o out.%t -e none sh -c 'echo $RMS_PROCID; echo lost >&2'; cat out.0 out.1\n"
        "rrun -o 1 sh -c 'echo shown $RMS_PROCID'\n"
        "rrun -n 1 -l -u sh -c 'printf pro; sleep 0.1; printf mpt' > prompt & "
        "until grep -qs pro prompt; do sleep 0.05; done; wait; cat prompt\n"
        "rrun -i 2 cat; rrun -o missing/out true; rrun -i missing cat",
        *("-n", "2"),
    )
    assert lines == [
        *("0: all", "1: all", "1: one", "file", "0", "1", "shown 1", "0: prompt"),
        "rrun: error: --input=2: the step has 2 tasks",
        "rrun: error: the output file missing/out cannot be opened: No such file or directory",
        "rrun: error: --input=missing: No such file or directory",
    ]


def test_a_task_that_fails_ends_the_others(cluster: Daemon) -> None:
    command = "sh -c '[ $RMS_PROCID = 0 ] && exit 3; exec sleep 600'"
    lines = _run(cluster, f"rrun -K {command}; echo $?", "-n", "2")
    assert lines == ["rrun: task 0 on e1 ended with exit code 3; the others are ended", "143"]


def test_a_step_is_ended_at_its_limit(cluster: Daemon) -> None:
    """The job goes on, and the daemon is told that the step was late."""
    lines = _run(
        cluster,
        "echo $RMS_JOB_ID; rrun -t 0:01 sleep 600; echo $?; rrun -t 10 echo in time\n"
        "rrun -t soon true 2> wrong; echo $?; cat wrong",
        *("-n", "1"),
    )
    late = "rrun: the step has reached its limit of 00:00:01; it is ended"
    assert lines[1:5] == [late, "143", "in time", "2"]
    assert "argument -t/--time: " in lines[-1]
    steps, _ = cluster.client.steps([int(lines[0])])
    assert [(one["cause"], one["signal"]) for one in steps] == [("TIMEOUT", 15), ("", 0)]


def test_a_step_cannot_have_more_than_its_job(cluster: Daemon) -> None:
    lines = _run(
        cluster,
        "for o in '-n 3' '-N 2' '-w e9' '--cpu-bind sockets' '--gres gpu:1' '--overlap --exact' "
        "'-x e1' --detached '--pty -K'; do "
        "rrun $o true; done; echo $RMS_JOB_ID",
        *("-n", "2"),
    )
    job_id = lines.pop()
    assert [line.removeprefix("rrun: error: ")[:40] for line in lines] == [
        "3 tasks of 1 processor each have no plac",
        f"job {job_id} has 1 node: e1",
        f"e9 is not a node of job {job_id}",
        "argument --cpu-bind: 'sockets': jobs hav",
        "the step asks for gpu:1 on each node; jo",
        "argument --exact: not allowed with argum",
        f"job {job_id} has 1 node: e1",
        "--detached and --hangup are for a termin",
        "--pty: --kill-on-bad-exit cannot be give",
    ]


def test_the_daemon_is_told_of_steps(cluster: Daemon) -> None:
    job_id = submit(cluster, "-n", "2", "-c", "2", "--wrap", "rrun -n 1 true; rrun sh -c 'exit 4'")
    cluster.wait(job_id)
    steps, worst = cluster.client.steps([job_id])
    told = [tuple(step[k] for k in ("number", "name", "tasks", "cpus")) for step in steps]
    assert told == [(0, "true", 1, 2), (1, "sh", 2, 4)]
    assert [one["exit_code"] for one in worst] == [4]
    assert Path(cluster.client.job(job_id)["stdout"]).read_text() == ""


def test_efficiency_is_what_was_used_of_what_was_asked_for(cluster: Daemon) -> None:
    burn = "import time\nheld = bytearray(64 << 20)\nwhile time.process_time() < 0.5: pass"
    job_id = submit(
        cluster, "-n", "2", "--mem", "256M", "-J", "burn", "--wrap", f"{sys.executable} -c '{burn}'"
    )
    job = cluster.wait(job_id)
    header, row = cluster.run("rstat", "--efficiency", str(job_id), expect=0).stdout.splitlines()
    assert header.split() == [
        *("JOBID", "NAME", "STATE", "TIME", "CPUS", "CPU_TIME", "CPU%", "MEM_USED", "MEM", "MEM%")
    ]
    cpu_share, mem_share = job["cpu_s"] / job["elapsed_s"] / 2, job["max_rss_mib"] / 256
    cells = row.split()
    assert cells[:3] == [str(job_id), "burn", "COMPLETED"]
    assert (cells[6], cells[9]) == (f"{100 * cpu_share:.1f}", f"{100 * mem_share:.1f}")
    told = json.loads(cluster.run("rstat", "--efficiency", "--json", str(job_id)).stdout)
    assert told["jobs"][0]["cpu_efficiency"] == pytest.approx(cpu_share)
    assert told["jobs"][0]["mem_efficiency"] == mem_share
    refused = cluster.run("rstat", "--efficiency", "-l", str(job_id))
    assert (refused.returncode, refused.stdout) == (2, "")


def test_usage_is_what_a_running_job_uses_now(cluster: Daemon) -> None:
    hold = "held = bytearray(64 << 20)\nimport time\nwhile time.process_time() < 0.5: pass"
    hold += "\nopen('holds', 'w').close()\ntime.sleep(600)"
    (cluster.work / "hold.py").write_text(hold)
    script = f"rrun -n 1 --overlap true; rrun -n 1 {sys.executable} hold.py"
    job_id = submit(cluster, "-N", "2", "--wrap", script)
    wait_until((cluster.work / "holds").exists)
    told = json.loads(cluster.run("rstat", "--usage", "--json", str(job_id), expect=0).stdout)
    busy, idle = told["nodes"]
    assert busy["cpu_s"] >= 0.5
    assert 64 <= busy["mem_mib"] < 300
    assert busy["processes"] >= 3  # the shell, rrun and its task
    assert (idle["node"], idle["processes"], idle["cpu_s"]) == ("e2", 0, 0.0)
    assert [(one["name"], one["end_us"] is None) for one in told["steps"]] == [
        ("true", False),
        (Path(sys.executable).name, True),
    ]
    shown = cluster.run("rstat", "--usage", str(job_id), expect=0).stdout.splitlines()
    assert shown[0] == f"Job {job_id} uses now, on 2 nodes:"
    assert [line.split()[0] for line in shown[2:4]] == ["e1", "e2"]
    cluster.client.cancel(job_id)
    cluster.wait(job_id)
    done = cluster.run("rstat", "--usage", str(job_id))
    assert (done.returncode, "it uses nothing now" in done.stderr) == (1, True)
