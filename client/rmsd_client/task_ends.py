"""The ends of a step's tasks, and what the daemon is told of them at the end of the step."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.errors import EXIT_FAILURE, EXIT_SIGNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rmsd_client.output import Output


class TaskEnd(NamedTuple):
    """The end of a task: by its own exit, whose code may be above 128, or by a signal."""

    exit_code: int
    signal: int = 0

    @property
    def code(self) -> int:
        """Return the exit code as a shell tells it, in which a signal is 128 and its number."""
        return EXIT_SIGNAL + self.signal if self.signal else self.exit_code


def ended_as(output: Output) -> TaskEnd:
    """Return the end of a task, as the end of its output tells it."""
    if output.signal:
        return TaskEnd(0, output.signal)
    return TaskEnd(EXIT_FAILURE if output.exit_code is None else output.exit_code)


def told_of(ends: Iterable[TaskEnd]) -> dict[str, Any]:
    """Return what the daemon is told of the end of a step: the end of the task that ended worst."""
    worst = max(ends, key=lambda end: end.code)
    return {"exit_code": worst.exit_code, "signal": worst.signal}
