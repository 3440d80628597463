"""Predictions of waiting jobs follow the history of their user, a bounded number in a call."""

from __future__ import annotations

from itertools import chain

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle import predicting
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, Repredict, Start
from rmsd_core.lifecycle.inputs import Exited, Submit
from rmsd_core.lifecycle.predicting import MOST_FOLLOWING, MOST_IN_A_CALL
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import cluster, exited, job

_RECIPE = "easy++,window=1,fullness=partial,propagate=yes"


def _with_waiting(count: int) -> tuple[Core, list[Job]]:
    """Return a core whose only node is taken by the first of a user's jobs, and all of the jobs."""
    core = cluster(_RECIPE, nodes=1, cores=1)
    jobs = [job(number) for number in range(1, count + 2)]
    for at_us, one in enumerate(jobs):
        core.handle(at_us, [Submit(one)])
    return core, jobs


def _calls(core: Core, at_s: int, *inputs: Exited) -> list[Effects]:
    """Return the effects of the inputs, and of the calls that follow at the same time."""
    calls = [core.handle(at_s * SECOND_US, inputs)]
    while calls[-1].wake_us == at_s * SECOND_US:
        calls.append(core.handle(at_s * SECOND_US, []))
    return calls


def _repredicted(effects: Effects) -> list[int]:
    return [one.job_id for one in effects.decisions if isinstance(one, Repredict)]


def _started(effects: Effects) -> list[int]:
    return [one.job_id for one in effects.decisions if isinstance(one, Start)]


def test_an_end_predicts_a_bounded_number_of_jobs_again() -> None:
    """The jobs that arrived first follow, some in a call, and then a pass is run. For 40,000 jobs,
    each end took 0.4 s, and for 1,000 in one call 70 ms."""
    core, jobs = _with_waiting(MOST_FOLLOWING + 1)
    first, second, *waiting = jobs
    calls = _calls(core, 10, exited(first, "n1", 10))
    predicted = [_repredicted(call) for call in calls]
    assert [*chain.from_iterable(predicted)] == [one.id for one in jobs[1 : 1 + MOST_FOLLOWING]]
    assert max(map(len, predicted)) <= MOST_IN_A_CALL
    assert [_started(call) for call in calls] == [[]] * (len(calls) - 1) + [[second.id]]
    assert second.prediction_us == waiting[0].prediction_us == 10 * SECOND_US
    assert waiting[-1].prediction_us == 60 * SECOND_US
    again = _calls(core, 30, exited(second, "n1", 30))
    assert waiting[-1].id in chain.from_iterable(map(_repredicted, again))


def test_the_rows_of_predicted_jobs_are_told_apart() -> None:
    """The second job has started, too, and the third has a promised start."""
    core, jobs = _with_waiting(3)
    [effects] = _calls(core, 10, exited(jobs[0], "n1", 10))
    assert set(effects.changed) == {one.id for one in jobs}
    assert effects.predicted == {jobs[3].id}


def test_ends_of_one_call_predict_each_job_again_once() -> None:
    """The ends of 20 jobs in a call, of a user with 100,000 waiting jobs, took the core 1 s, since
    each looked at all of these, and predicted a thousand of them again."""
    core = cluster(_RECIPE, nodes=8, cores=1)
    jobs = [job(number) for number in range(1, 59)]
    core.handle(0, [Submit(one) for one in jobs])
    running = [one for one in jobs if one.attempt]
    assert len(running) == 8
    ends = [exited(one, one.allocation[0].node, 20 + at) for at, one in enumerate(running)]
    [effects] = _calls(core, 40, *ends)
    assert _repredicted(effects) == [one.id for one in jobs[8:]]
    assert jobs[-1].prediction_us == 27 * SECOND_US


def test_a_pass_comes_between_two_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's jobs end faster than the others are predicted again: passes are run all the same."""
    monkeypatch.setattr(predicting, "MOST_IN_A_CALL", 3)
    core = cluster(_RECIPE, nodes=2, cores=1)
    jobs = [job(number) for number in range(1, 10)]
    core.handle(0, [Submit(one) for one in jobs])
    first, second, third, *_ = jobs
    passes = core.passes
    one = core.handle(10 * SECOND_US, [exited(first, "n1", 10)])
    two = core.handle(20 * SECOND_US, [exited(second, "n2", 20)])
    assert (_started(one), _started(two), core.passes) == ([], [], passes)
    calls = _calls(core, 20)
    starts = [at for at, call in enumerate(calls) if _started(call)]
    assert [*chain.from_iterable(map(_started, calls))] == [third.id, third.id + 1]
    assert starts[-1] < len(calls) - 1  # the round of the second end comes after the pass
    assert jobs[-1].prediction_us == 20 * SECOND_US


def test_a_restored_core_goes_on_with_the_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicting, "MOST_IN_A_CALL", 3)
    core, (first, *waiting) = _with_waiting(9)
    core.handle(10 * SECOND_US, [exited(first, "n1", 10)])
    assert waiting[0].prediction_us != waiting[-1].prediction_us
    memory = core.memory()
    assert memory.to_predict == ("ann",)
    again = Core(parse_recipe(_RECIPE), "nodes")
    history = [("ann", first.seq, 10 * SECOND_US, first.estimate_us, first.size)]
    again.restore(core.nodes.values(), core.jobs.values(), history, memory)
    _calls(again, 10)
    assert {one.prediction_us for one in waiting} == {10 * SECOND_US}
