"""The site's own programs around the jobs of a node: the prolog before an attempt's first process,
and the epilog after its last.

Both run as the agent's account, without an argument, and learn of the job by their environment. An
agent that starts again runs a program anew if it cannot know that the program was done.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from asyncio.subprocess import DEVNULL
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from rmsd_agent.attempts.attempt import NodeAttempt
from rmsd_agent.shepherd.standalone.outputs import NODES_FAULT
from rmsd_process.open_files import with_given_open_files
from rmsd_wire.job_environment import LOGIN_PATH
from rmsd_wire.link import Launch
from rmsd_wire.slurm_names import slurm_names

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_EVENTS = {"prolog": "prolog-failed", "epilog": "epilog-failed"}
_TOLD = frozenset(
    {
        "RMS_ARRAY_JOB_ID", "RMS_ARRAY_TASK_ID", "RMS_ATTEMPT", "RMS_CPUS_ON_NODE", "RMS_GRES",
        "RMS_JOB_ACCOUNT", "RMS_JOB_GPUS", "RMS_JOB_ID", "RMS_JOB_NAME", "RMS_JOB_PARTITION",
        "RMS_JOB_QOS", "RMS_JOB_USER", "RMS_MEM_PER_CPU", "RMS_MEM_PER_NODE", "RMS_NNODES",
        "RMS_NODELIST", "RMS_NODENAME", "RMS_RESTART_COUNT",
    }
)  # fmt: skip
"""The job's variables that the programs get. The daemon sets them, and no other is passed on: users
choose the rest of a job's environment."""

_MOST_BYTES = 128 * 1024 - 256
"""The longest variable that is told, but for its name: the kernel starts no program with a longer
one (MAX_ARG_STRLEN). The list of thousands of nodes may be."""
_CHOSEN = ("RMS_JOB_ACCOUNT", "RMS_JOB_QOS")
"""Variables that are any text of the user's where a site has no accounts, or no QOS. They are told
where they are names as a configuration can have: these are part of no other path or command."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", re.ASCII)
_NOTHING_LEFT = "this machine had no process, memory or open file left"
_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class ProgramPaths:
    """The programs of the site, None for none, and how long each of them may take. They run on
    `node`, this machine; emulated nodes have none. The health check runs each
    `health_check_interval_s`, whatever jobs there are."""

    node: str = ""
    prolog: Path | None = None
    epilog: Path | None = None
    timeout_s: float = 300.0
    health_check: Path | None = None
    health_check_interval_s: float = 300.0
    reboot: Path | None = None


class SitePrograms:
    """Runs the programs of the site, each at most once at a time for an attempt."""

    def __init__(self, paths: ProgramPaths) -> None:
        self._paths = paths
        self._running: set[asyncio.Task[None]] = set()

    def are_for(self, launch: Launch) -> bool:
        """Return whether the programs run around an attempt, if there are any."""
        return launch.node == self._paths.node and launch.emulation is None

    @property
    def has_prolog(self) -> bool:
        return self._paths.prolog is not None

    @property
    def has_epilog(self) -> bool:
        return self._paths.epilog is not None

    def run_prolog(self, attempt: NodeAttempt, then: Callable[[str], None]) -> None:
        """Run the prolog, and call `then` with "" or the reason of its failure."""
        assert self._paths.prolog is not None
        self._begin("prolog", self._paths.prolog, attempt, then)

    def run_epilog(self, attempt: NodeAttempt, then: Callable[[str], None]) -> None:
        """Run the epilog, and call `then` with "" or the reason of its failure."""
        assert self._paths.epilog is not None
        self._begin("epilog", self._paths.epilog, attempt, then)

    def close(self) -> None:
        """Kill the programs that run. A later agent runs them again."""
        for task in self._running:
            task.cancel()

    def _begin(
        self, kind: str, path: Path, attempt: NodeAttempt, then: Callable[[str], None]
    ) -> None:
        attempt.program_runs = True
        env = program_environment(kind, attempt.launch)
        task = asyncio.get_running_loop().create_task(
            run_program(path, env, self._paths.timeout_s, partial(self._over, kind, attempt, then))
        )
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _over(
        self, kind: str, attempt: NodeAttempt, then: Callable[[str], None], problem: str
    ) -> None:
        attempt.program_runs = False
        if problem:
            launch = attempt.launch
            log.error(_EVENTS[kind], job_id=launch.job_id, node=launch.node, error=problem)
            problem = f"the {kind} of job {launch.job_id} failed: {problem}"
        then(problem)


def program_environment(kind: str, launch: Launch) -> dict[str, str]:
    """Return the environment of a program: the job's variables by our names and by Slurm's."""
    told = {
        name: value
        for name, value in launch.env.items()
        if name in _TOLD and len(os.fsencode(value)) <= _MOST_BYTES
        if name not in _CHOSEN or _NAME.fullmatch(value)
    }
    told |= {"RMS_JOB_ID": str(launch.job_id), "RMS_NODENAME": launch.node}
    return program_environment_of(kind, told)


def program_environment_of(kind: str, told: dict[str, str]) -> dict[str, str]:
    """Return the environment of a program that is told these variables."""
    context = {"RMS_SCRIPT_CONTEXT": kind, "SLURM_SCRIPT_CONTEXT": f"{kind}_slurmd"}
    return {"PATH": LOGIN_PATH, **told, **slurm_names(told), **context}


async def run_program(
    path: Path,
    env: dict[str, str],
    timeout_s: float,
    over: Callable[[str], None],
    stdout: int = 2,
) -> None:
    """Run a program in a session of its own, and call `over` with "" or the reason of its failure.

    What it writes goes to the agent's log, or on standard output to the file `stdout`. If it takes
    too long, its whole process group is killed, as it is when this call is cancelled; what a
    program leaves in the background runs on.
    """
    process = None
    try:
        async with asyncio.timeout(timeout_s):
            process = await _started(path, env, stdout)
            code = await process.wait()
    except TimeoutError:
        if process is None:
            problem = f"{path} was not started within {timeout_s:g} s: {_NOTHING_LEFT}"
        else:
            problem = f"{path} was not done within {timeout_s:g} s"
    except OSError as error:  # no further process
        problem = f"{path}: {error.strerror}"
    else:
        problem = f"{path} {ended_with(code)}" if code else ""
    finally:
        if process is not None and process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    over(problem)


async def _started(path: Path, env: dict[str, str], stdout: int) -> asyncio.subprocess.Process:
    """Start a program. While this machine has no process, memory or file left, try again: a drained
    node would be no better."""
    while True:
        try:
            return await asyncio.create_subprocess_exec(
                *with_given_open_files([str(path)]),
                stdin=DEVNULL, stdout=stdout, stderr=2, cwd="/", env=env, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            if error.errno not in NODES_FAULT:
                raise
        await asyncio.sleep(_PAUSE_S)


def ended_with(code: int) -> str:
    """Return in words how a program has ended, by its exit code or the signal below zero."""
    if code < 0:
        return f"was ended by signal {-code}"
    hint = " (is it there, and executable?)" if code in (126, 127) else ""
    return f"exited with {code}{hint}"
