"""Predictions of waiting jobs follow the history of their user, for a bounded number of jobs."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Repredict
from rmsd_core.lifecycle.inputs import Submit
from rmsd_core.lifecycle.predictions import Predictions
from rmsd_core.lifecycle.waiting import MOST_REPREDICTED
from rmsd_core.model_time import SECOND_US
from tests.core.small_cluster import cluster, exited, job

_RECIPE = "easy++,window=1,fullness=partial,propagate=yes"


def _with_waiting(count: int) -> tuple[Core, list[Job]]:
    """Return a core whose only node is taken by the first of a user's jobs, and all of the jobs."""
    core = cluster(_RECIPE, nodes=1, cores=1)
    jobs = [job(number) for number in range(1, count + 2)]
    for at_us, one in enumerate(jobs):
        core.handle(at_us, [Submit(one)])
    return core, jobs


def _repredicted(core: Core, ended: Job, at_s: int) -> list[int]:
    effects = core.handle(at_s * SECOND_US, [exited(ended, "n1", at_s)])
    return [one.job_id for one in effects.decisions if isinstance(one, Repredict)]


def test_an_end_predicts_a_bounded_number_of_jobs_again() -> None:
    """The jobs that arrived first follow. For 40,000 jobs, each end took 0.4 s."""
    core, jobs = _with_waiting(MOST_REPREDICTED + 1)
    first, second, *waiting = jobs
    predicted = _repredicted(core, first, 10)
    assert predicted == [one.id for one in jobs[1 : 1 + MOST_REPREDICTED]]
    assert second.prediction_us == waiting[0].prediction_us == 10 * SECOND_US
    assert waiting[-1].prediction_us == 60 * SECOND_US
    assert waiting[-1].id in _repredicted(core, second, 30)  # the next ones have come to the front


def test_ends_of_one_call_predict_again_twice_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ends of 20 jobs in a call, of a user with 100,000 waiting jobs, took the core 1 s, since
    each looked at all of these, and predicted a thousand of them again."""
    looks = 0
    predict = Predictions.of

    def counted(self: Predictions, *asked: Any) -> int:
        nonlocal looks
        looks += 1
        return predict(self, *asked)

    core = cluster(_RECIPE, nodes=8, cores=1)
    jobs = [job(number) for number in range(1, 59)]
    core.handle(0, [Submit(one) for one in jobs])
    running = [one for one in jobs if one.attempt]
    assert len(running) == 8
    monkeypatch.setattr(Predictions, "of", counted)
    ends = [exited(one, one.allocation[0].node, 20 + at) for at, one in enumerate(running)]
    core.handle(40 * SECOND_US, ends)
    assert looks <= 2 * 50
    assert jobs[-1].prediction_us == 27 * SECOND_US
