"""Restoration of a job that ran after the backup: by the nodes' word alone, in any order."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import ClaimedPlace, Claiming, Preempted, Stopping
from rmsd_core.jobs.request import Piece, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Adopt, Decision, Requeue, Start, Stop, Unclaim
from rmsd_core.lifecycle.inputs import Cancel, Exited, Found, NodeDead, NodeUp
from rmsd_core.machine.nodes import Node
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.mailbox import ReadyInputs, Register, Report
from rmsd_daemon.loop.restoration import Missed, Restoration, Seen, missed
from rmsd_wire.link import EndedAttempt, HeldAttempt
from tests.jobs import attempt_on, running

NOW_US = 1_000_000_000
NODES = ("a", "b", "c")


class NoSession:
    closed = False

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id

    def acknowledge(self, seq: int) -> None:
        raise AssertionError(seq)


def register(names: str, seen: list[Seen]) -> Register:
    """Return the hello of an agent with these nodes."""
    here = [one for one in seen if one.node in names]
    rows: list[dict[str, Any]] = [{"name": name} for name in names]
    held = [one for one in here if isinstance(one, HeldAttempt)]
    ended = [one for one in here if isinstance(one, EndedAttempt)]
    return Register(NoSession(names), rows, [], held, ended)


def ended(attempt: int, node: str = "a", cause: Cause = Cause.EXIT, **more: Any) -> EndedAttempt:
    values = {"batch": True, "cores": 1, "start_us": attempt * 1000, "end_us": attempt * 1000 + 500}
    return EndedAttempt(1, attempt, node, cause=cause, **(values | more))


def held(attempt: int, node: str = "a", *, batch: bool = True) -> HeldAttempt:
    return HeldAttempt(1, attempt, node, batch=batch, cores=1, start_us=attempt * 1000)


def core_of(*jobs: Job, recipe: str = "timed-easy") -> Core:
    """Return a core that takes up these jobs from a backup. Nothing is heard of its nodes yet."""
    core = Core(parse_recipe(recipe))
    core.restore([Node(name, 4, 0) for name in NODES], jobs, [])
    return core


def told(core: Core, *seen: Seen) -> tuple[Missed, list[Decision]]:
    """Return what the jobs have missed by the word of the nodes a and b, and what the core makes of
    it."""
    registers = [register("a", list(seen)), register("b", list(seen))]
    details = {job_id: Details("j") for job_id in core.jobs}
    found = missed(core.jobs, details, NODES, registers, NOW_US)
    effects = core.handle(NOW_US, found.first_inputs())
    core.sanity_check()
    return found, [*effects.decisions]


def followed(job: Job, *seen: Seen) -> tuple[list[Exited], list[Decision]]:
    """Return the ends that are still to be told of the job's latest attempt, and what was
    decided."""
    found, decisions = told(core_of(job), *seen)
    return [*found.exits, *found.unheard], decisions


def ends(decisions: list[Decision]) -> list[tuple[int, int, Cause]]:
    """Return the attempts that are over, when and by what."""
    return [
        (decision.attempt, decision.end_us, decision.outcome.cause)
        for decision in decisions
        if isinstance(decision, Requeue)
    ]


def waiting(size: int = 1) -> Job:
    return Job(1, "ann", 1, processors(size), 60_000_000, seq=1, prediction_us=60_000_000)


def test_a_job_that_ran_to_its_end_is_told_to_the_core() -> None:
    [exited], _ = followed(job := waiting(), ended(1, exit_code=3))
    assert (job.state, job.attempt, job.start_us) == (JobState.RUNNING, 1, 1000)
    assert (exited.end_us, exited.outcome.exit_code) == (1500, 3)


def test_a_counted_job_holds_all_that_it_asks_for_whatever_its_agent_says() -> None:
    job = waiting(2)
    seen = [held(1), held(1, "b", batch=False)]
    registers = [register(name, seen) for name in "ab"]
    found = missed({1: job}, {1: Details("j")}, NODES, registers, NOW_US, "counted")
    [begun] = found.inputs
    assert isinstance(begun, Found)
    assert begun.allocation == (Piece("a", 2, 0),)


def test_a_job_that_runs_goes_on() -> None:
    exits, _ = followed(job := waiting(2), held(1), held(1, "b", batch=False))
    assert [piece.node for piece in job.allocation] == ["a", "b"]
    assert job.open_nodes == {"a", "b"}
    assert exits == []


def test_a_killed_trial_waits_again_under_a_later_number() -> None:
    exits, decisions = followed(job := waiting(), ended(1, cause=Cause.TRIAL))
    assert (job.state, job.attempt, job.tried, job.remembered.lost_us) == (
        JobState.PENDING,
        1,
        True,
        500,
    )
    assert exits == []
    assert ends(decisions) == [(1, 1500, Cause.TRIAL)]


@pytest.mark.parametrize(
    ("cause", "then"),
    [(Cause.TRIAL, JobState.CONFIGURING), (Cause.USER, JobState.CANCELLED)],
)
def test_a_trial_that_was_being_killed_is_ended_by_the_core(cause: Cause, then: JobState) -> None:
    """The job starts again on what it had claimed, or is over for good if it has been cancelled
    meanwhile."""
    job, attempt = waiting(), attempt_on(Piece("a", 1, 0), start_us=1000)
    job.attempt, job.tried, job.expected_end_us = 1, True, 60_001_000
    if cause is Cause.TRIAL:
        job.phase = Preempted(attempt, ClaimedPlace((Piece("b", 1, 0),), frozenset({1})))
    else:
        job.phase = Stopping(attempt, cause, draining=True)
    found, _ = told(core := core_of(job), ended(1, cause=Cause.TRIAL))
    core.handle(NOW_US, [NodeUp("a", 4, 0), NodeUp("b", 4, 0), *found.exits])
    assert (job.state, job.draining) == (then, False)


def test_only_the_last_attempt_counts_and_all_are_recorded() -> None:
    seen = held(3, "b"), ended(1, cause=Cause.NODE), ended(2)
    exits, decisions = followed(job := waiting(), *seen)
    assert (job.state, job.attempt) == (JobState.RUNNING, 3)
    assert [one.attempt for one in decisions if isinstance(one, Adopt)] == [1, 2, 3]
    assert [attempt for attempt, _, _ in ends(decisions)] == [1, 2]
    assert exits == []


def test_an_attempt_of_the_backup_that_others_followed_is_over() -> None:
    job = running(waiting(), Piece("c", 1), start_us=1000)
    job.expected_end_us = 60_001_000
    exits, decisions = followed(job, ended(2), ended(3))
    assert ends(decisions) == [(1, 2000, Cause.UNKNOWN), (2, 2500, Cause.EXIT)]
    assert [exited.attempt for exited in exits] == [3]


def test_a_cancel_holds_for_the_attempt_that_followed_since() -> None:
    """The job waits for its agents to be heard, and the backup has it elsewhere."""
    job = running(waiting(), Piece("c", 1), start_us=1000)
    job.expected_end_us = 60_001_000
    core = core_of(job)
    core.handle(NOW_US, [Cancel(1)])
    found, decisions = told(core, held(2))
    assert Stop(1, 2, ("a",), Cause.USER) in decisions
    assert found.exits == []
    core.handle(NOW_US, [NodeUp("a", 4, 0), Exited(1, 2, "a", NOW_US, Outcome(Cause.NODE))])
    assert job.state is JobState.CANCELLED


def test_a_cancel_holds_for_a_job_whose_later_attempt_nobody_has() -> None:
    job = running(waiting(), Piece("a", 1), start_us=1000)
    job.expected_end_us = 60_001_000
    core = core_of(job)
    core.handle(NOW_US, [Cancel(1)])
    # an agent of an earlier version does not say what it was given
    unknown = HeldAttempt(1, 2, "b")
    found, _ = told(core, ended(1), unknown)
    assert (found.jobs(), found.exits, job.state) == ([1], [], JobState.CANCELLED)


def test_what_was_claimed_at_the_backup_is_claimed_no_more_where_others_run_since() -> None:
    claimant = Job(2, "bob", 2, processors(1), 60_000_000, seq=2, prediction_us=60_000_000)
    claim = ClaimedPlace((Piece("a", 1, 0),), frozenset({3}))
    claimant.phase, claimant.expected_end_us = Claiming(claim), 60_000_000
    leaving = Job(3, "cat", 3, processors(1), 60_000_000, seq=3, prediction_us=60_000_000)
    leaving.phase = Preempted(attempt_on(Piece("a", 1, 0), start_us=1000))
    leaving.attempt, leaving.tried, leaving.expected_end_us = 1, True, 60_001_000
    core = core_of(waiting(), claimant, leaving)
    assert told(core)[1] == []
    assert claimant.claim == claim, "nobody has come there since"
    assert Unclaim(2) in told(core, held(1))[1]
    assert claimant.claim is None


def test_without_the_node_of_its_script_an_attempt_is_lost() -> None:
    [exited], _ = followed(job := waiting(2), held(2, "b", batch=False))
    assert (exited.attempt, exited.node, exited.outcome.cause) == (2, "b", Cause.NODE)
    assert job.attempt == 2


def test_what_is_over_in_the_backup_stays_as_it_was() -> None:
    job = waiting()
    job.attempt = 1
    assert followed(job, ended(1)) == ([], [])
    assert (job.state, job.attempt) == (JobState.PENDING, 1)


SEEN: st.SearchStrategy[Seen] = st.one_of(
    st.builds(held, st.integers(1, 4), st.sampled_from("ab"), batch=st.booleans()),
    st.builds(
        ended,
        st.integers(1, 4),
        st.sampled_from("ab"),
        st.sampled_from(Cause),
        batch=st.booleans(),
    ),
)


@pytest.mark.slow
@given(
    st.lists(SEEN, max_size=8),
    st.integers(0, 3),
    st.sampled_from(["easy++", "conservative", "timed-easy"]),
)
def test_the_core_can_go_on_from_whatever_nodes_say(
    seen: list[Seen], attempt: int, recipe: str
) -> None:
    """The core never starts an attempt under a number that a node knows."""
    job = waiting(2)
    job.attempt = attempt
    found, decisions = told(core := core_of(job, recipe=recipe), *seen)
    ups = [NodeUp("a", 4, 0), NodeUp("b", 4, 0)]
    downs = [NodeDead("a"), NodeDead("b")]
    for at_us, inputs in enumerate([[*found.exits, *found.unheard, *ups], downs, ups], NOW_US):
        decisions += core.handle(at_us, inputs).decisions
        core.sanity_check()
    latest = max([attempt, *(one.attempt for one in seen)])
    started = [isinstance(decision, Start) for decision in decisions]
    assert job.attempt > latest if any(started) else job.attempt >= latest


@given(st.permutations(["a", "b", "report"]))
def test_agents_are_put_off_until_all_are_heard(order: list[str]) -> None:
    restoration = Restoration({"a", "b"})
    report: Any = Report(NoSession("a"), 1, None)
    for word in order:
        assert restoration.awaited
        assert restoration.sort([report if word == "report" else register(word, [])]) == []
        if {"a", "b"} <= {*order[: order.index(word) + 1]}:
            break
    assert not restoration.awaited
    assert len(restoration.put_off()) >= 2


def test_a_node_that_is_given_up_is_not_awaited_any_more() -> None:
    restoration = Restoration({"a", "b"})
    given_up = ReadyInputs([NodeDead("b")])
    assert restoration.sort([register("a", []), given_up]) == [given_up]
    assert not restoration.awaited


def test_a_later_hello_takes_the_place_of_an_earlier_one() -> None:
    restoration = Restoration({"a"})
    restoration.sort([register("a", [held(1)]), later := register("a", [])])
    assert restoration.put_off() == [later]


def test_who_takes_a_node_of_an_agent_takes_nothing_that_it_said_of_others() -> None:
    """Otherwise what runs on these nodes, which are not awaited any more, would be started a second
    time."""
    restoration = Restoration({"a", "b", "c"})
    earlier = register("ab", [held(1), held(2, "b"), ended(3), ended(4, "b")])
    restoration.sort([earlier, later := register("b", [])])
    left, latest = restoration.put_off()
    assert isinstance(left, Register)
    assert (left.session, left.nodes) == (earlier.session, [{"name": "a"}])
    assert (left.held, left.ended) == ([held(1)], [ended(3)])
    assert latest is later


def test_of_an_agent_that_dials_again_one_hello_and_one_sessions_reports_are_kept() -> None:
    """Otherwise an agent that dials in a loop during a restore fills the memory."""
    restoration = Restoration({"c"})
    first, second, other = NoSession("liar"), NoSession("liar"), NoSession("b")
    hellos = [
        Register(one, [{"name": name}], [], []) for one, name in ((first, "x"), (second, "y"))
    ]
    reports = [Report(first, 1, None), Report(other, 1, None)]
    assert restoration.sort([hellos[0], *reports]) == []
    assert restoration.sort([hellos[1]]) == []
    assert restoration.sort(again := [Report(second, 1, None), Report(second, 2, None)]) == []
    assert restoration.put_off() == [hellos[1], *again, reports[1]]
    assert restoration.put_off() == []


@pytest.mark.parametrize("cause", Cause)
def test_an_agent_says_nothing_of_an_attempt_that_the_backup_has_elsewhere(cause: Cause) -> None:
    job = running(waiting(), Piece("b", 1), start_us=1000)
    job.expected_end_us = 60_001_000
    assert followed(job, ended(1, "a", cause)) == ([], [])
    assert (job.state, job.attempt, job.open_nodes) == (JobState.RUNNING, 1, {"b"})


@pytest.mark.parametrize("times_us", [(-(1 << 62), (1 << 62) - 1), ((1 << 62) - 1, -(1 << 62))])
def test_no_time_that_an_agent_says_is_before_the_submit_or_in_the_future(
    times_us: tuple[int, int],
) -> None:
    """Sums of such times would have no room in the database, and the restore no end."""
    times = dict(zip(("start_us", "end_us"), times_us, strict=True))
    seen = [ended(at, "a", Cause.TRIAL, **times) for at in range(1, 6)]
    _, decisions = followed(job := waiting(), *seen)
    assert 0 <= job.remembered.lost_us <= 5 * NOW_US
    starts_us = [one.start_us for one in decisions if isinstance(one, Adopt)]
    ends_us = [end_us for _, end_us, _ in ends(decisions)]
    assert len(starts_us) == len(ends_us) == 5
    assert all(1 <= time_us <= NOW_US for time_us in (*starts_us, *ends_us))


@pytest.mark.parametrize(
    ("attempt", "cores", "believed"),
    [(100_001, 1, True), (100_002, 1, False), (2, 2, True), (2, 3, False)],
)
def test_what_cannot_be_of_a_later_attempt_is_not_believed(
    attempt: int, cores: int, believed: bool
) -> None:
    job = waiting(2)
    job.attempt = 1
    followed(job, HeldAttempt(1, attempt, "a", batch=True, cores=cores, start_us=1))
    assert job.attempt == (attempt if believed else 1)


def steps_to_follow(jobs: int, attempts: int) -> int:
    """Return the number of instructions that it takes to hear of so many attempts of so many
    jobs."""
    live = {i: Job(i, "ann", 1, processors(1), 60_000_000, seq=i) for i in range(1, jobs + 1)}
    told = [ended(at) for at in range(1, attempts + 1)]
    seen: list[Seen] = [msgspec.structs.replace(one, job_id=i) for i in live for one in told]
    hello = register("a", seen)
    steps = 0

    def count(frame: FrameType, event: str, _: object) -> object:
        nonlocal steps
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        found = missed(live, dict.fromkeys(live, Details("j")), NODES, [hello], NOW_US)
    finally:
        sys.settrace(before)
    assert len(found.exits) == jobs
    return steps


@pytest.mark.parametrize(("jobs", "attempts"), [(1, 0), (0, 1)])
def test_each_attempt_that_is_told_costs_the_same(jobs: int, attempts: int) -> None:
    """An agent may tell 100,000 attempts of one job."""
    cost = steps_to_follow(1 + 99 * jobs, 1 + 99 * attempts)
    assert steps_to_follow(1 + 399 * jobs, 1 + 399 * attempts) < 5 * cost
