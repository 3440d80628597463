"""The index over waiting jobs gives what a walk of the queue would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning import queue as waiting
from rmsd_core.planning.bounds import Bounds
from rmsd_core.planning.queue import WaitingIndex, by_arrival, by_prediction
from rmsd_core.planning.ranked_index import RankedIndex
from rmsd_core.recipes.extensions import ORDERS, Priority, lxfw

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


def test_jobs_that_come_in_order_are_put_into_blocks_once() -> None:
    """After a restart all waiting jobs come in order. Each block was divided when it was full, and
    the jobs of both halves were looked at again."""
    looked_at: list[int] = []

    def length(job: Job) -> int:
        looked_at.append(job.id)
        return job.prediction_us

    index = WaitingIndex(by_arrival, length)
    jobs = [waiting_job(seq, 1, 1) for seq in range(100)]
    for job in jobs:
        index.add(job)
    assert looked_at == [*range(100)]
    assert [len(block) for block in index.lend()] == [4] * 25
    for job in jobs[8:]:
        index.remove(job)
    for job in jobs[20:8:-1]:
        index.add(job)
    assert [job.id for job in index] == [*range(8), *range(9, 21)]


class _Counted:
    """LXF&W, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, job: Job, now_us: int) -> float:
        self.asked += 1
        return lxfw(job, now_us)


def lxfw_index(priority: Priority = lxfw) -> RankedIndex:
    growth = ORDERS["lxfw"].growth
    assert growth is not None
    return RankedIndex(priority, growth)


def test_only_new_jobs_are_ranked_while_many_join() -> None:
    """Jobs of one submit have the same priority. While 200,000 joined after a restart, a thousand
    in a call, each call looked at all that had joined before."""
    priority = _Counted()
    index = lxfw_index(priority)
    for first in range(0, 100, 10):
        for seq in range(first, first + 10):
            index.add(waiting_job(seq, 1, 1))
        index.rank_new(5_000_000)
    assert priority.asked == 100
    head = index.first(5_000_000)
    assert head is not None
    assert head.seq == 0


def test_a_queue_that_all_new_jobs_have_left_has_nothing_to_rank() -> None:
    """The last block is kept when it is empty, with what is known of the jobs that have left."""
    index = lxfw_index()
    old, new = waiting_job(1, 1, 1), waiting_job(2, 1, 1)
    index.add(old)
    index.rank_new(1_000_000)
    index.add(new)
    index.remove(old)
    index.remove(new)
    index.rank_new(2_000_000)
    assert index.first(2_000_000) is None


# Jobs come and go at any time of the run, and some are of the same prediction or the same time.
events = st.lists(
    st.tuples(
        st.integers(0, 3),  # the time that passes [us or s]
        st.sampled_from([1, 1_000_000]),
        st.integers(1, 20),  # size
        st.sampled_from([1, 2, 3, 1_000_000, 1_000_001, 60_000_000, NEVER_US]),
        st.booleans(),  # True if a job leaves
    ),
    max_size=60,
)


@pytest.mark.slow
@given(events, st.data())
def test_a_ranked_index_is_a_list_sorted_at_each_time(events, data) -> None:  # type: ignore[no-untyped-def]
    index, jobs, now_us = lxfw_index(), [], 1_700_000_000_000_000
    for seq, (later, unit_us, size, prediction_us, leaves) in enumerate(events):
        now_us += later * unit_us
        job = waiting_job(seq, size, prediction_us)
        job.eligible_us = now_us
        jobs.append(job)
        index.add(job)
        if leaves:
            index.remove(jobs.pop(data.draw(st.integers(0, len(jobs) - 1))))
        ranked = sorted(jobs, key=lambda job: (-lxfw(job, now_us), job.seq))
        assert index.first(now_us) is (ranked[0] if ranked else None)
        free, window, extra = data.draw(st.tuples(*[st.integers(0, 20)] * 3))
        bounds = Bounds(free, window * unit_us, extra, lambda job: job.seq % 3 > 0)
        met = [
            job
            for job in ranked
            if job.size <= free
            and (job.prediction_us <= window * unit_us or job.size <= extra)
            and job.seq % 3
        ]
        assert list(index.candidates(bounds, now_us)) == met
        assert list(index.jobs(now_us)) == ranked
    while jobs:  # a pass that starts one head after the other
        first = index.first(now_us)
        assert first is min(jobs, key=lambda job: (-lxfw(job, now_us), job.seq))
        index.remove(first)
        jobs.remove(first)
    assert index.first(now_us) is None


@pytest.mark.slow
def test_a_pass_does_not_ask_for_the_priority_of_each_different_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """30,000 jobs of one user, each with a limit of its own, are looked at once; then a pass looks
    at those that may be next."""
    monkeypatch.setattr(waiting, "BLOCK", 256)
    priority = _Counted()
    index = lxfw_index(priority)
    for seq in range(30_000):
        job = waiting_job(seq, 1, 3_600_000_000 + (seq * 7919) % 30_000 * 1_000_000)
        job.eligible_us = seq * 1000
        index.add(job)
    index.first(30_000_000)
    priority.asked = 0
    for minute in range(1, 61):
        now_us = 30_000_000 + minute * 60_000_000
        head = index.first(now_us)
        assert head is not None
        index.remove(head)
        assert list(index.candidates(Bounds(1, 3_599_000_000, 0), now_us)) == []
    assert priority.asked < 60 * 10 * 256


@given(queues, st.data(), st.sampled_from(["sorted", "ranked"]))
def test_what_is_lent_stays_as_it_is_when_jobs_come_and_go(queue, data, kind) -> None:  # type: ignore[no-untyped-def]
    """Long answers look at the queue as it was when they began."""
    index: WaitingIndex | RankedIndex = WaitingIndex(by_arrival)
    if kind == "ranked":
        index = RankedIndex(lambda job, now_us: float(now_us * job.size), lambda job: job.size)
    jobs = [waiting_job(seq, *shape) for seq, shape in enumerate(queue)]
    first, later = jobs[: len(jobs) // 2], jobs[len(jobs) // 2 :]
    for job in first:
        index.add(job)
    lent = index.lend()
    gone = data.draw(st.sets(st.sampled_from(first)) if first else st.just(set()))
    for job in [*later, *gone]:
        index.remove(job) if job in gone else index.add(job)
    assert {job.id for some in lent for job in some} == {job.id for job in first}
    assert sum(map(len, lent)) == len(first)
    now = {job for some in index.lend() for job in some}
    assert now == {job for job in jobs if job not in gone} == set(index.jobs(0))
