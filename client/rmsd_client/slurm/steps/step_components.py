"""The components of a step of srun, and the places of their tasks in the job."""

from __future__ import annotations

from typing import NamedTuple

from rmsd_client.console.cli import tell
from rmsd_client.slurm.steps.layouts import MISPLACED, misplaced, no_nodes_left, request_of
from rmsd_client.slurm.words.part_views import without_nodes
from rmsd_client.steps.step_layouts import tasks_of
from rmsd_client.steps.step_places import places
from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.slurm.submit.requests import Values
    from rmsd_client.steps.step_command import StepCommand
    from rmsd_client.steps.step_layouts import StepRequest
    from rmsd_client.steps.tasks import Task

    Job = dict[str, Any]


class StepComponent(NamedTuple):
    """A component of a step: the job that it is on, or the part of one, its options, and its
    programs. Most steps have one."""

    job: Job
    values: Values
    command: StepCommand


class Placed(NamedTuple):
    """A component with the tasks that it has in the step."""

    job: Job
    values: Values
    command: StepCommand
    tasks: list[Task]


class _Place(NamedTuple):
    """The request of a component to its job. `tasks` are laid out already; None: they go where
    processors are free. `first_node` is the place of the first node among those of the job."""

    job: Job
    values: Values
    asked: StepRequest
    tasks: list[Task] | None = None
    first_node: int = 0


def placed_tasks(components: Sequence[StepComponent], held: contextlib.ExitStack) -> list[Placed]:
    """Return the components with their tasks, whose places are the step's own until `held` is
    closed. A step takes what its components have in the order of the job's nodes: so no two steps
    wait for each other."""
    number = components[0].job["job_id"]
    say = (lambda _line: None) if "quiet" in components[0].values else tell

    def waits() -> None:
        say(
            f"srun: Job {number} step creation temporarily disabled, retrying "
            "(Requested nodes are busy)"
        )

    def goes_on() -> None:
        say(f"srun: Step created for job {number}")

    wanted = _apart(components)
    tasks_of_each: dict[int, list[Task]] = {}
    for at in sorted(range(len(wanted)), key=lambda at: wanted[at].first_node):
        job, values, asked, tasks, _ = wanted[at]
        overlap = "overlap" in values
        try:
            tasks_of_each[at] = held.enter_context(
                places(job, asked, tasks, overlap=overlap, waits=waits, goes_on=goes_on)
            )
        except MISPLACED as error:
            raise misplaced(job, error) from None
    found: list[Placed] = []
    rank = nodes = 0
    for at, one in enumerate(components):
        tasks = _ranked(tasks_of_each[at], rank, nodes)
        found.append(Placed(*one, tasks))
        rank, nodes = rank + len(tasks), nodes + len(nodes_of(tasks))
    return found


def _apart(components: Sequence[StepComponent]) -> list[_Place]:
    """Return what each component asks for. In a job without parts, each of several is on nodes of
    its own."""
    if len(components) == 1 or "part" in components[0].job:
        return [
            _Place(job, values, request_of(job, values), None, job.get("part", 0))
            for job, values, _ in components
        ]
    found: list[_Place] = []
    taken: list[str] = []
    for job, values, _ in components:
        view, asked = without_nodes(job, taken), request_of(job, values)
        if not view["nodelist"]:
            raise no_nodes_left(job, values, taken)
        try:
            tasks = tasks_of(view, asked)
        except MISPLACED as error:
            raise misplaced(view, error) from None
        nodes = nodes_of(tasks)
        first = min(map(expand(job["nodelist"]).index, nodes))
        found.append(_Place(view, values, asked, tasks, first))
        taken += nodes
    return found


def _ranked(tasks: Sequence[Task], rank: int, node_index: int) -> list[Task]:
    """Return tasks with their ranks in the step, and with the places of their nodes there."""
    nodes = list(dict.fromkeys(task.node for task in tasks))
    if not rank:
        return list(tasks)
    return [
        task._replace(rank=rank + at, node_index=node_index + nodes.index(task.node))
        for at, task in enumerate(tasks)
    ]


def nodes_of(tasks: Sequence[Task]) -> list[str]:
    """Return the nodes of tasks, in the order of their ranks."""
    return list(dict.fromkeys(task.node for task in tasks))
