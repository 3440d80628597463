"""The prolog and the epilog of the site around jobs on this machine."""

from __future__ import annotations

import asyncio
import itertools
import os
import resource
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.attempts.site_programs import program_environment, run_program
from rmsd_core.vocabulary import Cause, Fault
from rmsd_wire.link import ExitedReport, Launch, LaunchedReport
from rmsd_wire.link_calls import Reply, StartTask
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live

CALLS = itertools.count(1)
ENV = {"RMS_JOB_NAME": "mine", "RMS_JOB_USER": "ann", "RMS_NNODES": "1", "LD_PRELOAD": "/x.so"}


def program(rig: Rig, name: str, commands: str) -> Path:
    path = rig.root / name
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(0o755)
    return path


def started(rig: Rig, prolog: str = "", epilog: str = "", timeout: str = "5m") -> None:
    """Start an agent whose programs run these commands; "" is no program."""
    options = [f"--program-timeout={timeout}"]
    for name, commands in (("prolog", prolog), ("epilog", epilog)):
        if commands:
            options.append(f"--{name}={program(rig, name, commands)}")
    rig.start(*options)


def told(rig: Rig) -> list[str]:
    path = rig.root / "told"
    return path.read_text().splitlines() if path.exists() else []


def reply_to_a_task(rig: Rig) -> Reply:
    """Return the answer to a call that starts a task of job 1."""
    call = next(CALLS)
    rig.peer.send(StartTask(call, 1, 1, "n1", "s", 0, ["true"], {}, "/"))
    return rig.peer.reply(call)


def test_the_programs_run_before_the_first_process_and_after_the_last(rig: Rig) -> None:
    say = f"echo $SLURM_SCRIPT_CONTEXT >>{rig.root}/told"
    started(rig, say, say)
    end = rig.run(1, f"echo script >>{rig.root}/told; setsid sleep 600 &")
    assert (end.cause, end.exit_code, end.drain) == (Cause.EXIT, 0, "")
    assert told(rig) == ["prolog_slurmd", "script", "epilog_slurmd"]


def test_the_programs_know_the_job_and_not_what_its_user_chose(rig: Rig) -> None:
    started(rig, f"env >{rig.root}/told")
    rig.run(1, "true", env=ENV)
    found = dict(line.split("=", 1) for line in told(rig))
    assert found["RMS_JOB_ID"] == found["SLURM_JOB_ID"] == "1"
    assert found["SLURM_JOB_USER"] == "ann"
    assert found["SLURM_JOB_NAME"] == "mine"
    assert found["SLURMD_NODENAME"] == "n1"
    assert "LD_PRELOAD" not in found


def test_a_failed_prolog_is_the_nodes_fault_and_asks_for_a_drain(rig: Rig) -> None:
    """The script does not run, and the epilog clears up what the prolog has begun."""
    started(rig, "exit 3", f"echo epilog >>{rig.root}/told")
    end = rig.run(1, f"echo script >>{rig.root}/told")
    why = f"the prolog of job 1 failed: {rig.root}/prolog exited with 3"
    assert (end.cause, end.fault, end.message, end.drain) == (Cause.LAUNCH, Fault.NODE, why, why)
    assert told(rig) == ["epilog"]
    assert "prolog-failed" in rig.log()


def test_a_failed_prolog_beside_the_script_is_a_lost_node(rig: Rig) -> None:
    started(rig, "exit 3")
    end = rig.run(1, "true", batch=False)
    assert (end.cause, end.fault) == (Cause.NODE, None)
    assert end.drain.startswith("the prolog of job 1 failed")


def test_a_failed_epilog_asks_for_a_drain_and_is_not_the_jobs(rig: Rig) -> None:
    started(rig, epilog="exit 3")
    end = rig.run(1, "exit 7")
    assert (end.cause, end.exit_code) == (Cause.EXIT, 7)
    assert end.drain == f"the epilog of job 1 failed: {rig.root}/epilog exited with 3"


def test_a_program_that_hangs_is_killed_and_has_failed(rig: Rig) -> None:
    marker = rig.marker()
    started(rig, epilog=f"sleep {marker} & sleep {marker}", timeout="1s")
    end = rig.run(1, "true")
    assert end.drain.endswith("/epilog was not done within 1 s")
    wait_until(lambda: not sleeping(marker))


def test_a_program_that_cannot_be_executed_has_failed(rig: Rig) -> None:
    path = program(rig, "prolog", "true")
    rig.start(f"--prolog={path}")
    path.chmod(0o644)
    assert rig.run(1, "true").drain.endswith("exited with 126 (is it there, and executable?)")


async def test_a_machine_that_can_start_nothing_for_a_moment_starts_the_program_later(
    tmp_path: Path,
) -> None:
    """The process has no further descriptor at first."""
    path = tmp_path / "prolog"
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    problems: list[str] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    begun = asyncio.ensure_future(run_program(path, {}, 600.0, problems.append))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        await asyncio.sleep(0)  # the first try
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not begun.done()
    await begun
    assert problems == [f"{path} exited with 3"]


