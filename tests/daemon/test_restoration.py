"""What is made of a job that ran after the backup: of the nodes' word alone, in any order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Claim, Claiming, Preempted, Stopping
from rmsd_core.jobs.request import Piece, processors
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeDead, NodeUp
from rmsd_core.machine.nodes import Node
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.restoration import MadeUp, Restoration, Seen, make_up
from rmsd_daemon.loop.work import Order, Register, Report
from rmsd_wire.link import EndedAttempt, HeldAttempt
from tests.jobs import attempt_on, running

NOW_US = 1_000_000_000
NODES = {"a": {"name": "a"}, "b": {"name": "b"}}


class NoSession:
    closed = False

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id

    def acknowledge(self, seq: int) -> None:
        raise AssertionError(seq)


def register(names: str, seen: list[Seen]) -> Register:
    """The hello of an agent with these nodes."""
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


def made_up(job: Job, *seen: Seen) -> MadeUp:
    registers = [register("a", list(seen)), register("b", list(seen))]
    return make_up({1: job}, {1: Details("j")}, NODES, registers, NOW_US)


def waiting(size: int = 1) -> Job:
    return Job(1, "ann", 1, processors(size), 60_000_000, seq=1, prediction_us=60_000_000)


def test_a_job_that_ran_to_its_end_is_told_to_the_core() -> None:
    made = made_up(job := waiting(), ended(1, exit_code=3))
    assert (job.state, job.attempt, job.start_us) == (JobState.RUNNING, 1, 1000)
    [exited] = made.exits
    assert (exited.end_us, exited.outcome.exit_code) == (1500, 3)


def test_a_job_that_runs_goes_on() -> None:
    made = made_up(job := waiting(2), held(1), held(1, "b", batch=False))
    assert [piece.node for piece in job.allocation] == ["a", "b"]
    assert job.open_nodes == {"a", "b"}
    assert made.exits == []


def test_a_killed_trial_waits_again_under_a_later_number() -> None:
    made = made_up(job := waiting(), ended(1, cause=Cause.TRIAL))
    assert (job.state, job.attempt, job.tried, job.record.lost_us) == (
        JobState.PENDING,
        1,
        True,
        500,
    )
    assert made.exits == []
    assert [row["end_us"] for row in made.changes.attempt_ends] == [1500]


@pytest.mark.parametrize(
    ("cause", "then"),
    [(Cause.TRIAL, JobState.CONFIGURING), (Cause.USER, JobState.CANCELLED)],
)
def test_a_trial_that_was_being_killed_is_ended_by_the_core(cause: Cause, then: JobState) -> None:
    """To start again on what it had claimed, or for good, if it has been cancelled meanwhile."""
    job, attempt = waiting(), attempt_on(Piece("a", 1, 0), start_us=1000)
    job.attempt, job.tried, job.expected_end_us = 1, True, 60_001_000
    if cause is Cause.TRIAL:
        job.phase = Preempted(attempt, Claim((Piece("b", 1, 0),), frozenset({1})))
    else:
        job.phase = Stopping(attempt, cause, owed=True)
    made = made_up(job, ended(1, cause=Cause.TRIAL))
    core = Core(parse_recipe("timed-easy"))
    core.restore([Node("a", 4, 0), Node("b", 4, 0)], [job], [])
    core.handle(NOW_US, [NodeUp("a", 4, 0), NodeUp("b", 4, 0), *made.exits])
    assert (job.state, job.owes) == (then, False)


def test_only_the_last_attempt_counts_and_all_are_recorded() -> None:
    made = made_up(job := waiting(), held(3, "b"), ended(1, cause=Cause.NODE), ended(2))
    assert (job.state, job.attempt) == (JobState.RUNNING, 3)
    assert [row["attempt"] for row in made.changes.new_attempts] == [1, 2, 3]
    assert [row["b_attempt"] for row in made.changes.attempt_ends] == [1, 2]
    assert made.exits == []


def test_an_attempt_of_the_backup_that_others_followed_is_over() -> None:
    job = running(waiting(), Piece("c", 1), start_us=1000)
    made = made_up(job, ended(2), ended(3))
    closed = [(row["b_attempt"], row["end_us"], row["cause"]) for row in made.changes.attempt_ends]
    assert closed == [(1, 2000, "unknown"), (2, 2500, "exit")]
    assert [exited.attempt for exited in made.exits] == [3]


def test_what_was_claimed_at_the_backup_is_claimed_no_more_where_others_run_since() -> None:
    claimant = Job(2, "bob", 2, processors(1), 60_000_000, seq=2, prediction_us=60_000_000)
    claim = Claim((Piece("a", 1, 0),), frozenset({3}))
    claimant.phase = Claiming(claim)
    registers = [register("a", [held(1)]), register("b", [])]
    details = {1: Details("j"), 2: Details("k")}
    made = make_up({1: waiting(), 2: claimant}, details, NODES, registers, NOW_US)
    assert {row["b_id"]: row["awaits"] for row in made.changes.job_changes} == {1: [], 2: []}
    claimant.phase = Claiming(claim)
    registers = [register("a", []), register("b", [])]
    made = make_up({1: waiting(), 2: claimant}, details, NODES, registers, NOW_US)
    assert (made.changes.job_changes, claimant.claim) == ([], claim), "nobody runs there"


def test_without_the_node_of_its_script_an_attempt_is_lost() -> None:
    made = made_up(job := waiting(2), held(2, "b", batch=False))
    [exited] = made.exits
    assert (exited.attempt, exited.node, exited.outcome.cause) == (2, "b", Cause.NODE)
    assert job.attempt == 2


def test_what_is_over_in_the_backup_stays_as_it_was() -> None:
    job = waiting()
    job.attempt = 1
    made = made_up(job, ended(1))
    assert (job.state, job.attempt) == (JobState.PENDING, 1)
    assert made.changes.job_changes == made.exits == []


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


@given(
    st.lists(SEEN, max_size=8),
    st.integers(0, 3),
    st.sampled_from(["easy++", "conservative", "timed-easy"]),
)
def test_the_core_can_go_on_from_whatever_nodes_say(
    seen: list[Seen], attempt: int, recipe: str
) -> None:
    """And never starts an attempt under a number that a node knows."""
    job = waiting(2)
    job.attempt = attempt
    made = made_up(job, *seen)
    core = Core(parse_recipe(recipe))
    core.restore([Node("a", 4, 0), Node("b", 4, 0)], [job], [])
    ups = [NodeUp("a", 4, 0), NodeUp("b", 4, 0)]
    effects = core.handle(NOW_US, [*made.exits, *ups])
    effects.decisions += core.handle(NOW_US + 1, [NodeDead("a"), NodeDead("b")]).decisions
    effects.decisions += core.handle(NOW_US + 2, ups).decisions
    latest = max([attempt, *(one.attempt for one in seen)])
    started = [type(decision).__name__ == "Start" for decision in effects.decisions]
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
    order = Order([NodeDead("b")])
    assert restoration.sort([register("a", []), order]) == [order]
    assert not restoration.awaited


def test_a_later_hello_takes_the_place_of_an_earlier_one() -> None:
    restoration = Restoration({"a"})
    restoration.sort([register("a", [held(1)]), later := register("a", [])])
    assert restoration.put_off() == [later]


def test_of_an_agent_that_dials_again_one_hello_and_one_sessions_reports_are_kept() -> None:
    """Else an agent that dials in a loop during a restore fills the memory."""
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
    made = made_up(job, ended(1, "a", cause))
    assert (job.state, job.attempt, job.open_nodes) == (JobState.RUNNING, 1, {"b"})
    assert made.exits == made.changes.attempt_ends == made.changes.job_changes == []


@pytest.mark.parametrize("times_us", [(-(1 << 62), (1 << 62) - 1), ((1 << 62) - 1, -(1 << 62))])
def test_no_time_that_an_agent_says_is_before_the_submit_or_in_the_future(
    times_us: tuple[int, int],
) -> None:
    """Sums of such times would have no room in the database, and the restore no end."""
    times = dict(zip(("start_us", "end_us"), times_us, strict=True))
    made = made_up(job := waiting(), *(ended(at, "a", Cause.TRIAL, **times) for at in range(1, 6)))
    assert 0 <= job.record.lost_us <= 5 * NOW_US
    assert all(1 <= row["start_us"] <= NOW_US for row in made.changes.new_attempts)
    assert all(1 <= row["end_us"] <= NOW_US for row in made.changes.attempt_ends)


@pytest.mark.parametrize(
    ("attempt", "cores", "believed"),
    [(100_001, 1, True), (100_002, 1, False), (2, 2, True), (2, 3, False)],
)
def test_what_cannot_be_of_a_later_attempt_is_not_believed(
    attempt: int, cores: int, believed: bool
) -> None:
    job = waiting(2)
    job.attempt = 1
    made_up(job, HeldAttempt(1, attempt, "a", batch=True, cores=cores, start_us=1))
    assert job.attempt == (attempt if believed else 1)
