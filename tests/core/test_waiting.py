"""The index over waiting jobs gives what a walk of the queue would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.planning import queue as waiting
from rmsd_core.planning.queue import Bounds, WaitingIndex, by_arrival, by_prediction

shapes = st.tuples(st.integers(1, 20), st.integers(1, 20))
queues = st.lists(shapes, max_size=80)


def waiting_job(seq: int, size: int, prediction_us: int) -> Job:
    job = Job(seq, "u", 0, processors(size), prediction_us)
    job.seq, job.prediction_us = seq, prediction_us
    return job


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "BLOCK", 4)


@given(queues, st.data(), st.sampled_from([by_arrival, by_prediction]))
def test_order_and_candidates_match_a_plain_list(queue, data, key) -> None:  # type: ignore[no-untyped-def]
    index = WaitingIndex(key)
    jobs = [waiting_job(seq, *shape) for seq, shape in enumerate(queue)]
    for job in jobs:
        index.add(job)
    gone = data.draw(st.sets(st.sampled_from(jobs)) if jobs else st.just(set()))
    for job in gone:
        index.remove(job)
    left = sorted((job for job in jobs if job not in gone), key=key)
    assert list(index) == left
    assert len(index) == len(left)
    assert index.first() is (left[0] if left else None)

    free, window, extra = data.draw(st.tuples(*[st.integers(0, 20)] * 3))
    assert index.any_within(free) == any(job.size <= free for job in left)
    met = [
        job
        for job in left
        if job.size <= free and (job.prediction_us <= window or job.size <= extra)
    ]
    assert list(index.candidates(Bounds(free, window, extra))) == met


@given(queues)
def test_bounds_tightened_on_the_way_hold_from_the_next_candidate_on(queue) -> None:  # type: ignore[no-untyped-def]
    index = WaitingIndex(by_arrival)
    jobs = [waiting_job(seq, *shape) for seq, shape in enumerate(queue)]
    for job in jobs:
        index.add(job)
    bounds = Bounds(30, 10, 5)
    started = []
    for job in index.candidates(bounds):
        started.append(job)
        bounds.free -= job.size
    free, expected = 30, []
    for job in jobs:
        if job.size <= free and (job.prediction_us <= 10 or job.size <= 5):
            expected.append(job)
            free -= job.size
    assert started == expected


def test_removing_a_stranger_is_an_error() -> None:
    index = WaitingIndex(by_arrival)
    index.add(waiting_job(1, 1, 1))
    with pytest.raises(KeyError):
        index.remove(waiting_job(2, 1, 1))
