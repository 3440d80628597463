"""A world whose operators make and delete advance reservations."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Claim, Effects, End, Start, Unclaim
from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation, Input, Submit
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.workloads.swf import TraceJob
from tests.core.reserved import Held, overbooked, violations
from tests.core.strategies import MACHINE
from tests.core.world import Cluster, World

NAMES = ("r1", "r2", "r3")


@dataclass
class Reserved(World):
    """A world whose operators make and delete reservations. Some jobs name one. seen: what is wrong
    with the starts so far. claimants: the jobs that have claimed a place. Such a job starts as the
    last of those that it awaits has ended, before a reservation that is made in the same call."""

    live: dict[str, AdvanceReservation] = field(default_factory=dict)
    before: dict[str, AdvanceReservation] = field(default_factory=dict)
    claimants: set[int] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)
    jobs_name_some: bool = True
    asked: list[AddReservation | DeleteReservation] = field(default_factory=list)

    def inputs(self, kind: str, what: tuple[Any, ...], now_us: int) -> list[Input]:
        if kind in ("reserve", "unreserve"):
            made = kind == "reserve"
            asked = _added(self.cluster, now_us, *what) if made else DeleteReservation(*what)
            self.asked.append(asked)
            return [asked]
        inputs = super().inputs(kind, what, now_us)
        for item in inputs:
            if self.jobs_name_some and isinstance(item, Submit) and item.job.id % 3 == 1:
                item.job.reservation = NAMES[item.job.id % len(NAMES)]
        return inputs

    def feed(self, now_us: int, happens: list[tuple[str, tuple[Any, ...]]]) -> None:
        for one in [one for one in self.live.values() if one.end_us <= now_us]:
            start_us, length_us = one.start_us, one.end_us - one.start_us
            while one.every_us and start_us + length_us <= now_us:
                start_us += one.every_us
            if start_us == one.start_us or start_us >= one.until_us:
                del self.live[one.name]
            else:
                end_us = start_us + length_us
                self.live[one.name] = replace(one, start_us=start_us, end_us=end_us)
        self.asked = []
        self.before = dict(self.live)
        super().feed(now_us, happens)
        assert self.cores[0].reservations == self.live

    def react(self, now_us: int, core: Core, effects: Effects) -> None:
        for item in self.asked:
            if any(item is one for one in effects.refused):
                continue
            if isinstance(item, AddReservation):
                self.live[item.reservation.name] = item.reservation
            elif isinstance(item, DeleteReservation):
                del self.live[item.name]
        self.look_at(now_us, core, effects)
        super().react(now_us, core, effects)

    def look_at(self, now_us: int, core: Core, effects: Effects) -> None:
        every = list(self.live.values())
        known = [one for one in every if self.before.get(one.name) == one]
        for decision in effects.decisions:
            if isinstance(decision, Start):
                was_claimed = decision.job_id in self.claimants
                self.claimants.discard(decision.job_id)
                self._look_at_start(now_us, core, decision, known if was_claimed else every)
            elif isinstance(decision, Claim):
                self.claimants.add(decision.job_id)
            elif isinstance(decision, Unclaim | End):
                self.claimants.discard(decision.job_id)

    def _look_at_start(
        self, now_us: int, core: Core, start: Start, reservations: list[AdvanceReservation]
    ) -> None:
        job = core.job(start.job_id)
        nodes = {piece.node for piece in start.allocation}
        self.seen += violations(job, nodes, now_us, reservations)
        if self.cluster.capacity == "counted" and not self.seen:
            held = [
                Held(job.size, (job.start_us or 0) + job.estimate_us, job.reservation)
                for job in core.holders()
            ]
            self.seen += overbooked([job], held, now_us, MACHINE, reservations)


def _added(
    cluster: Cluster,
    now_us: int,
    name: str,
    ahead_s: int,
    length_s: int,
    share: int,
    maint: bool,
    every_s: int = 0,
) -> AddReservation:
    start_us = now_us + ahead_s * SECOND_US
    nodes = tuple(list(cluster.nodes)[: 1 + share % 2]) if cluster.capacity == "nodes" else ()
    reservation = AdvanceReservation(
        name,
        start_us,
        start_us + length_s * SECOND_US,
        nodes,
        share if cluster.capacity == "counted" else 0,
        users=("a",),
        is_maintenance=maint,
        every_us=every_s * SECOND_US,
        until_us=start_us + 450 * SECOND_US if every_s else 0,
    )
    return AddReservation(reservation, ignores_jobs=share % 3 == 0)


_at_s = st.integers(0, 200)
_made = st.tuples(
    st.just("reserve"),
    _at_s,
    st.tuples(
        st.sampled_from(NAMES),
        st.integers(0, 90),
        st.integers(1, 150),
        st.integers(1, MACHINE),
        st.booleans(),
        st.sampled_from([0, 0, 100, 200]),
    ),
)
_deleted = st.tuples(st.just("unreserve"), _at_s, st.tuples(st.sampled_from(NAMES)))
reserving = st.lists(_made | _deleted, min_size=1, max_size=6)


def world_of(
    trace: list[TraceJob], recipe: str, cluster: Cluster, asked: list[tuple[str, int, Any]]
) -> Reserved:
    """Return a world with all that is asked for to come."""
    core = Core(parse_recipe(recipe), cluster.capacity, slip_us=0)
    size = min(MACHINE, *cluster.nodes.values())
    trace = [job._replace(size=min(job.size, size)) for job in trace]
    world = Reserved(trace, cluster, [core])
    world.feed(0, [("up", ())])
    for kind, at_s, what in asked:
        world.expect(at_s * SECOND_US, kind, *what)
    return world
