"""A step whose first task has a terminal: the step is begun, attended or left to `rattach`, and
ended."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from queue import SimpleQueue
from typing import NamedTuple

from rmsd_client.api import Client
from rmsd_client.errors import (
    EXIT_FAILURE,
    LATER,
    ApiError,
    ClientError,
    Unreachable,
)
from rmsd_client.sessions.session import (
    DETACHED,
    HANGUP_S,
    SessionPlace,
    TerminalSession,
    outputs,
    terminal_for,
)
from rmsd_client.steps.rrun_step import pass_signals
from rmsd_client.steps.step import new_step_id
from rmsd_client.steps.task_ends import TaskEnd, ended_as, told_of, use_of
from rmsd_client.steps.tasks import task_environment
from rmsd_client.submit.script import base_name
from rmsd_wire.hostlist import compress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rmsd_client.steps.step import Step
    from rmsd_client.steps.tasks import Task

_PAUSE_S = 0.5
_START_S = 600.0  # a restart of the daemon takes less time
_BEYOND = 1 << 49
"""An offset that no output reaches: only the end is waited for."""
_MOST_NAME, _MOST_NODELIST = 256, 4096


class TerminalStep(NamedTuple):
    """A step whose first task has a terminal. `attempt` 0 is the one that runs; `environment_of`
    returns the task's environment by the step's name; `hangup_s` None is the usual time. `others`
    makes the other tasks, by the step's name, with what is called at the end of each of them.
    `ended` is called with each task that is over and its end. `ends_together`: if a task
    fails, the others are ended."""

    job_id: int
    attempt: int
    tasks: Sequence[Task]
    cpus: int
    command: list[str]
    workdir: str
    environment_of: Callable[[str], Mapping[str, str]]
    hangup_s: float | None
    others: Callable[[str, Callable[[Task, TaskEnd], None]], Step] | None = None
    ended: Callable[[Task, TaskEnd], None] = lambda _task, _end: None
    ends_together: bool = False


def run_in_terminal(
    step: TerminalStep, connect: Callable[[], Client], program: str, *, detached: bool
) -> int:
    """Run a command in a terminal, with this process at it unless `detached`, and the other tasks
    beside it. Returns the highest exit code; 128 + SIGHUP if the user has left.

    Raises:
        ClientError: the task cannot be started, or is lost.
    """
    task = step.tasks[0]
    nodes = compress(list(dict.fromkeys(one.node for one in step.tasks)))
    told = {"name": base_name(step.command[0])[:_MOST_NAME], "nodelist": nodes[:_MOST_NODELIST],
            "tasks": len(step.tasks), "cpus": step.cpus}  # fmt: skip
    with connect() as client:
        client.retry_for_s = _START_S
        number = client.begin_step(step.job_id, told)
        place = SessionPlace(step.job_id, new_step_id(number), task.node, task.rank)
        ends = [TaskEnd(0, signal.SIGHUP)]  # if the user leaves
        use: dict[str, Any] = {}
        try:
            _start(client, step, place)
            others = _Others(step, place, connect)
            left = True
            try:
                if (end := _end_of_first(client, connect, place, program, detached)) is not None:
                    left, ends = False, [end]
                    step.ended(task, end)
            finally:
                failed = ends[0].code != 0 and step.ends_together
                ends += others.end(at_once=failed or left)
            known = [(task, ends[0]), *others.ends_by_task]
            if not left and len(known) == len(step.tasks):
                use = use_of(known)
        except ClientError as error:
            ends = [TaskEnd(error.exit_code)]
            raise
        finally:
            client.retry_for_s = 1.0
            with contextlib.suppress(ClientError):
                client.end_step(step.job_id, number, {**told_of(ends), **use})
    return max(end.code for end in ends)


def _end_of_first(
    client: Client,
    connect: Callable[[], Client],
    place: SessionPlace,
    program: str,
    detached: bool,
) -> TaskEnd | None:
    """Return the end of the task with the terminal; None if its user has left before."""
    if detached:
        return _wait_for_end(client, connect, place)
    session = TerminalSession(connect, place, program)
    return None if session.run() == DETACHED else session.end


class _Others:
    """The tasks of a step beside the one with the terminal, in a thread of their own."""

    def __init__(
        self, step: TerminalStep, place: SessionPlace, connect: Callable[[], Client]
    ) -> None:
        """Begin the tasks, if there are any."""
        self._asked, self._place, self._connect = step, place, connect
        self._broken = False
        self._step: Step | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        if step.others is not None and len(step.tasks) > 1:
            self._step = step.others(place.step, self._ended)
            self._thread.start()

    def end(self, *, at_once: bool) -> list[TaskEnd]:
        """Wait until the tasks are over, which have to end if `at_once`; returns their ends.
        Signals to this process are theirs meanwhile."""
        if self._step is None:
            return []
        if at_once:
            self._step.signal(signal.SIGTERM)
        pass_signals(self._step)
        self._thread.join()
        return [*self._step.ends.values(), *[TaskEnd(EXIT_FAILURE)] * self._broken]

    @property
    def ends_by_task(self) -> list[tuple[Task, TaskEnd]]:
        """Return the tasks that are over, with their ends."""
        return [] if self._step is None else self._step.ends_by_task

    def _run(self) -> None:
        assert self._step is not None
        try:
            self._step.run()
        except Exception:
            self._broken = True
            raise

    def _ended(self, task: Task, end: TaskEnd) -> None:
        self._asked.ended(task, end)
        if end.code and self._asked.ends_together:
            assert self._step is not None
            self._step.signal(signal.SIGTERM)
            place = self._place
            with contextlib.suppress(ClientError), self._connect() as client:
                client.signal_task(place.job_id, place.step, place.task, place.node, signal.SIGHUP)


def _start(client: Client, step: TerminalStep, place: SessionPlace) -> None:
    environment = step.environment_of(place.step)
    request: dict[str, Any] = {
        "node": place.node,
        "step": place.step,
        "task": place.task,
        "argv": step.command,
        "env": task_environment(step.tasks[0], len(step.tasks), place.step, environment),
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


def _wait_for_end(client: Client, connect: Callable[[], Client], place: SessionPlace) -> TaskEnd:
    """Return the end of a task when it is over. Signals to this process hang up."""
    asked: SimpleQueue[int] = SimpleQueue()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda got, _frame: asked.put(got))
    threading.Thread(target=_hang_up, args=(connect, place, asked), daemon=True).start()
    client.retry_for_s = float("inf")  # the task runs on without the daemon
    for output in outputs(client, place, _BEYOND):
        end = ended_as(output)
    return end


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
