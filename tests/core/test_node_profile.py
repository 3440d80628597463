"""The places that plans find on nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.machine import node_profile
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.node_profile import NodeProfile
from rmsd_core.machine.node_search import NodeSearch
from rmsd_core.model_time import SECOND_US
from rmsd_core.planning.portions import whole
from rmsd_core.recipes.text import parse_recipe

_END_S = 200


def empty(nodes: int, cores: int) -> NodeProfile:
    capacity = NodeCapacity()
    for number in range(nodes):
        capacity.set_node(f"n{number}", cores, 0, ())
        capacity.set_available(f"n{number}", True)
    profile = capacity.profile([], 0)
    assert isinstance(profile, NodeProfile)
    return profile


def tasks(count: int) -> Request:
    return Request((Component(count),))


def first_by_trying(profile: NodeProfile, request: Request, length_us: int) -> int:
    """Every second is tried."""
    return next(
        at_s * SECOND_US
        for at_s in range(_END_S)
        if profile.space_at(request, at_s * SECOND_US, length_us) is not None
    )


def test_room_that_moves_to_another_node_is_seen() -> None:
    """At 20 s as many cores are given back as are taken, and a whole node is free from then on."""
    profile = empty(2, 4)
    for request, length_s in ((tasks(2), 10), (tasks(4), 20)):
        found = profile.earliest(request, length_s * SECOND_US, 0)
        assert found is not None
        assert found[0] == 0
        profile.take(found[1], 0, length_s * SECOND_US)
    held = profile.earliest(tasks(4), 10 * SECOND_US, 20 * SECOND_US)
    assert held is not None
    profile.take(held[1], 20 * SECOND_US, 10 * SECOND_US)
    found = profile.earliest(tasks(4), 40 * SECOND_US, 0)
    assert found is not None
    assert found[0] == 20 * SECOND_US


def test_a_search_on_many_nodes_goes_in_steps() -> None:
    """On 10,000 nodes a search took up to 0.2 s at a stretch: it looks at some thousand steps of 40
    racks. Now it looks at one rack at a time."""
    profile = empty(2000, 4)
    for at in range(20):
        pieces = tuple([Piece(f"n{number}", 2, 0) for number in range(100 * at, 100 * at + 100)])
        profile.take(profile.space_of(pieces), 0, (at + 1) * SECOND_US)
    request, length_us = Request((Component(1000, 3),)), 10 * SECOND_US
    looks = sum(1 for _ in profile.earliest_in_steps(request, length_us, 0))
    assert looks > 2 * len(profile.racks)
    found = profile.earliest(request, length_us, 0)
    assert found is not None
    assert found[0] == 10 * SECOND_US
    assert whole(profile.earliest_in_steps(request, length_us, 0)) == found


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.integers(1, 6), st.integers(0, 20), st.booleans()),
        max_size=14,
    ),
    st.integers(1, 9),
    st.integers(1, 6),
)
def test_the_earliest_start_is_the_first_that_fits(
    laid: list[tuple[int, int, int, bool]], size: int, length_s: int
) -> None:
    profile = empty(3, 3)
    given_back: list[tuple[Allocation, int, int]] = []
    for count, seconds, not_before_s, returned in laid:
        length_us = seconds * SECOND_US
        found = profile.earliest(tasks(count), length_us, not_before_s * SECOND_US)
        assert found is not None
        profile.take(found[1], found[0], length_us)
        if returned:
            given_back.append((found[1], found[0], length_us))
    for space, start_us, length_us in given_back:
        profile.give(space, start_us, length_us)
    request, length_us = tasks(size), length_s * SECOND_US
    found = profile.earliest(request, length_us, 0)
    assert found is not None
    assert found[0] == first_by_trying(profile, request, length_us)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 6), st.integers(0, 20)), max_size=10),
    st.integers(1, 9),
    st.integers(1, 6),
    st.sets(st.integers(0, 4), min_size=1),
)
def test_the_racks_that_were_given_back_to_are_looked_at_first(
    laid: list[tuple[int, int, int]], size: int, length_s: int, given_back: set[int]
) -> None:
    """A reservation moves up only to nodes that were given back to. If none of these has a place,
    the others are not looked at."""
    found: list[object] = []
    for looks_first in (True, False):
        with pytest.MonkeyPatch.context() as patches:
            patches.setattr(node_profile, "RACK", 2)
            if not looks_first:
                patches.setattr(NodeSearch, "racks_of", lambda *_: [])
                patches.setattr(NodeSearch, "can_touch", lambda *_: True)
            profile = empty(5, 3)
            for count, seconds, not_before_s in laid:
                length_us = seconds * SECOND_US
                start = profile.earliest(tasks(count), length_us, not_before_s * SECOND_US)
                assert start is not None
                profile.take(start[1], start[0], length_us)
            length_us, late_us = length_s * SECOND_US, 100 * SECOND_US
            last = profile.earliest(tasks(size), length_us, late_us)
            assert last is not None
            profile.take(last[1], last[0], length_us)
            there = tuple([Piece(f"n{at}", 1, 0) for at in given_back])
            nodes = profile.nodes_of(profile.space_of(there))
            within_us = 0, late_us
            request = tasks(size)
            found.append(profile.sooner(request, last[1], last[0], length_us, *within_us, nodes))
    assert found[0] == found[1]


def test_a_plan_on_more_nodes_than_a_rack_and_fewer_than_two() -> None:
    """The last rack is not full. Its lanes without nodes were taken for nodes that are short."""
    core = Core(parse_recipe("conservative"))
    core.handle(0, [NodeUp(f"n{at}", 1, 0) for at in range(257)])
    for job_id in (1, 2, 3):
        request = Request((Component(257),))
        core.handle(job_id, [Submit(Job(job_id, "ann", job_id, request, 10 * SECOND_US))])
        core.sanity_check()
    assert whole(core.projection(3)).starts.expected.keys() == {2, 3}
