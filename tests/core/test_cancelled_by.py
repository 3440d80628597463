"""The account that has cancelled a job is kept with the job."""

from __future__ import annotations

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.conditions import NO_CONDITIONS
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import Cancel, Exited, NodeUp, Restart, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState


def _job(number: int, array: Array[Job] | None = None) -> Job:
    request = Request((Component(1, 4, 0),))
    if array is not None:
        return Job(number, "anna", 0, request, SECOND_US, array=array, phase=UNFOLDING)
    return Job(number, "anna", 0, request, SECOND_US)


def _core(*jobs: Job) -> Core:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp("n1", 4, 1000), *(Submit(job) for job in jobs)])
    return core


def test_a_job_that_waits_or_runs_has_its_first_canceller() -> None:
    running, waiting = _job(1), _job(2)
    core = _core(running, waiting)
    core.handle(1, [Cancel(2, by="ops")])
    assert (waiting.state, waiting.record.cancelled_by) == (JobState.CANCELLED, "ops")
    core.handle(2, [Cancel(1, by="ops")])
    core.handle(3, [Cancel(1, by="anna")])  # the job is being ended already
    assert running.state is JobState.COMPLETING
    core.handle(4, [Exited(1, 1, "n1", 4, Outcome(Cause.USER, None, 15))])
    assert (running.state, running.record.cancelled_by) == (JobState.CANCELLED, "ops")
    core.handle(5, [Restart(running, NO_CONDITIONS)])
    assert core.jobs[1].record.cancelled_by is None


def test_an_array_has_the_latest_canceller_of_its_tasks() -> None:
    array = _job(1, Array(Indices([(0, 9, 1)])))
    core = _core(array)
    [(_, running)] = array.array.tasks_in_order()[:1] if array.array else []
    core.handle(1, [Cancel(1, ((5, 7),), "ben")])
    assert (array.record.cancelled_by, running.record.cancelled_by) == ("ben", None)
    core.handle(2, [Cancel(1, ((5, 6),), "carla")])  # this task is over
    assert array.record.cancelled_by == "ben"
    core.handle(3, [Cancel(1, by="ops")])
    assert (array.record.cancelled_by, running.record.cancelled_by) == ("ops", "ops")
