"""Deadlines of waiting jobs: no call starts a late job, however many are late at once, and a core
that takes up where another left off ends them as well."""

from __future__ import annotations

from rmsd_core.jobs.conditions import Conditions
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import WAITING, Ineligible, Phase
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End, Start
from rmsd_core.lifecycle.eligibility import MOST_SETTLED
from rmsd_core.lifecycle.inputs import Cancel, Found, NodeUp, Submit
from rmsd_core.machine.nodes import Node
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import HeldBy, JobState

_REQUEST = Request((Component(1, 1, 0),))
_LIMIT_US = 50 * SECOND_US
_DEADLINE_US = 100 * SECOND_US
_LATE_US = _DEADLINE_US - _LIMIT_US + 1


def _job(number: int, phase: Phase = WAITING, deadline_us: int | None = _DEADLINE_US) -> Job:
    return Job(number, "eve", 0, _REQUEST, _LIMIT_US, deadline_us=deadline_us, phase=phase)


def _busy_core(others: list[Job]) -> tuple[Core, Effects]:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp("n", 1, 0)])
    core.handle(0, [Submit(_job(1, deadline_us=None))])
    return core, core.handle(0, [Submit(one) for one in others])


def _ended(effects: Effects) -> set[int]:
    return {one.job_id for one in effects.decisions if isinstance(one, End)}


def test_no_pass_starts_a_late_job_while_others_are_still_to_be_ended() -> None:
    count = 2 * MOST_SETTLED + 10
    core, effects = _busy_core([_job(number) for number in range(2, 2 + count)])
    assert effects.wake_us == _LATE_US
    effects = core.handle(_LATE_US, [Cancel(1), NodeUp("n2", 4, 0)])
    ended = _ended(effects)
    assert len(ended) == MOST_SETTLED
    while effects.wake_us == _LATE_US:
        assert not any(isinstance(one, Start) for one in effects.decisions)
        effects = core.handle(_LATE_US, [])
        core.sanity_check()
        ended |= _ended(effects)
    assert len(ended) == count
    assert {one.state for one in effects.decisions if isinstance(one, End)} == {JobState.DEADLINE}


def test_a_held_job_is_ended_too_and_a_job_that_comes_too_late_never_starts() -> None:
    held = _job(2, Ineligible(Conditions(held_by=HeldBy.USER)))
    core, effects = _busy_core([held])
    assert effects.wake_us == _LATE_US
    effects = core.handle(_LATE_US, [Submit(_job(3))])
    assert _ended(effects) == {2, 3}


def _taken_up(core: Core, *, of_backup: bool) -> Core:
    again = Core(core.recipe)
    nodes = [Node(one.name, one.cores, one.mem_mib) for one in core.nodes.values()]
    again.restore(nodes, core.jobs.values(), [], core.memory(), of_backup=of_backup)
    return again


def test_a_restart_ends_what_has_become_late_meanwhile() -> None:
    core, _ = _busy_core([_job(2)])
    again = _taken_up(core, of_backup=False)
    assert _ended(again.handle(_LATE_US, [])) == {2}


def test_in_a_restored_backup_a_late_job_may_be_found_to_run() -> None:
    core, _ = _busy_core([_job(2), _job(3)])
    again = _taken_up(core, of_backup=True)
    assert _ended(again.handle(_LATE_US, [])) == set()
    place = core.jobs[1].allocation
    effects = again.handle(_LATE_US + 1, [NodeUp("n", 2, 0), Found(2, 1, SECOND_US, place)])
    assert _ended(effects) == {3}
    assert again.jobs[2].state is JobState.RUNNING
