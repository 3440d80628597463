"""The steps that the daemon remembers: numbers, ends, whose they are, and how many."""

from __future__ import annotations

from rmsd_daemon.domain.steps import MOST_OF_JOB, MOST_OF_USER, StepRecords
from rmsd_wire.api.steps import StepBody, StepEndBody

BODY = StepBody("sh", "n1", 2, 2)


def _begin(steps: StepRecords, job_id: int, user: str = "ann") -> int:
    return steps.begin(user, job_id, 1, BODY, 1000 + job_id)


def test_steps_are_numbered_in_their_job_and_end_once() -> None:
    steps = StepRecords()
    assert [_begin(steps, 1), _begin(steps, 1), _begin(steps, 2)] == [0, 1, 0]
    steps.end(1, 1, StepEndBody(3, 0, 1.5, 20), 5000)
    steps.end(1, 1, StepEndBody(4), 6000)
    steps.end(9, 0, StepEndBody(), 6000)
    first, second = steps.of([1], None)
    assert (first.end_us, first.exit_code) == (None, 0)
    assert (second.end_us, second.exit_code, second.cpu_s) == (5000, 3, 1.5)


def test_users_see_their_own_steps_alone() -> None:
    steps = StepRecords()
    _begin(steps, 1, "ann")
    _begin(steps, 2, "bob")
    assert [step.job_id for step in steps.of([1, 2], "bob")] == [2]
    assert [step.job_id for step in steps.of([1, 2], None)] == [1, 2]
    assert steps.of([1, 2], "eve") == []


def test_it_is_known_from_when_on_no_step_is_forgotten() -> None:
    steps = StepRecords(known_from_us=500)
    for _ in range(MOST_OF_JOB):
        _begin(steps, 1, "ann")
    assert steps.known_from_us(None) == 500
    _begin(steps, 1, "ann")
    assert [steps.known_from_us(user) for user in ("ann", "bob", None)] == [1001, 500, 1001]
    for job_id in range(2, MOST_OF_USER + 3):
        _begin(steps, job_id, "bob")
    assert [steps.known_from_us(user) for user in ("ann", "bob", None)] == [1001, 1002, 1002]


def test_the_latest_steps_of_a_job_and_of_a_user_are_kept() -> None:
    steps = StepRecords()
    numbers = [_begin(steps, 1) for _ in range(MOST_OF_JOB + 5)]
    assert numbers == list(range(MOST_OF_JOB + 5))
    assert [step.number for step in steps.of([1], None)] == numbers[5:]
    for job_id in range(2, 3 * MOST_OF_USER):
        _begin(steps, job_id)
    kept = [step for job in range(3 * MOST_OF_USER) for step in steps.of([job], "ann")]
    assert len(kept) == MOST_OF_USER
    assert kept[-1].job_id == 3 * MOST_OF_USER - 1
