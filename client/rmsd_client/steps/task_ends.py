"""The ends of a step's tasks, and what the daemon is told of them at the end of the step."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.errors import EXIT_FAILURE, EXIT_SIGNAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.calls.output import Output
    from rmsd_client.steps.tasks import Task


class TaskEnd(NamedTuple):
    """The end of a task: by its own exit, whose code may be above 128, or by a signal. What the
    task has used is None if that is not known."""

    exit_code: int
    signal: int = 0
    cpu_s: float | None = None
    max_rss_mib: int | None = None

    @property
    def code(self) -> int:
        """Return the exit code as a shell tells it, in which a signal is 128 and its number."""
        return EXIT_SIGNAL + self.signal if self.signal else self.exit_code


def ended_as(output: Output) -> TaskEnd:
    """Return the end of a task, as the end of its output tells it."""
    used = output.cpu_s, output.max_rss_mib
    if output.signal:
        return TaskEnd(0, output.signal, *used)
    return TaskEnd(EXIT_FAILURE if output.exit_code is None else output.exit_code, 0, *used)


def told_of(ends: Iterable[TaskEnd]) -> dict[str, Any]:
    """Return what the daemon is told of the end of a step: the end of the task that ended worst."""
    worst = max(ends, key=lambda end: end.code)
    return {"exit_code": worst.exit_code, "signal": worst.signal}


def use_of(ends: Sequence[tuple[Task, TaskEnd]]) -> dict[str, Any]:
    """Return what the daemon is told of the use of a step whose tasks are all over: nothing if it
    is not known of one of them."""
    by_cpu_s = [(end.cpu_s, task) for task, end in ends if end.cpu_s is not None]
    by_mib = [(end.max_rss_mib, task) for task, end in ends if end.max_rss_mib is not None]
    if not ends or len(by_cpu_s) < len(ends) or len(by_mib) < len(ends):
        return {}
    least_s, quickest = min(by_cpu_s, key=lambda one: one[0])
    most_mib, largest = max(by_mib, key=lambda one: one[0])
    cpu_s = sum(seconds for seconds, _ in by_cpu_s)
    return {
        "cpu_s": cpu_s,
        "max_rss_mib": most_mib,
        "figures": {
            "ave_cpu_s": cpu_s / len(ends),
            "min_cpu_s": least_s,
            "min_cpu_task": quickest.rank,
            "min_cpu_node": quickest.node,
            "ave_rss_mib": sum(mib for mib, _ in by_mib) / len(ends),
            "max_rss_task": largest.rank,
            "max_rss_node": largest.node,
        },
    }
