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
from rmsd_agent.machine.processors import spelled
from rmsd_agent.shepherd.standalone.unit_spec import MARK, UnitSpec
from rmsd_wire.link_calls import StartTask
from rmsd_wire.slurm_names import slurm_names

_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
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
        env={**_with_slurm_names(_environment(attempt)), MARK: str(unit_dir)},
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
    )


def sleep_spec(attempt: NodeAttempt, unit_dir: Path, end_s: float) -> UnitSpec:
    """Return a process that lives until `end_s` of CLOCK_MONOTONIC, however late it is started."""
    launch = attempt.launch
    return UnitSpec(
        argv=["sleep"],
        until_s=end_s,
        cwd="/",
        env={"PATH": _DEFAULT_PATH, MARK: str(unit_dir)},
        stdout=os.devnull,
        stderr="",
        killed_after_s=launch.killed_after_s,
        kill_grace_s=launch.kill_grace_s,
    )


def task_spec(attempt: NodeAttempt, unit_dir: Path, call: StartTask) -> UnitSpec:
    """Return the spec of a task. Its output is in the unit's directory."""
    launch = attempt.launch
    return UnitSpec(
        argv=call.argv,
        cwd=call.workdir or launch.workdir,
        env={**_with_slurm_names({**_environment(attempt), **call.env}), MARK: str(unit_dir)},
        stdout=str(unit_dir / "stdout"),
        stderr=str(unit_dir / "stderr"),
        killed_after_s=attempt.deadline_left_s(TASK_SLACK_S),
        kill_grace_s=launch.kill_grace_s,
        warn=warning.for_task(launch.warn_signal, attempt.saved.warn_at_s, time.monotonic()),
        own_output=True,
        max_output_bytes=launch.max_output_bytes,
        stdin=str(unit_dir / INPUT) if call.stdin else "",
        rlimits=launch.rlimits,
    )


def with_rrun(path: str) -> str:
    """Return `path` with the folder of our own commands at its end. An `rrun` in an earlier folder
    is not looked for: a user's directory may be on a server that does not answer."""
    folder = os.path.dirname(sys.executable)
    return path if folder in path.split(os.pathsep) else f"{path}{os.pathsep}{folder}"


def _environment(attempt: NodeAttempt) -> dict[str, str]:
    """Return the environment that the daemon gave, with what only this side knows."""
    env = {"PATH": _DEFAULT_PATH, "HOME": _home(), **attempt.launch.env}
    env["PATH"] = with_rrun(env["PATH"])
    env["RMS_JOB_START_TIME"] = str(int(attempt.saved.started_s))
    if attempt.saved.processors:
        env["RMS_CPU_IDS"] = spelled(attempt.saved.processors)
    if attempt.launch.time_limit_s is not None:
        env["RMS_JOB_END_TIME"] = str(int(attempt.saved.started_s + attempt.launch.time_limit_s))
    return env


def _with_slurm_names(env: dict[str, str]) -> dict[str, str]:
    """Return the environment with Slurm's names for what this side knows, if the daemon has given
    the job such names."""
    return {**env, **slurm_names(env)} if "SLURM_JOB_ID" in env else env


@lru_cache(maxsize=1)
def _home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
