"""The reasons why a task cannot be started or reached. `calls` says what the daemon is answered."""

from __future__ import annotations


class TaskError(Exception):
    """A task cannot be started or reached; the message says which and why."""


class TaskNotFound(TaskError):
    """The task, or the attempt that it would be of, is not here."""


class UnusableRequest(TaskError):
    """The step's name or the signal is none."""


class TaskOver(TaskError):
    """The task is over, and its record is deleted."""


class AttemptEnding(TaskError):
    """The attempt is ending, so that no task of it begins."""


class TooManyTasks(TaskError):
    """The attempt has as many tasks as may run at a time."""


class NotNow(TaskError):
    """The machine cannot start the task now, or its shepherd is away: a later try may do."""
