"""Jobs of an advance reservation that can no longer end inside it hold up no others."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import advance
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, Cancel, NodeUp, Submit, Update
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe


def _course(until_s: int, *, replaces: bool = False) -> AddReservation:
    one = AdvanceReservation("course", 0, until_s * SECOND_US, ("n1",), users=("ann",))
    return AddReservation(one, replaces=replaces)


def _job(job_id: int, cores: int, length_s: int, reservation: str = "course") -> Submit:
    request = Request((Component(cores),))
    return Submit(Job(job_id, "ann", 0, request, length_s * SECOND_US, reservation=reservation))


def _core(recipe: str) -> Core:
    core = Core(parse_recipe(recipe))
    core.handle(0, [NodeUp("n1", 4, 0)])
    core.handle(0, [_course(1000)])
    return core


def _run_until(core: Core, wake_us: int | None, until_s: int) -> int:
    """Call the core whenever it wants to be called, and return how often it did."""
    calls = 0
    while wake_us is not None and wake_us <= until_s * SECOND_US:
        wake_us = core.handle(wake_us, []).wake_us
        calls += 1
    return calls


def test_a_job_starts_when_the_head_has_no_time_left() -> None:
    """The head left the queue, and no pass followed. Job 1 runs on beyond its limit, so no end
    brought one, and job 3 had no time left either when one came."""
    core = _core("easy")
    core.handle(0, [_job(1, 2, 400)])
    core.handle(SECOND_US, [_job(2, 4, 500)])
    wake_us = core.handle(10 * SECOND_US, [_job(3, 2, 480)]).wake_us
    assert {core.reason(core.job(at)) for at in (2, 3)} == {"Resources", "Priority"}
    _run_until(core, wake_us, 510)
    assert core.reason(core.job(2)) == "Reservation"
    assert core.job(3).start_us == 500 * SECOND_US + 1


@pytest.mark.parametrize("recipe", ["fcfs", "easy"])
def test_a_head_whose_reservation_ends_sooner_now_holds_up_nobody(recipe: str) -> None:
    """The time after which the head could not start was that of the reservation before. Until
    then no other job started under FCFS, of whatever user."""
    core = _core(recipe)
    core.handle(0, [NodeUp("n2", 4, 0), _job(1, 4, 900)])
    core.handle(SECOND_US, [_job(2, 4, 300)])
    effects = core.handle(2 * SECOND_US, [_course(500, replaces=True)])
    assert not effects.refused
    wake_us = core.handle(3 * SECOND_US, [_job(3, 4, 10, reservation="")]).wake_us
    _run_until(core, wake_us, 300)
    assert core.reason(core.job(2)) == "Reservation"
    assert core.job(3).start_us is not None


@pytest.mark.slow
def test_the_core_is_not_woken_for_jobs_that_are_gone() -> None:
    """Each update of a job, and each job that was cancelled, left a time in the memory until the
    reservation was over."""
    core = _core("easy")
    core.handle(0, [_job(1, 4, 900), _job(2, 4, 300)])
    for at in range(3, 6000):
        other = _job(at, 4, 300)
        other.job.estimate_us -= at
        core.handle(at, [other, Update(job_id=2, estimate_us=300 * SECOND_US + at)])
        wake_us = core.handle(at, [Cancel(at)]).wake_us
    assert set(core.jobs) == {1, 2}
    assert _run_until(core, wake_us, 800) < 2000


def test_each_time_that_passes_has_its_own_job_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """All waiting jobs were, each time, and no pass was run before: whoever could run jobs in a
    reservation could have the daemon do nothing else."""
    looked: list[int] = []
    is_possible = advance.is_possible

    def counted(state: CoreState, job: Job, request: Request) -> bool:
        looked.append(job.id)
        return is_possible(state, job, request)

    core = _core("easy")
    core.handle(0, [_job(1, 4, 900)])
    jobs = [_job(at, 4, 900 - at) for at in range(2, 102)]
    wake_us = core.handle(1, [*jobs, *[_job(at, 4, 10) for at in range(200, 400)]]).wake_us
    monkeypatch.setattr(advance, "is_possible", counted)
    _run_until(core, wake_us, 600)
    monkeypatch.undo()
    assert {core.reason(core.job(at)) for at in range(2, 102)} == {"Reservation"}
    assert len(looked) <= 300


class _Reservation(str):
    """The name of a reservation that a job gives; all of them count how often one is looked up."""

    __slots__ = ()
    looks = 0

    def __hash__(self) -> int:
        _Reservation.looks += 1
        return super().__hash__()

    __eq__ = str.__eq__


def test_all_jobs_are_looked_at_once_when_reservations_repeat_together() -> None:
    """A hundred reservations that ended at the same time, as those do that repeat, had all waiting
    jobs looked at a hundred times: with 20,000 of these the daemon stood still for 1 s."""
    core = Core(parse_recipe("easy"))
    names = [f"n{at}" for at in range(20)]
    core.handle(0, [NodeUp(name, 4, 0) for name in names])
    for name in names:
        one = AdvanceReservation(
            name, 0, 100 * SECOND_US, (name,), users=("ann",), every_us=3600 * SECOND_US
        )
        core.handle(0, [AddReservation(one)])
    jobs = [_job(at, 8, 50, _Reservation(names[at % len(names)])) for at in range(1, 201)]
    core.handle(1, [*jobs])
    _run_until(core, 2, 99)
    _Reservation.looks = 0
    core.handle(100 * SECOND_US, [])
    assert {one.start_us for one in core.reservations.values()} == {3600 * SECOND_US}
    assert _Reservation.looks < 10 * len(jobs)
