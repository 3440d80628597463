"""A preemption that takes several calls, between which the machine and the queue may change."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rmsd_core.jobs.accounts import NO_POLICIES
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle import preemption, victims
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Claim, Decision, End, Start, Stop
from rmsd_core.lifecycle.inputs import Cancel, Exited, Input, NodeDead, NodeUp, SetPolicies, Submit
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause

_NODES = 40
_WIDE = _NODES + 1
_PARTITIONS = Partition("low", preempt="requeue"), Partition("high", tier=2)
_AT_US = SECOND_US


def _job(number: int, nodes: int, partition: str) -> Job:
    component = Component(nodes, 1, 0, nodes > 1, None)._replace(partition=partition)
    return Job(number, "ann", 0, Request((component,)), 3600 * SECOND_US)


def _full(*, is_bounded: bool) -> Core:
    """Return a core on whose nodes jobs that may be preempted run, each on one."""
    most_looks = 10**6 if is_bounded else NEVER_US
    core = Core(parse_recipe("easy"), partitions=_PARTITIONS, most_looks=most_looks)
    core.handle(0, [NodeUp(f"n{number}", 1, 0) for number in range(_NODES)])
    core.handle(0, [Submit(_job(number, 1, "low")) for number in range(1, _NODES + 1)])
    return core


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    """Return such a core, of which a call tries or ends a few jobs."""
    monkeypatch.setattr(preemption, "FEW_JOBS", 10)
    monkeypatch.setattr(preemption, "ENDS_OF_A_PORTION", 4)
    monkeypatch.setattr(preemption, "MOST_PORTIONS", 1)
    monkeypatch.setattr(victims, "PORTION", 8)
    return _full(is_bounded=True)


def _call(core: Core, inputs: Sequence[Input] = ()) -> tuple[list[Decision], bool]:
    """Return the decisions of a call, and whether the next one is due at once."""
    effects = core.handle(_AT_US, inputs)
    core.sanity_check()
    return [*effects.decisions], effects.wake_us == _AT_US


def _rest(core: Core) -> list[Decision]:
    """Return the decisions of the further calls at this instant."""
    decisions: list[Decision] = []
    for _ in range(200):
        more, is_due = _call(core)
        decisions += more
        if not is_due:
            return decisions
    raise AssertionError("the calls have no end")


def _until_some_end(core: Core, nodes: int) -> list[Decision]:
    """Submit a wide job, and return the decisions of the calls until some jobs have been ended for
    it, and not all that it needs."""
    decisions, is_due = _call(core, [Submit(_job(_WIDE, nodes, "high"))])
    while not _stopped(decisions):
        assert is_due
        more, is_due = _call(core)
        decisions += more
    assert is_due
    assert len(_stopped(decisions)) < nodes
    return decisions


def _stopped(decisions: Sequence[Decision]) -> list[int]:
    return [one.job_id for one in decisions if isinstance(one, Stop)]


def _claims(decisions: Sequence[Decision]) -> list[Claim]:
    return [one for one in decisions if isinstance(one, Claim)]


def _running(core: Core) -> set[int]:
    return {job.id for job in core.jobs.values() if job.id != _WIDE and not job.draining}


@pytest.mark.parametrize("nodes", [_NODES, 25])
def test_several_calls_decide_what_one_does(core: Core, nodes: int) -> None:
    whole = _full(is_bounded=False)
    decisions = [*whole.handle(_AT_US, [Submit(_job(_WIDE, nodes, "high"))]).decisions]
    assert len(_stopped(decisions)) == nodes
    ended = _until_some_end(core, nodes) + _rest(core)
    assert [one for one in ended if isinstance(one, Stop | Claim)] == [
        one for one in decisions if isinstance(one, Stop | Claim)
    ]


def test_a_job_that_submits_meanwhile_has_no_pass_and_then_one(core: Core) -> None:
    _until_some_end(core, _NODES)
    decisions, is_due = _call(core, [Submit(_job(_WIDE + 1, 1, "low"))])
    while is_due:
        assert not [one for one in decisions if isinstance(one, Start)]
        decisions, is_due = _call(core)
    ends = [
        Exited(number, core.jobs[number].attempt, piece.node, _AT_US, Outcome(Cause.DISPLACE, 15))
        for number in range(1, _NODES + 1)
        for piece in core.jobs[number].allocation
    ]
    decisions, _ = _call(core, ends)
    assert [one.job_id for one in decisions if isinstance(one, Start)] == [_WIDE]


def test_jobs_are_spared_once_the_head_is_gone(core: Core) -> None:
    ended = set(_stopped(_until_some_end(core, _NODES)))
    decisions, _ = _call(core, [Cancel(_WIDE)])
    assert [one.job_id for one in decisions if isinstance(one, End)] == [_WIDE]
    assert not _stopped(decisions + _rest(core))
    assert _running(core) == {*range(1, _NODES + 1)} - ended


def test_a_job_that_has_ended_by_itself_is_not_ended_again(core: Core) -> None:
    ended = _stopped(_until_some_end(core, _NODES))
    own = min({*range(1, _NODES + 1)} - {*ended})
    [piece] = core.jobs[own].allocation
    exited = Exited(own, core.jobs[own].attempt, piece.node, _AT_US, Outcome(Cause.EXIT))
    decisions, _ = _call(core, [exited])
    decisions += _rest(core)
    assert {*ended, *_stopped(decisions)} == {*range(1, _NODES + 1)} - {own}
    [claim] = _claims(decisions)
    assert claim.awaits == {*range(1, _NODES + 1)} - {own}


@pytest.mark.parametrize("nodes", [_NODES, 25])
def test_a_place_of_which_a_node_is_lost_is_not_claimed(core: Core, nodes: int) -> None:
    first = _stopped(_until_some_end(core, nodes))[0]
    [piece] = core.jobs[first].allocation
    decisions, _ = _call(core, [NodeDead(piece.node)])
    decisions += _rest(core)
    claims = [one for one in _claims(decisions) if one.job_id == _WIDE]
    assert len(claims) == (nodes < _NODES)
    assert piece.node not in {there.node for claim in claims for there in claim.place}


def test_other_rules_end_a_preemption(core: Core) -> None:
    ended = _stopped(_until_some_end(core, _NODES))
    decisions, _ = _call(core, [SetPolicies(NO_POLICIES)])
    decisions += _rest(core)
    assert {*ended, *_stopped(decisions)} == {*range(1, _NODES + 1)}
    assert [one.job_id for one in _claims(decisions)] == [_WIDE]


def test_many_jobs_tried_in_vain_have_heads_wait(core: Core) -> None:
    """The head needs a node that a job of its own tier has, so that nobody can make way."""
    decisions, _ = _call(core, [Submit(_job(_WIDE, 1, "high"))])
    [claim] = _claims(decisions)
    head = _job(_WIDE + 1, 2, "high")
    [component] = head.request.components
    component = component._replace(require=(claim.place[0].node,))
    head = Job(head.id, "ann", 0, Request((component,)), 3600 * SECOND_US)
    decisions, is_due = _call(core, [Submit(head)])
    assert is_due
    assert not _stopped(decisions + _rest(core))
    decisions, is_due = _call(core, [Submit(_job(_WIDE + 2, 1, "low"))])
    assert not is_due
