"""The tasks of attempts, which `rrun` starts: beginning them, and keeping those that are over."""

from __future__ import annotations

import re

import structlog

from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt, Unit
from rmsd_agent.attempts.cleaner import Cleaner
from rmsd_agent.attempts.errors import (
    AttemptEnding,
    NotNow,
    TaskNotFound,
    TaskOver,
    TooManyTasks,
    UnusableRequest,
)
from rmsd_agent.attempts.runner import Runner
from rmsd_agent.attempts.specs import task_spec
from rmsd_agent.attempts.task_binding import bound_to
from rmsd_agent.machine.users import Users
from rmsd_agent.reports import Key
from rmsd_agent.state.records import write_used
from rmsd_wire.link_calls import StartTask

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

STEP_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")
ENDED_TASKS = 4
"""The number of ended tasks that an attempt keeps for their readers, for each task that may run."""
REMEMBERED_TASKS = 64
"""The number of names that an attempt keeps of tasks whose records are deleted, for each task that
may run. A call that starts a task may be repeated minutes after the task has ended."""


def task_unit_name(step: str, task: int) -> str:
    """Return the name of a task's unit within its attempt."""
    return f"{step}.{task}"


class Tasks:
    """Starts tasks, and keeps the records and the outputs of the last that have ended."""

    def __init__(self, held: HeldAttempts, runner: Runner, users: Users, cleaner: Cleaner) -> None:
        self._held = held
        self._runner = runner
        self._users = users
        self._cleaner = cleaner

    def start(self, key: Key, call: StartTask) -> Unit:
        """Start a task, or find the one that a repeated call has started.

        Raises:
            TaskError: The attempt is not here or is ending, or it has the most tasks that it may
                have. The step's name may also be unusable, or the task is over and deleted.
            UserRefused: This agent runs nothing of this user's.
        """
        attempt = self._held.attempts.get(key)
        if attempt is None:
            raise TaskNotFound(f"job {call.job_id} is not running on node {call.node}")
        if not STEP_NAME.fullmatch(call.step):
            raise UnusableRequest(
                f"step '{call.step}': letters, digits, '-' and '_' only, up to 100"
            )
        name = task_unit_name(call.step, call.task)
        if (known := attempt.units.get(name)) is not None:
            return known
        _check_room(attempt, name, call)
        bound_to(call.bind, attempt.saved.processors)  # raises before anything is begun
        self._users.runs_as(attempt.launch.user)
        # the script has begun on another node by now
        if not attempt.launch.batch and not attempt.units:
            attempt.begin_now()
        try:
            (attempt.dir / name).mkdir(mode=0o700)
        except OSError as error:  # no fault of the step: `rrun` asks again, as for a node away
            raise NotNow(f"{error.filename}: {error.strerror}") from None
        unit = self._held.add_unit(attempt, name)
        if call.stdin and call.terminal is None:
            try:
                unit.open_input()
            except OSError as error:
                self._held.drop_unit(unit)
                self._cleaner.throw_away(unit.dir)
                raise NotNow(f"{error.filename}: {error.strerror}") from None
        unit.make_spec = lambda: task_spec(attempt, unit.dir, call)
        self._runner.run(unit)
        return unit

    def ended(self, task: Unit) -> None:
        """Keep the record and the output of an ended task, but only of so many in an attempt.

        Those of the task that ended first are deleted for it: a job may start tasks without end.
        """
        task.close_input()
        attempt = task.attempt
        attempt.ended_tasks.append(task)
        if len(attempt.ended_tasks) > ENDED_TASKS * attempt.most_tasks:
            self._delete(attempt.ended_tasks.popleft())

    def _delete(self, task: Unit) -> None:
        attempt = task.attempt
        if task.status is not None:
            attempt.used_before = attempt.used_before.plus(
                task.status.cpu_s, task.status.max_rss_mib
            )
        try:
            write_used(attempt.dir, attempt.used_before)
        except OSError as error:  # a later agent will not know of the task
            log.error("usage-not-recorded", path=error.filename, error=error.strerror)
        self._held.drop_unit(task)
        attempt.deleted_tasks[hash(task.dir.name)] = None
        if len(attempt.deleted_tasks) > REMEMBERED_TASKS * attempt.most_tasks:
            del attempt.deleted_tasks[next(iter(attempt.deleted_tasks))]
        self._cleaner.throw_away(task.dir)


def _check_room(attempt: NodeAttempt, name: str, call: StartTask) -> None:
    """Check that the attempt can have a new task of this name. Raises TaskError if it cannot."""
    if hash(name) in attempt.deleted_tasks:
        raise TaskOver(f"task {name} of job {call.job_id} is over, and its record is deleted")
    if attempt.is_suspended:
        raise NotNow(f"job {call.job_id} is suspended on node {call.node}")
    if attempt.program_runs and not attempt.ending:
        raise NotNow(f"the prolog of job {call.job_id} runs on node {call.node}")
    if attempt.ending:
        raise AttemptEnding(f"job {call.job_id} is ending on node {call.node}")
    tasks = sum(not one.is_batch and one.status is None for one in attempt.units.values())
    if tasks >= attempt.most_tasks:
        raise TooManyTasks(
            f"job {call.job_id} has {tasks} tasks on node {call.node}, as many as may run"
        )
