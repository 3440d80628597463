"""Jobs that share their nodes with jobs of their user alone (`--exclusive=user`)."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from dataclasses import asdict, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.gres import Demands, Share
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Expired, Preempted, Waiting
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle import own_nodes
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, End, Stop
from rmsd_core.lifecycle.inputs import (
    Cancel,
    Drain,
    Exited,
    Found,
    Input,
    NodeDead,
    NodeUp,
    Resume,
    SetPartitions,
    Submit,
    Suspend,
    Unsuspend,
    Update,
)
from rmsd_core.lifecycle.own_nodes import MOST_LOOKS
from rmsd_core.lifecycle.sanity import Insane
from rmsd_core.lifecycle.user_nodes import UserNodes
from rmsd_core.machine.partitions import Partition
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.store.records import changing_columns, given_columns, job_of
from tests.core.small_cluster import cluster, exited
from tests.core.small_cluster import job as plain_job
from tests.core.strategies import OF_EACH_PLAN
from tests.core.users_jobs import by_user, submit

NODES = ("n1", "n2", "n3", "n4")
WITHOUT_TRIALS = tuple(recipe for recipe in OF_EACH_PLAN if "trial" not in recipe)
_USERS = ("ann", "bob", "eve")
_GPU = (("gpu", 1),)
_ALL_NEEDS = (
    Demands(by_user=True),
    Demands(by_user=True),
    Demands(by_user=True, unit_gres=_GPU),
    Demands(by_user=True, node_gres=_GPU, unit_mem=True),
    Demands(exclusive=True, all_mem=True),
    Demands(unit_gres=_GPU),
    None,
    None,
)


def sized(job_id: int, cores: int, mem_mib: int = 0) -> Job:
    request = Request((Component(1, cores, mem_mib, needs=Demands(by_user=True)),))
    return Job(job_id, "ann", 0, request, 60 * SECOND_US)


@pytest.mark.parametrize("recipe", WITHOUT_TRIALS)
def test_jobs_of_a_user_fill_a_node_that_no_other_user_enters(recipe: str) -> None:
    core = cluster(recipe, nodes=1)
    ours = [by_user(number) for number in (1, 2, 3)]
    assert submit(core, 0, *ours) == [1, 2, 3]
    assert [piece.cores for job in ours for piece in job.allocation] == [1, 1, 1]
    assert submit(core, 1, plain_job(4, user="bob"), plain_job(5), by_user(6, user="bob")) == []
    assert submit(core, 2, by_user(7, estimate_s=50)) == [7]


@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
def test_a_job_enters_no_node_of_another_user(recipe: str) -> None:
    core = cluster(recipe, nodes=2)
    assert submit(core, 0, plain_job(1, user="bob")) == [1]
    assert submit(core, 1, by_user(2, 4)) == [2]
    assert submit(core, 2, by_user(3)) == []
    assert [job.allocation[0].node for job in core.jobs.values() if job.open_nodes] == ["n1", "n2"]


def test_a_node_is_handed_over_to_the_job_that_stays() -> None:
    core = cluster("easy", nodes=1)
    first, second = by_user(1), by_user(2, estimate_s=50)
    submit(core, 0, first, second)
    submit(core, 1, plain_job(3, user="bob"))
    core.handle(5 * SECOND_US, [exited(first, "n1", 5)])
    core.sanity_check()
    assert core.jobs[3].start_us is None
    core.handle(6 * SECOND_US, [exited(second, "n1", 6)])
    assert core.jobs[3].start_us == 6 * SECOND_US


def test_a_job_that_would_keep_a_node_from_a_waiting_job_does_not_join() -> None:
    """A job may join, however long it is, if nobody waits."""
    core = cluster("easy", nodes=1)
    submit(core, 0, by_user(1))
    assert submit(core, 1, by_user(2, estimate_s=100)) == [2]
    assert submit(core, 2, plain_job(3, user="bob")) == []
    assert submit(core, 3, by_user(4, estimate_s=100), by_user(5, estimate_s=90)) == [5]


def test_a_pass_looks_at_a_bounded_number_of_nodes_for_such_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user keeps all nodes, and has hundreds of different jobs that fit on none."""
    looks: list[int] = []
    look = own_nodes.place_beside
    monkeypatch.setattr(
        own_nodes, "place_beside", lambda _, job, **how: looks.append(job.id) or look(_, job, **how)
    )
    core = cluster("easy", nodes=300)
    submit(core, 0, *[sized(number, 3) for number in range(300)])
    many = [sized(1000 + at, 2, 1 + at) for at in range(500)]
    assert submit(core, 1, *many) == []
    ended = core.jobs[7]
    looks.clear()
    answer = core.handle(2 * SECOND_US, [exited(ended, ended.allocation[0].node, 2)])
    assert answer.decisions
    assert 0 < len(looks) <= 2 * (MOST_LOOKS // 300 + 1)
    submit(core, 2)
    looks.clear()
    assert submit(core, 3, plain_job(3000, user="bob")) == []
    assert looks == []  # nothing has changed for the user


# ---------------------------------------------------------------- nodes that grow, and backups


def beside_a_trial() -> Core:
    """Return a core of two nodes. On the second the trial of job 1 of ann has expired, for which
    the first job of the queue waits."""
    core = cluster("timed-conservative,trial=5", nodes=2)
    eves = [plain_job(8, 4, user="eve"), plain_job(9, 8, user="eve")]
    assert submit(core, 0, eves[0]) == [8]
    submit(core, 6)
    assert submit(core, 7, eves[1], by_user(1, estimate_s=100)) == [1]
    submit(core, 13)
    assert isinstance(core.jobs[1].phase, Expired)
    return core


def grow(core: Core, now_s: int) -> None:
    core.handle(now_s * SECOND_US, [NodeUp("n2", 6, 1000, ("real",))])
    core.sanity_check()


def test_the_rest_of_a_node_that_grows_is_not_free_beside_an_expired_trial() -> None:
    core = beside_a_trial()
    grow(core, 14)
    assert submit(core, 15, plain_job(2, user="bob")) == []
    assert isinstance(core.jobs[1].phase, Preempted)


def test_the_rest_of_a_node_that_grows_is_not_free_beside_a_killed_trial() -> None:
    core = beside_a_trial()
    submit(core, 14, plain_job(2, user="bob"))
    assert isinstance(core.jobs[1].phase, Preempted)
    grow(core, 15)
    assert submit(core, 16, plain_job(3, user="bob")) == []
    core.handle(17 * SECOND_US, [exited(core.jobs[1], "n2", 17, Cause.TRIAL)])
    core.sanity_check()
    assert core.jobs[3].start_us == 17 * SECOND_US


def find_there(core: Core, now_s: int, *jobs: Job, node: str = "n1") -> None:
    """Let the jobs wait, and the node know attempts of them that have begun since a backup."""
    submit(core, now_s, *jobs)
    at_us, place = now_s * SECOND_US, (Piece(node, 1),)
    core.handle(at_us, [Found(job.id, job.attempt + 1, at_us, place) for job in jobs])
    core.sanity_check()


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_nobody_joins_beside_a_job_that_shares_with_all(user: str) -> None:
    core = cluster("easy", nodes=1)
    submit(core, 0, by_user(1))
    find_there(core, 1, replace(plain_job(2, 4), user=user))
    assert submit(core, 2, by_user(3)) == []


def test_a_job_keeps_a_node_of_its_own_beside_one_that_leaves_for_others() -> None:
    core = beside_a_trial()
    submit(core, 14, plain_job(2, user="bob"))
    assert isinstance(core.jobs[1].phase, Preempted)
    find_there(core, 15, by_user(3, 8), node="n2")
    core.handle(16 * SECOND_US, [exited(core.jobs[1], "n2", 16, Cause.TRIAL)])
    core.sanity_check()
    assert [piece.cores for piece in core.jobs[3].keeping()] == [4]
    assert submit(core, 17, plain_job(4, user="bob"), by_user(5)) == []


def test_a_node_on_which_several_users_were_is_known_no_more() -> None:
    core = cluster("easy", nodes=1)
    ours, theirs = by_user(1), by_user(2, 4, user="bob")
    submit(core, 0, ours)
    find_there(core, 1, theirs)
    for job in (ours, theirs):
        core.handle(2 * SECOND_US, [exited(job, "n1", 2)])
    assert submit(core, 3, by_user(3), by_user(4)) == [3, 4]


# ---------------------------------------------------------------- whatever comes in


def keepers(core: Core) -> dict[str, int]:
    """Return which job keeps each of the nodes that are kept for users."""
    live = [job for job in core.jobs.values() if job.by_user]
    return {piece.node: job.id for job in live for piece in job.keeping()}


class Site:
    """A core that hears of random jobs and nodes, and is restored now and then."""

    def __init__(self, recipe: str, rng: random.Random) -> None:
        self.core, self.rng = Core(parse_recipe(recipe), "nodes"), rng
        self.at_us = self.jobs = 0
        self.stopped: dict[tuple[int, str], Cause] = {}
        self.history: list[tuple[str, int, int, int, int]] = []
        self.partitions: tuple[Partition, ...] = ()
        self.joined = 0
        for name in NODES:
            self.tell([self.up(name)])

    def up(self, name: str) -> NodeUp:
        size = self.rng.choice((4, 4, 4, 6, 3))
        gpus = self.rng.choice((0, 2, 2))
        gres = (Share("gpu", gpus, tuple(range(gpus))),) if gpus else ()
        return NodeUp(name, size, 1000, ("real",), gres)

    def tell(self, inputs: list[Input]) -> None:
        while True:
            answer = self.core.handle(self.at_us, inputs)
            self.core.sanity_check()
            self.check(answer.decisions)
            if answer.wake_us is None or answer.wake_us > self.at_us:
                return
            inputs = []

    def check(self, decisions: tuple[Decision, ...]) -> None:
        """Check each start by what the jobs hold then."""
        self.note(decisions)
        on: defaultdict[str, set[str]] = defaultdict(set)
        closed: dict[str, str] = {}
        for job in self.core.jobs.values():
            for name in job.open_nodes:
                on[name].add(job.user)
                if job.by_user:
                    closed[name] = job.user
                    self.joined += job.keeping() == ()
        assert {name: on[name] for name in closed} == {name: {closed[name]} for name in closed}

    def note(self, decisions: tuple[Decision, ...]) -> None:
        """Note what nodes are to end, and what has ended."""
        for one in decisions:
            if isinstance(one, Stop):
                self.stopped |= {(one.job_id, node): one.cause for node in one.nodes}
            elif isinstance(one, End) and one.start_us is not None:
                job = self.core.job(one.job_id)
                run_us = one.end_us - one.start_us
                self.history.append((job.user, job.seq, run_us, job.estimate_us, job.size))

    def step(self) -> None:
        rng, live = self.rng, list(self.core.jobs.values())
        self.at_us += rng.choice((0, 1, 1, 3, 9)) * SECOND_US
        running = [job for job in live if job.open_nodes]
        name = rng.choice(NODES)
        kind = rng.choice(("submit",) * 5 + ("exit",) * 4 + ("stopped",) * 3 + OTHERS)
        match kind:
            case "submit":
                self.tell([Submit(self.job()) for _ in range(rng.choice((1, 1, 2, 6)))])
            case "exit" if running:
                job = rng.choice(running)
                outcome = Outcome(Cause.EXIT, 0)
                node = job.allocation[0].node
                if node in job.open_nodes:
                    self.tell([Exited(job.id, job.attempt, node, self.at_us, outcome)])
            case "stopped":
                for job in running:
                    for node in sorted(job.open_nodes):
                        if (cause := self.stopped.pop((job.id, node), None)) is not None:
                            outcome = Outcome(cause)
                            self.tell([Exited(job.id, job.attempt, node, self.at_us, outcome)])
            case "cancel" if live:
                self.tell([Cancel(rng.choice(live).id)])
            case "dead":
                self.tell([NodeDead(name)])
            case "up":
                self.tell([self.up(name)])
            case "drain":
                self.tell([Drain(name, "repair")])
            case "resume":
                self.tell([Resume(name)])
            case "suspend" if running:
                self.tell([Suspend(rng.choice(running).id)])
            case "unsuspend" if running:
                self.tell([Unsuspend(rng.choice(running).id)])
            case "limit" if running:
                job = rng.choice(running)
                limit_us = rng.randint(1, 90) * SECOND_US
                self.tell([Update(job_id=job.id, estimate_us=limit_us)])
            case "partitions":
                self.partitions = rng.choice(
                    ((), (Partition("low", preempt="requeue"), Partition("high", tier=2)))
                )
                self.tell([SetPartitions(self.partitions)])
            case "restore":
                self.restore()

    def job(self) -> Job:
        rng = self.rng
        self.jobs += 1
        spread = rng.random() < 0.2
        names = rng.choice((("low",), ("high",), ("low", "high"))) if self.partitions else (None,)
        one = Component(
            rng.choice((1, 1, 2, 3)),
            rng.choice((1, 1, 2, 4)),
            rng.choice((0, 100, 400)),
            spread,
            needs=rng.choice(_ALL_NEEDS),
        )
        request = Request(tuple([one._replace(partition=name) for name in names]))
        estimate_us = rng.choice((5, 20, 20, 60)) * SECOND_US
        return Job(self.jobs, rng.choice(_USERS), self.at_us, request, estimate_us)

    def restore(self) -> None:
        core = self.core
        rows = json.dumps(
            [given_columns(job, Details(job.name)) | changing_columns(job) for job in self.live()]
        )
        again = Core(core.recipe, "nodes", partitions=self.partitions)
        again.restore(
            [replace(node, link="up") for node in core.nodes.values()],
            [job_of(row)[0] for row in json.loads(rows)],
            self.history,
            PlannerMemory(**asdict(core.memory())),
        )
        again.pass_over_seqs(core.next_seq)
        self.compare(keepers(again), keepers(core))
        self.core = again
        self.tell([])

    def compare(self, now: dict[str, int], before: dict[str, int]) -> None:
        """Compare the jobs that keep nodes after a restore with those before."""
        assert now == before

    def live(self) -> list[Job]:
        return list(self.core.jobs.values())


class SiteWithBackups(Site):
    """A site whose nodes know jobs that the core takes for waiting ones, at any places."""

    def step(self) -> None:
        rng, nodes = self.rng, [node.name for node in self.core.nodes.values() if node.available]
        waiting = [job for job in self.live() if type(job.phase) is Waiting]
        if nodes and waiting and rng.random() < 0.1:
            job, place = rng.choice(waiting), (Piece(rng.choice(nodes), 1),)
            self.tell([Found(job.id, job.attempt + 1, self.at_us, place)])
        super().step()

    def check(self, decisions: tuple[Decision, ...]) -> None:
        self.note(decisions)

    def compare(self, now: dict[str, int], before: dict[str, int]) -> None:
        assert now.keys() == before.keys()


OTHERS = (
    *("cancel", "dead", "up", "up", "drain", "resume", "resume", "suspend", "unsuspend"),
    *("limit", "partitions", "restore", "restore"),
)


def tell_story(recipe: str, seed: int, steps: int = 100, *, site_of: type[Site] = Site) -> Site:
    site = site_of(recipe, random.Random(seed))
    for _ in range(steps):
        site.step()
    return site


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [*OF_EACH_PLAN, "easy,speculate=yes"])
@settings(max_examples=30)
@given(seed=st.integers(0, 1 << 32))
def test_no_node_is_shared_with_another_user(recipe: str, seed: int) -> None:
    tell_story(recipe, seed)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", OF_EACH_PLAN)
@settings(max_examples=30)
@given(seed=st.integers(0, 1 << 32))
def test_a_node_is_kept_for_a_user_over_any_backup(recipe: str, seed: int) -> None:
    tell_story(recipe, seed, site_of=SiteWithBackups)


@pytest.mark.slow
def test_random_jobs_join_others() -> None:
    assert tell_story("easy", 7, steps=200).joined > 10


@pytest.mark.slow
def test_stories_find_a_core_that_shares_such_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Demands, "alone", property(lambda needs: needs.exclusive))
    with pytest.raises(Insane):
        tell_story("easy", 1, steps=400)


@pytest.mark.slow
def test_stories_find_a_core_that_hands_no_node_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserNodes, "settle", lambda _own, _name: None)
    with pytest.raises(Insane):
        tell_story("easy", 1, steps=400)
