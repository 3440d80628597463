"""The units that shepherds are told to run: a job's script, its stand-in, or a task."""

from __future__ import annotations

import os
import pwd
import sys
import time
from functools import lru_cache
from pathlib import Path

from rmsd_agent.attempts import warning
from rmsd_agent.attempts.attempt import INPUT, NodeAttempt
from rmsd_agent.attempts.task_binding import bound_to, told_of
from rmsd_agent.attempts.terminals import TERMINAL
from rmsd_agent.machine.processors import spelled
from rmsd_agent.shepherd.standalone.unit_spec import MARK, Terminal, UnitSpec
from rmsd_agent.state.records import BATCH
from rmsd_wire.job_environment import LOGIN_PATH
from rmsd_wire.link_calls import StartTask
from rmsd_wire.pbs_names import names_pbs, node_file, pbs_names
from rmsd_wire.slurm_names import slurm_names

_NODE_FILE = "RMS_NODEFILE"
TASK_SLACK_S = 0.05
"""The seconds that tasks get beyond their job's limit. So the limit ends the script before a task
that the script waits for: the end of the task would look like a failure. This is less than the 0.1
s within which limits are kept."""


def script_spec(attempt: NodeAttempt, unit_dir: Path) -> UnitSpec:
    """Return the spec of a job's script. `Runner` adds the user, processors and the cgroup."""
    launch = attempt.launch
    return UnitSpec(
        argv=[str(unit_dir / "script"), *launch.args],
        cwd=launch.workdir,
        env={**_with_other_names(_environment(attempt), attempt), MARK: str(unit_dir)},
        stdout=launch.stdout,
        stderr=launch.stderr,
        killed_after_s=launch.killed_after_s,
        kill_grace_s=launch.kill_grace_s,
        warn=warning.for_script(launch.warn_signal, attempt.saved.warn_at_s),
        keep_as=f".attempt{launch.keep_output_of}" if launch.keep_output_of else "",
        max_output_bytes=launch.max_output_bytes,
        script=True,
        stdin=launch.stdin,
        append=launch.append,
        rlimits=launch.rlimits,
        umask=launch.umask,
        end_note=_end_note(attempt),
    )


def _end_note(attempt: NodeAttempt) -> tuple[str, ...]:
    """Return the names in the line that tells a job of Slurm's commands why it is ended. As in
    Slurm, the program is named after its node if the machine may be several nodes."""
    launch = attempt.launch
    if "SLURM_JOB_ID" not in launch.env:
        return ()
    is_machine = launch.node in (host := os.uname().nodename, host.partition(".")[0])
    program = "slurmstepd" if is_machine else f"slurmstepd-{launch.node}"
    return program, str(launch.job_id), launch.node


def sleep_spec(attempt: NodeAttempt, unit_dir: Path, end_s: float) -> UnitSpec:
    """Return a process that lives until `end_s` of CLOCK_MONOTONIC, however late it is started."""
    launch = attempt.launch
    return UnitSpec(
        argv=["sleep"],
        until_s=end_s,
        cwd="/",
        env={"PATH": LOGIN_PATH, MARK: str(unit_dir)},
        stdout=os.devnull,
        stderr="",
        killed_after_s=launch.killed_after_s,
        kill_grace_s=launch.kill_grace_s,
    )


def task_spec(attempt: NodeAttempt, unit_dir: Path, call: StartTask) -> UnitSpec:
    """Return the spec of a task. Its output is in the unit's directory."""
    launch = attempt.launch
    wanted = call.terminal
    terminal = Terminal(wanted.rows, wanted.cols, wanted.hangup_s) if wanted is not None else None
    return UnitSpec(
        argv=call.argv,
        cwd=call.workdir or launch.workdir,
        env={
            **_with_other_names({**_environment(attempt), **call.env}, attempt),
            MARK: str(unit_dir),
        },
        stdout=str(unit_dir / "stdout"),
        stderr=str(unit_dir / "stderr"),
        killed_after_s=attempt.deadline_left_s(TASK_SLACK_S),
        kill_grace_s=launch.kill_grace_s,
        warn=warning.for_task(launch.warn_signal, attempt.saved.warn_at_s, time.monotonic()),
        own_output=True,
        max_output_bytes=launch.max_output_bytes,
        stdin=str(unit_dir / (INPUT if terminal is None else TERMINAL))
        if call.stdin or terminal is not None
        else "",
        terminal=terminal,
        rlimits=launch.rlimits,
        umask=launch.umask if call.umask is None else call.umask,
        processors=bound_to(call.bind, attempt.saved.processors),
        bind_note=told_of(call.bind, launch.node, call.task),
    )


def with_rrun(path: str) -> str:
    """Return `path` with the folder of our own commands at its end. An `rrun` in an earlier folder
    is not looked for: a user's directory may be on a server that does not answer."""
    folder = os.path.dirname(sys.executable)
    return path if folder in path.split(os.pathsep) else f"{path}{os.pathsep}{folder}"


def _environment(attempt: NodeAttempt) -> dict[str, str]:
    """Return the environment that the daemon gave, with what only this side knows. It names no
    home that the submit has not named: that is the one of the account that the unit runs as."""
    env = {"PATH": LOGIN_PATH, **attempt.launch.env}
    env["PATH"] = with_rrun(env["PATH"])
    env["RMS_JOB_START_TIME"] = str(int(attempt.saved.started_s))
    if attempt.saved.processors:
        env["RMS_CPU_IDS"] = spelled(attempt.saved.processors)
    if attempt.launch.time_limit_s is not None:
        env["RMS_JOB_END_TIME"] = str(int(attempt.saved.started_s + attempt.launch.time_limit_s))
    return env


def write_node_file(attempt: NodeAttempt, script: str) -> None:
    """Write the file that RMS_NODEFILE and PBS_NODEFILE name, if the job is on several nodes, or if
    its script names the former or expects PBS. Its user may read it."""
    env = attempt.launch.env
    has_one = env.get("RMS_NNODES", "1") != "1" or _NODE_FILE in script or names_pbs(env)
    if not has_one:
        return
    fd = os.open(_node_file(attempt), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    with open(fd, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o644)  # the umask of the agent may be narrower
        file.write(node_file(env))


def _node_file(attempt: NodeAttempt) -> Path:
    return attempt.dir / BATCH / "nodes"


def _node_file_names(attempt: NodeAttempt) -> dict[str, str]:
    """Return the variables that name the file of nodes, if the job has one on this node: that of
    the script, as in PBS."""
    path = _node_file(attempt)
    if not attempt.launch.batch or not path.is_file():
        return {}
    names = (_NODE_FILE, "PBS_NODEFILE") if names_pbs(attempt.launch.env) else (_NODE_FILE,)
    return dict.fromkeys(names, str(path))


def _with_other_names(env: dict[str, str], attempt: NodeAttempt) -> dict[str, str]:
    """Return the environment with the names that Slurm and PBS have for what this side knows.
    Slurm's are there if the daemon has given the job such names, those of PBS if `qsub` has
    submitted it."""
    if "SLURM_JOB_ID" in env:
        env = {**env, **slurm_names(env)}
    if names_pbs(env):
        env = {**env, **pbs_names(env)}
    return {**env, **_node_file_names(attempt)}


@lru_cache(maxsize=1)
def own_home() -> str:
    """Return the home of the agent's account, which units without an account of their own have."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
