"""A step of one task in a terminal: it is begun, attended or left to `rattach`, and ended."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from queue import SimpleQueue
from typing import NamedTuple

from rmsd_client.api import Client
from rmsd_client.errors import EXIT_SIGNAL, LATER, ApiError, ClientError, Unreachable
from rmsd_client.script import base_name
from rmsd_client.session import (
    DETACHED,
    HANGUP_S,
    SessionPlace,
    TerminalSession,
    outputs,
    terminal_for,
)
from rmsd_client.step import end_of, exit_code_of, new_step_id
from rmsd_client.tasks import Task, task_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_PAUSE_S = 0.5
_START_S = 600.0  # a restart of the daemon takes less time
_BEYOND = 1 << 49
"""An offset that no output reaches: only the end is waited for."""
_MOST_NAME = 256


class TerminalStep(NamedTuple):
    """A step with a terminal. `attempt` 0 is the one that runs; `environment_of` returns the task's
    environment by the step's name; `hangup_s` None is the usual time."""

    job_id: int
    attempt: int
    task: Task
    cpus: int
    command: list[str]
    workdir: str
    environment_of: Callable[[str], Mapping[str, str]]
    hangup_s: float | None


def run_in_terminal(
    step: TerminalStep, connect: Callable[[], Client], program: str, *, detached: bool
) -> int:
    """Run a command in a terminal, with this process at it unless `detached`. Returns its exit
    code; 128 + SIGHUP if the user has left.

    Raises:
        ClientError: the task cannot be started, or is lost.
    """
    task = step.task
    told = {"name": base_name(step.command[0])[:_MOST_NAME], "nodelist": task.node, "tasks": 1,
            "cpus": step.cpus}  # fmt: skip
    with connect() as client:
        client.retry_for_s = _START_S
        number = client.begin_step(step.job_id, told)
        place = SessionPlace(step.job_id, new_step_id(number), task.node, task.rank)
        code = EXIT_SIGNAL + signal.SIGHUP
        try:
            _start(client, step, place)
            if detached:
                code = _wait_for_end(client, connect, place)
            else:
                ended = TerminalSession(connect, place, program).run()
                if ended != DETACHED:
                    code = int(ended)
        except ClientError as error:
            code = error.exit_code
            raise
        finally:
            client.retry_for_s = 1.0
            with contextlib.suppress(ClientError):
                client.end_step(step.job_id, number, end_of(code))
    return code


def _start(client: Client, step: TerminalStep, place: SessionPlace) -> None:
    environment = step.environment_of(place.step)
    request: dict[str, Any] = {
        "node": place.node,
        "step": place.step,
        "task": place.task,
        "argv": step.command,
        "env": task_environment(step.task, 1, place.step, environment),
        "workdir": step.workdir,
        "attempt": step.attempt,
        "terminal": terminal_for(step.hangup_s or HANGUP_S),
    }
    while True:
        try:
            return client.start_task(step.job_id, request)
        except ApiError as error:
            if error.status not in LATER:
                raise
        time.sleep(_PAUSE_S)


def _wait_for_end(client: Client, connect: Callable[[], Client], place: SessionPlace) -> int:
    """Return the exit code of a task when it is over. Signals to this process hang up."""
    asked: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda got, _frame: asked.put(got))
    threading.Thread(target=_hang_up, args=(connect, place, asked), daemon=True).start()
    client.retry_for_s = float("inf")  # the task runs on without the daemon
    for output in outputs(client, place, _BEYOND):
        code = exit_code_of(output)
    return code


def _hang_up(connect: Callable[[], Client], place: SessionPlace, asked: SimpleQueue[int]) -> None:
    """Hang up whenever that is asked; if the node is away, try again a little later."""
    while number := asked.get():
        try:
            with connect() as client:
                client.signal_task(place.job_id, place.step, place.task, place.node, signal.SIGHUP)
        except ClientError as error:
            if isinstance(error, Unreachable) or getattr(error, "status", 0) in LATER:
                time.sleep(_PAUSE_S)
                asked.put(number)