async def test_a_program_that_could_not_be_started_in_time_has_failed_for_that(
    tmp_path: Path,
) -> None:
    problems: list[str] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        await run_program(tmp_path / "prolog", {}, 0.01, problems.append)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    why = "this machine had no process, memory or open file left"
    assert problems == [f"{tmp_path}/prolog was not started within 0.01 s: {why}"]


def test_a_variable_that_no_program_can_have_is_not_told() -> None:
    long = ",".join(f"node-{at}-of-no-row" for at in range(10_000))
    env = {"RMS_NODELIST": long, "RMS_NNODES": "10000"}
    launch = Launch(1, 1, "n1", True, 0, None, 1.0, 1, env=env)
    told = program_environment("prolog", launch)
    assert told["RMS_NNODES"] == "10000"
    assert "RMS_NODELIST" not in told
    subprocess.run(["true"], env=told, check=True)


@pytest.mark.parametrize("text", ["../../etc", "/", "..", "-rf", "$(id)", "a b", "a\nb", "", "a/b"])
def test_an_account_that_is_no_name_is_not_told(text: str) -> None:
    """Without `[accounts]` and `[qos]` a user's account and QOS are any text. A prolog of root's
    that makes a directory for each account made or deleted others."""
    env = {"RMS_JOB_ACCOUNT": text, "RMS_JOB_QOS": text, "RMS_JOB_NAME": text}
    launch = Launch(1, 1, "n1", True, 0, None, 1.0, 1, env=env)
    told = program_environment("epilog", launch)
    assert [name for name in told if "ACCOUNT" in name or "QOS" in name] == []
    assert told["RMS_JOB_NAME"] == told["SLURM_JOB_NAME"] == text
    launch = Launch(1, 1, "n1", True, 0, None, 1.0, 1, env={"RMS_JOB_ACCOUNT": "lab+2.x-y"})
    assert program_environment("epilog", launch)["SLURM_JOB_ACCOUNT"] == "lab+2.x-y"


def test_a_stop_waits_for_the_prolog_and_no_script_runs(rig: Rig) -> None:
    until = f"echo begun >>{rig.root}/told; until [ -e {rig.work}/go ]; do sleep 0.02; done"
    started(rig, until, f"echo epilog >>{rig.root}/told")
    rig.launch(1, f"echo script >>{rig.root}/told")
    wait_until(lambda: told(rig))
    rig.stop(1)
    rig.run(2, "true", node="n2")  # no node of the programs': the agent has heard the stop by now
    assert not rig.peer.all(ExitedReport, 1)
    (rig.work / "go").touch()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.drain) == (Cause.USER, "")
    assert told(rig) == ["begun", "epilog"]


def test_tasks_wait_for_the_prolog_of_their_node(rig: Rig) -> None:
    started(rig, f"until [ -e {rig.work}/go ]; do sleep 0.02; done")
    rig.launch(1, "", batch=False)
    refused = reply_to_a_task(rig)
    assert refused.status == 503
    assert "the prolog of job 1 runs on node n1" in refused.error
    (rig.work / "go").touch()
    wait_until(lambda: reply_to_a_task(rig).status < 300)


@pytest.mark.parametrize("batch", [True, False])
def test_a_prolog_that_was_cut_off_runs_anew_with_the_next_launch(rig: Rig, batch: bool) -> None:
    until = f"echo begun >>{rig.root}/told; until [ -e {rig.work}/go ]; do sleep 0.02; done"
    started(rig, until)
    rig.launch(1, "true", batch=batch)
    wait_until(lambda: told(rig))
    rig.end_agent()
    hello = rig.start(f"--prolog={rig.root}/prolog")
    assert not hello.held
    (rig.work / "go").touch()
    rig.launch(1, "true", batch=batch)
    if batch:
        rig.peer.wait(LaunchedReport, 1)
    wait_until(lambda: told(rig) == ["begun", "begun"])


def test_an_epilog_that_was_cut_off_runs_again(rig: Rig) -> None:
    until = f"echo begun >>{rig.root}/told; until [ -e {rig.work}/go ]; do sleep 0.02; done"
    started(rig, epilog=until)
    rig.launch(1, "exit 7")
    wait_until(lambda: told(rig))
    rig.end_agent()
    hello = rig.start(f"--epilog={rig.root}/epilog")
    [held] = hello.held
    assert held.stopping
    (rig.work / "go").touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 7
    assert told(rig) == ["begun", "begun"]


def test_a_node_that_ran_its_prolog_keeps_its_attempt_over_a_restart(rig: Rig) -> None:
    started(rig, f"echo begun >>{rig.root}/told")
    rig.launch(1, "", batch=False)
    wait_until(lambda: reply_to_a_task(rig).status < 300)
    rig.end_agent()
    hello = rig.start(f"--prolog={rig.root}/prolog")
    assert [held.job_id for held in hello.held] == [1]


def test_a_program_that_others_can_change_is_refused(rig: Rig) -> None:
    path = program(rig, "prolog", "true")
    path.chmod(0o777)
    done = subprocess.run(
        rig.command(f"--prolog={path}"), capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.returncode == 2
    assert f"--prolog: {path} can be changed by others" in done.stderr
