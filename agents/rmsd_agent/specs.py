"""What shepherds are told to run: a job's script, its stand-in, or a task (see `shepherd.Unit`)."""

from __future__ import annotations

import os
import pwd
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING

from rmsd_agent import warning
from rmsd_agent.orphans import MARK
from rmsd_agent.pool import Spec
from rmsd_wire.link import StartTask

if TYPE_CHECKING:
    from rmsd_agent.attempts import Attempt, Unit

_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_TASK_SLACK_S = 0.05
"""What tasks get beyond their job's limit, so that it ends the script before a task that the script
waits for, whose end would look like a failure. Less than the 0.1 s within which limits are kept."""


def script_spec(unit: Unit) -> Spec:
    launch = unit.attempt.launch
    return {
        "argv": [str(unit.dir / "script"), *launch.args],
        "cwd": launch.workdir,
        "env": {**_environment(unit.attempt), MARK: str(unit.dir)},
        "stdout": launch.stdout,
        "stderr": launch.stderr,
        "limit_s": launch.killed_after_s,
        "kill_grace_s": launch.kill_grace_s,
        "warn": warning.for_script(launch.warn_signal, unit.attempt.saved.warn_at_s),
        "keep_as": f".attempt{launch.keep_output_of}" if launch.keep_output_of else "",
        "own_output": False,
        "max_output_bytes": launch.max_output_bytes,
        "script": True,
    }


def sleep_spec(unit: Unit, end_s: float) -> Spec:
    """A process that lives until `end_s` of CLOCK_MONOTONIC, however late it is started."""
    launch = unit.attempt.launch
    return {
        "argv": ["sleep"],
        "until_s": end_s,
        "cwd": "/",
        "env": {"PATH": _DEFAULT_PATH, MARK: str(unit.dir)},
        "stdout": os.devnull,
        "stderr": "",
        "limit_s": launch.killed_after_s,
        "kill_grace_s": launch.kill_grace_s,
        "warn": None,
        "keep_as": "",
        "own_output": False,
        "max_output_bytes": 0,
        "script": False,
    }


def task_spec(unit: Unit, call: StartTask) -> Spec:
    attempt = unit.attempt
    return {
        "argv": call.argv,
        "cwd": call.workdir or attempt.launch.workdir,
        "env": {**_environment(attempt), **call.env, MARK: str(unit.dir)},
        "stdout": str(unit.dir / "stdout"),
        "stderr": str(unit.dir / "stderr"),
        "limit_s": attempt.limit_left_s(_TASK_SLACK_S),
        "kill_grace_s": attempt.launch.kill_grace_s,
        "warn": warning.for_task(
            attempt.launch.warn_signal, attempt.saved.warn_at_s, time.monotonic()
        ),
        "keep_as": "",
        "own_output": True,
        "max_output_bytes": attempt.launch.max_output_bytes,
        "script": False,
    }


def _with_rrun(path: str) -> str:
    """`path`, with the folder of our own commands at its end. (Whether there is a `rrun` before is
    not looked for: a user's directory may be of a server that does not answer.)"""
    folder = os.path.dirname(sys.executable)
    return path if folder in path.split(os.pathsep) else f"{path}{os.pathsep}{folder}"


def _environment(attempt: Attempt) -> dict[str, str]:
    """The environment the daemon gave, with what only this side knows."""
    env = {"PATH": _DEFAULT_PATH, "HOME": _home(), **attempt.launch.env}
    env["PATH"] = _with_rrun(env["PATH"])
    env["RMS_JOB_START_TIME"] = str(int(attempt.saved.started_s))
    if attempt.launch.limit_s is not None:
        env["RMS_JOB_END_TIME"] = str(int(attempt.saved.started_s + attempt.launch.limit_s))
    return env


@lru_cache(maxsize=1)
def _home() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"
