"""Requests that take long: they take turns, one piece of each caller's at a time."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import Portions
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.api import submit_checks
from rmsd_daemon.api.submit_checks import check_fits, check_reservations
from rmsd_daemon.domain import kept, turns
from rmsd_daemon.domain.errors import DaemonError as Refusal


async def test_work_of_one_caller_is_done_one_piece_at_a_time() -> None:
    told: list[str] = []
    all_turns = turns.Turns()

    async def work(caller: str, name: str) -> None:
        with all_turns.of(caller) as turn:
            async with turn:
                told.append(f"{name} begins")
                for _ in range(10):
                    await asyncio.sleep(0)
                told.append(f"{name} ends")

    await asyncio.gather(work("ann", "a1"), work("ann", "a2"), work("bob", "b"))
    assert all_turns.callers == set()
    assert [word for word in told if word[0] == "a"] == [
        "a1 begins", "a1 ends", "a2 begins", "a2 ends",
    ]  # fmt: skip
    assert told.index("b begins") < told.index("a1 ends")


async def test_others_have_their_turn_while_requests_are_compared_with_the_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thousand different requests and a thousand nodes keep the loop for 0.2 s and more."""
    clock = SimpleNamespace(monotonic=lambda: looked_at / 1000)  # a look takes a millisecond
    monkeypatch.setattr(submit_checks, "time", clock)
    requests = [Request((Component(number),)) for number in range(1, 1001)]
    looked_at, most, turn = 0, 0, turns.Turn()

    def never_fits(request: Request) -> str | None:
        nonlocal looked_at
        looked_at += 1
        return "too large" if request.size == 1000 else None

    async with turn:  # another request of the same caller
        checked = asyncio.create_task(check_fits(never_fits, (), requests, turn))
        await asyncio.sleep(0)
        assert not looked_at
    while not checked.done():
        before = looked_at
        await asyncio.sleep(0)
        most = max(most, looked_at - before)
    for_the_field = 3  # looks for the field that keeps the last request from being met
    assert looked_at == 1000 + for_the_field
    with pytest.raises(Refusal, match="too large"):
        checked.result()
    assert most <= 10 + for_the_field


async def test_others_have_their_turn_while_jobs_are_compared_with_their_reservation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thousand jobs of a submit were compared with all nodes in one piece: for 4 s with 10,000
    nodes, jobs that are alike too."""
    core = Core(parse_recipe("easy"))
    course = AdvanceReservation("course", 0, 1000 * SECOND_US, ("n1",), users=("ann",))
    core.handle(0, [NodeUp("n1", 4, 0)])
    core.handle(0, [AddReservation(course)])
    looked_at, most, turn = 0, 0, turns.Turn()
    never_inside = Core.never_inside

    def counted(self: Core, job: Job) -> str | None:
        nonlocal looked_at
        looked_at += 1
        return never_inside(self, job)

    def job(length_s: int, cores: int = 1) -> Job:
        request = Request((Component(cores),))
        return Job(0, "ann", 0, request, length_s * SECOND_US, reservation="course")

    monkeypatch.setattr(Core, "never_inside", counted)
    jobs = [job(1 + at % 100) for at in range(1000)]
    checked = asyncio.create_task(check_reservations(core, [*jobs, job(7, 5), job(8)], turn))
    while not checked.done():
        before = looked_at
        await asyncio.sleep(0)
        most = max(most, looked_at - before)
    with pytest.raises(Refusal, match="can never start inside the reservation 'course'"):
        checked.result()
    assert looked_at == 101
    assert most <= 1


async def test_after_long_work_its_caller_rests() -> None:
    for took_s, rests in ((turns.QUICK_S, False), (turns.QUICK_S + 1, True)):
        turn = turns.Turn()
        turn.worked(took_s)
        assert turn.rests is rests


async def test_what_is_slow_to_make_is_kept_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s, takes_s, made = 0.0, kept.QUICK_S, 0

    def make() -> Portions[int]:
        nonlocal now_s, made
        yield
        now_s += takes_s
        made += 1
        return made

    for module in ("kept", "slices"):
        clock = SimpleNamespace(monotonic=lambda: now_s)
        monkeypatch.setattr(f"rmsd_daemon.domain.{module}.time", clock)
    quick = kept.KeptInSlices(make)
    assert [await quick.get(), await quick.get()] == [1, 2]
    takes_s = kept.QUICK_S + 1.0
    slow = kept.KeptInSlices(make)
    assert [await slow.get(), await slow.get()] == [3, 3]
    now_s += 9.9
    assert await slow.get() == 3
    now_s += 0.2
    assert await slow.get() == 4
