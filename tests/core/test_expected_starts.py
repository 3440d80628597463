"""Expected starts: what they are, and that asking for them decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.array import Array, Indices
from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING
from rmsd_core.jobs.request import Component, Request, processors
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.inputs import Drain, Exited, Input, NodeUp, Submit
from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.planning.portions import whole
from rmsd_core.planning.why import Why
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from rmsd_lab.workloads.swf import TraceJob
from tests.core.asked import starts_s
from tests.core.strategies import MACHINE, traces
from tests.core.world import Cluster, World, clusters, recipe_texts

at_once = traces.map(lambda trace: [job._replace(submit_s=0) for job in trace])


def exact(trace: list[TraceJob]) -> list[TraceJob]:
    """Return the same jobs, of users who know how long their jobs run."""
    return [job._replace(run_s=max(1, job.run_s), estimate_s=max(1, job.run_s)) for job in trace]


def submit(
    job_id: int, size: int, estimate_s: int, restartable: bool = True, feature: str | None = None
) -> Submit:
    request = Request((Component(size, feature=feature),))
    estimate_us = estimate_s * SECOND_US
    return Submit(Job(job_id, "ann", 0, request, estimate_us, restartable=restartable))


def machine(recipe: str, *inputs: Input, kind: CapacityKind = "counted", cores: int = 4) -> Core:
    """Return a core with one node that has handled what comes in at 0 s."""
    core = Core(parse_recipe(recipe), kind)
    core.handle(0, [NodeUp("n1", cores, 0, ("real",))])
    core.handle(0, inputs)
    return core


# ---------------------------------------------------------------- what must always hold


@pytest.mark.slow
@settings(max_examples=25)
@given(traces, clusters, recipe_texts)
def test_who_asks_disturbs_nothing(trace: list[TraceJob], cluster: Cluster, text: str) -> None:
    recipe = parse_recipe(text)
    if recipe.why_not_live():
        return
    world = World(trace, cluster, [Core(recipe, cluster.capacity) for _ in range(2)])
    world.feed(0, [("nodes", ())])
    for _ in range(60):
        if world.next_us is None:
            break
        now_us = world.step()
        assert world.decided[0] == world.decided[1]
        assert world.wakes_us[0] == world.wakes_us[1]
        asked = world.cores[1]
        for later_us in (0, 3 * SECOND_US):
            starts = whole(asked.projection(now_us + later_us)).starts
            for job_id, expected in starts.expected.items():
                assert asked.jobs[job_id].state is JobState.PENDING
                assert expected.start_us >= starts.now_us
            for job in list(asked.jobs.values()):
                if job.state is JobState.PENDING:
                    told = whole(asked.why(job, starts))
                    assert 0 <= told.place <= told.waiting
                    assert job not in told.holders + told.before
                elif job.open_nodes:
                    assert job not in whole(asked.held_up(job, starts))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", ["fcfs", "conservative", "easy"])
@settings(max_examples=30)
@given(trace=at_once, kind=st.sampled_from(["counted", "nodes"]))
def test_with_exact_estimates_it_comes_as_expected(
    recipe: str, trace: list[TraceJob], kind: CapacityKind
) -> None:
    """All jobs there are have been submitted. EASY promises its head alone a start."""
    trace = exact(trace)
    core = Core(parse_recipe(recipe), kind)
    world = World(trace, Cluster(kind, {"n1": MACHINE}, 0), [core], refuses=False)
    world.feed(0, [("nodes", ())])
    world.step()
    starts = whole(core.projection(0)).starts
    jobs = dict(core.jobs)
    assert starts.expected.keys() == {
        job.id for job in jobs.values() if job.state is JobState.PENDING
    }
    while core.jobs:
        world.step()
    for job_id, expected in starts.expected.items():
        if recipe != "easy" or (starts.head and starts.head.id == job_id):
            assert jobs[job_id].start_us == expected.start_us
    assert all(
        (one.basis == "reservation") == (recipe == "conservative" or jobs[at] is starts.head)
        for at, one in starts.expected.items()
    )


# ---------------------------------------------------------------- recipe by recipe

_QUEUE = [submit(2, 4, 50), submit(3, 1, 200), submit(4, 2, 60)]


@pytest.mark.parametrize("kind", ["counted", "nodes"])
@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        ("fcfs", {2: (100, "projection"), 3: (150, "projection"), 4: (150, "projection")}),
        ("easy", {2: (100, "reservation"), 3: (150, "projection"), 4: (150, "projection")}),
        ("easy,backfill=none", {2: (100, "reservation"), 3: (150, "projection"),
                                4: (150, "projection")}),
        ("conservative", {2: (100, "reservation"), 3: (150, "reservation"),
                          4: (150, "reservation")}),
        ("sjf-easy", {2: (100, "reservation"), 4: (150, "projection"), 3: (150, "projection")}),
        ("selective,threshold=100", {2: (200, "projection"), 4: (100, "projection")}),
        ("easy,reserve=2", {2: (100, "reservation"), 3: (150, "reservation"),
                            4: (150, "projection")}),
    ],
)  # fmt: skip
def test_who_is_expected_when(
    recipe: str, expected: dict[int, tuple[int, str]], kind: CapacityKind
) -> None:
    core = machine(recipe, submit(1, 3, 100), kind=kind)
    core.handle(0, _fresh(_QUEUE))
    assert starts_s(core) == expected


def _fresh(queue: list[Submit]) -> list[Submit]:
    """Jobs are changed by the core that has them."""
    return [submit(one.job.id, one.job.size, one.job.estimate_us // SECOND_US) for one in queue]


def test_who_is_overdue_is_about_to_end() -> None:
    core = machine("easy", submit(1, 4, 10), submit(2, 4, 10))
    assert starts_s(core, 5) == {2: (10, "reservation")}
    assert starts_s(core, 60) == {2: (61, "reservation")}


def test_a_correction_moves_what_waits() -> None:
    core = machine("easy,predict=estimate,times=0.5,correct=estimate",
                   submit(1, 4, 100), submit(2, 4, 10))  # fmt: skip
    assert starts_s(core) == {2: (50, "reservation")}
    core.handle(50 * SECOND_US, [])
    assert starts_s(core, 50) == {2: (100, "reservation")}


def test_what_waits_for_its_trial_says_so() -> None:
    core = machine("timed-easy,trial=30", submit(1, 4, 100), submit(2, 3, 100), submit(3, 3, 10),
                   submit(4, 1, 20, restartable=False))  # fmt: skip
    assert core.jobs[1].state is not JobState.PENDING
    assert starts_s(core) == {2: (30, "trial"), 3: (60, "trial"), 4: (30, "projection")}


def test_what_has_claimed_its_place_starts_at_once() -> None:
    core = machine("timed-easy,trial=30", submit(1, 4, 100), submit(2, 4, 100))
    core.handle(31 * SECOND_US, [])
    assert core.jobs[2].claim
    assert starts_s(core, 31) == {2: (31, "claim")}
    core.handle(32 * SECOND_US, [Exited(1, 1, "n1", 32 * SECOND_US, Outcome(Cause.TRIAL))])
    assert starts_s(core, 32) == {1: (62, "reservation")}


@pytest.mark.parametrize("recipe", ["easy", "conservative", "fcfs", "selective,threshold=2"])
def test_a_job_without_a_limit_is_assumed_to_run_for_days(recipe: str) -> None:
    """Each start behind such a job says that it rests on an assumption."""
    endless, day_s = UNLIMITED_US // SECOND_US, 86_400
    core = machine(recipe, submit(1, 3, endless), submit(2, 1, 20))
    core.handle(0, [submit(3, 1, 10), submit(4, 4, endless), submit(5, 4, 10)])
    expected = starts_s(core)
    assert expected[3][0] == 20
    assert expected[3][1] in ("reservation", "projection")
    assert expected[4] == (day_s, "assumption")
    assert expected[5] == (2 * day_s, "assumption")
    # The job goes on into its third day.
    core.handle(20 * SECOND_US, [Exited(2, 1, "n1", 20 * SECOND_US, Outcome(Cause.EXIT, 0))])
    start_s, basis = starts_s(core, 2 * day_s + 60)[4]
    assert (start_s in (3 * day_s, 3 * day_s + 10), basis) == (True, "assumption")


def test_no_start_is_made_up() -> None:
    """The nodes that a job needs are not there."""
    core = machine("easy", submit(1, 4, 100), submit(2, 4, 10), kind="nodes")
    core.handle(1, [Drain("n1", "test")])
    assert starts_s(core) == {}
    assert core.reason(core.jobs[2]) == "ReqNodeNotAvail"


@pytest.mark.parametrize("recipe", ["easy", "conservative"])
def test_a_long_queue_is_looked_at_as_far_as_said(recipe: str) -> None:
    queue = [submit(at, 4, 10) for at in range(1, 700)]
    starts = whole(machine(recipe, *queue).projection(0)).starts
    if recipe == "conservative":  # the plan has them all
        assert (len(starts.expected), len(starts.left_out)) == (698, 0)
    else:
        assert (len(starts.expected), len(starts.left_out)) == (200, 498)
    starts_s = [one.start_us // SECOND_US for one in starts.expected.values()]
    assert starts_s == [10 * at for at in range(1, len(starts_s) + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["counted", "nodes"])
@pytest.mark.parametrize("recipe", ["easy", "fcfs", "sjf-easy", "conservative", "timed-easy"])
@given(data=st.data())
def test_a_queue_is_laid_out_alike_at_once_and_later(
    recipe: str, kind: CapacityKind, data: st.DataObject
) -> None:
    """Jobs that are alike are placed as if each of them was searched a place for from the present
    on."""
    shapes = data.draw(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), max_size=40))
    core = laid_out(recipe, kind, shapes, [1] * len(shapes))
    starts = whole(core.projection(0, len(shapes))).starts
    # Trials are laid before all others, so that those behind the first are laid without theirs.
    first = len(shapes) if recipe == "timed-easy" else data.draw(st.integers(0, len(shapes)))
    later = whole(core.projection(0, first))
    while whole(later.placing(data.draw(st.integers(1, 3)))):
        pass
    assert later.starts.expected == starts.expected
    assert not later.starts.left_out
    different = laid_out(recipe, kind, shapes, range(len(shapes)))
    assert whole(different.projection(0, len(shapes))).starts.expected == starts.expected


def laid_out(
    recipe: str, kind: CapacityKind, shapes: list[tuple[int, int]], mem_mib: Sequence[int]
) -> Core:
    """Return a core with jobs of so many cores and tens of seconds on a node with memory for all of
    them. Requests with different memory are not alike."""
    core = Core(parse_recipe(recipe), kind)
    core.handle(0, [NodeUp("n1", 4, 1 << 20, ())])
    for at, ((cores, tens_s), mib) in enumerate(zip(shapes, mem_mib, strict=True), 1):
        request = Request((Component(1, cores, mib),))
        core.handle(0, [Submit(Job(at, "ann", 0, request, 10 * tens_s * SECOND_US))])
    return core


def test_a_queue_is_laid_no_further_once_the_machine_has_changed() -> None:
    core = machine("easy", *(submit(at, 4, 10) for at in range(1, 10)), kind="nodes")
    projection = whole(core.projection(0, 2))
    assert whole(projection.placing(1))
    core.handle(1, [Drain("n1", "test")])
    assert not whole(projection.placing(10))
    assert len(projection.starts.expected) == 3
    assert len(projection.starts.left_out) == 5


def test_a_job_that_fits_nowhere_is_told_apart_from_one_far_behind() -> None:
    core = machine("easy", *(submit(at, 4, 10) for at in range(1, 6)), kind="nodes")
    projection = whole(core.projection(0, 1))
    core.jobs[5].request = processors(5)
    while whole(projection.placing(1)):
        pass
    assert projection.starts.nowhere == {5}
    assert not projection.starts.left_out


# ---------------------------------------------------------------- why


def why(core: Core, job_id: int, at_s: int = 0) -> Why:
    return whole(core.why(core.jobs[job_id], whole(core.projection(at_s * SECOND_US)).starts))


def ids(jobs: list[Job]) -> list[int]:
    return [job.id for job in jobs]


@pytest.mark.parametrize("kind", ["counted", "nodes"])
def test_why_a_job_waits_under_easy(kind: CapacityKind) -> None:
    core = machine("easy", submit(1, 3, 100), kind=kind)
    core.handle(0, [submit(2, 4, 50), submit(3, 1, 200), submit(4, 2, 60)])
    first, second, third = (why(core, job_id) for job_id in (2, 3, 4))
    assert (first.place, first.waiting, first.free, first.fits) == (1, 3, 1, False)
    assert (first.head, ids(first.holders), ids(first.before)) == (None, [1], [])
    # Job 3 has room, but runs beyond the start of job 2, which leaves nothing beside it.
    assert (second.place, second.fits, second.in_turn) == (2, True, False)
    assert (second.head, second.head_us, second.beside) == (core.jobs[2], 100 * SECOND_US, 0)
    assert (ids(second.holders), ids(second.before)) == ([1], [2])
    assert (third.fits, ids(third.before)) == (False, [2])
    held = whole(core.held_up(core.jobs[1], whole(core.projection(0)).starts))
    assert ids(held) == [2, 3, 4]


def test_a_core_that_was_rebuilt_says_why_a_job_of_the_core_before_waits() -> None:
    """Somebody asks, and the state is loaded anew before there is an answer (seed 19068579)."""
    earlier, core = (
        machine("easy", submit(1, 3, 100), submit(2, 4, 50), submit(3, 4, 50)) for _ in range(2)
    )
    starts = whole(core.projection(0)).starts
    for job_id in (2, 3):
        assert whole(core.why(earlier.jobs[job_id], starts)) == why(core, job_id)


def test_nothing_passes_the_first_of_the_queue_under_fcfs() -> None:
    core = machine("fcfs", submit(1, 3, 100), submit(2, 4, 50), submit(3, 1, 20))
    last = why(core, 3)
    assert (last.fits, last.in_turn, last.head) == (True, True, core.jobs[2])


def test_only_who_is_in_the_way_is_named() -> None:
    """On nodes, a job that runs elsewhere, or beyond the expected start, is not in the way."""
    core = Core(parse_recipe("conservative"), "nodes")
    core.handle(0, [NodeUp("n1", 4, 0, ("a",)), NodeUp("n2", 4, 0, ("b",))])
    core.handle(0, [submit(1, 4, 50, feature="a"), submit(2, 4, 20, feature="b")])
    core.handle(0, [submit(3, 4, 10, feature="a"), submit(4, 4, 10, feature="a")])
    assert ids(why(core, 3).holders) == ids(why(core, 4).holders) == [1]
    assert ids(why(core, 4).before) == [3]
    assert whole(core.held_up(core.jobs[2], whole(core.projection(0)).starts)) == []


def test_who_has_no_limit_is_named() -> None:
    core = machine("easy", submit(1, 3, UNLIMITED_US // SECOND_US), submit(2, 1, 5))
    core.handle(0, [submit(3, 4, 10), submit(4, 2, 10)])
    assert ids(why(core, 3).holders) == [1, 2]
    assert why(core, 4).head_us is None


def test_who_cannot_run_is_in_no_queue() -> None:
    core = machine("easy", submit(1, 4, 10, feature="none"), kind="nodes")
    told = why(core, 1)
    assert (told.place, told.waiting, told.fits, told.holders) == (0, 0, False, [])


# ---------------------------------------------------------------- a job that has not arrived


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["counted", "nodes"])
@pytest.mark.parametrize("recipe", ["fcfs", "easy", "sjf", "easy++", "conservative"])
@settings(max_examples=30)
@example(sizes=[(2, 2), (2, 2), (3, 1)], size=1, length_s=2)
@given(
    sizes=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 300)), max_size=8),
    size=st.integers(1, 4),
    length_s=st.integers(1, 300),
)
def test_a_job_is_told_the_start_that_it_then_has(
    recipe: str, kind: CapacityKind, sizes: list[tuple[int, int]], size: int, length_s: int
) -> None:
    """The answer is that of the core after the submit, and asking changes nothing."""
    queue = [submit(at, cores, run_s) for at, (cores, run_s) in enumerate(sizes, 1)]
    other = [submit(at, cores, run_s) for at, (cores, run_s) in enumerate(sizes, 1)]
    asked, told = machine(recipe, *queue, kind=kind), machine(recipe, *other, kind=kind)
    new = submit(99, size, length_s).job
    projection = whole(asked.projection(0, new=new))
    expected = projection.starts.expected[99]
    assert 99 not in asked.jobs
    decided = [core.handle(0, [submit(99, size, length_s)]).decisions for core in (asked, told)]
    assert decided[0] == decided[1]
    job = told.jobs[99]
    if job.state is JobState.PENDING:
        assert expected.start_us == whole(told.projection(0)).starts.expected[99].start_us
    else:
        assert expected.start_us == job.start_us == 0
        assert expected.allocation is not None
        assert sum(piece.cores for piece in expected.allocation) == size


def test_a_job_that_begins_later_is_laid_behind_the_queue() -> None:
    core = machine("fcfs", submit(1, 4, 100), submit(2, 4, 50))
    new = submit(99, 1, 10).job
    projection = whole(core.projection(0, new=new, begin_us=20 * SECOND_US))
    assert 99 not in projection.starts.expected
    for begin_s, start_s in ((20, 150), (400, 400)):
        found = whole(projection.start_of(new, begin_s * SECOND_US))
        assert found is not None
        assert found.start_us == start_s * SECOND_US


def test_any_number_of_arrays_wait_for_their_limits() -> None:
    """Each of them lets one task run, and the next one could start only after all of these. A
    search for the place of the one led to that of the other, in a recursion that Python ends."""
    count, hour_us = 600, 3600 * SECOND_US
    core = Core(parse_recipe("easy"), "counted")
    core.handle(0, [NodeUp("n1", count, 0)])
    for at in range(count):
        tasks = Array[Job](Indices([(1, 2, 1)]), limit=1)
        job = Job(10 + 3 * at, "u", 0, processors(1), hour_us, array=tasks, phase=UNFOLDING)
        core.handle(0, [Submit(job)])
    core.handle(0, [Submit(Job(9000, "v", 0, processors(count), hour_us))])
    projection = whole(core.projection(0, depth=count + 1))  # the last step places one task
    assert projection.starts.left_out == {9000}
