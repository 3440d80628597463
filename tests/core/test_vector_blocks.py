"""Tests of the steps of a rack: blocks of vectors are what one list is, in fewer additions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.request import Piece
from rmsd_core.machine import vector_blocks
from rmsd_core.machine.lanes import Lanes
from rmsd_core.machine.rack import Rack
from rmsd_core.machine.vector_blocks import VectorBlocks

_acts = st.lists(
    st.tuples(
        st.sampled_from(["add", "append", "repeat", "drop", "drop_before", "copy"]),
        st.integers(0, 30),
        st.integers(0, 30),
        st.integers(-5, 5),
    ),
    max_size=40,
)


@given(_acts)
def test_blocks_of_vectors_are_what_one_list_is(acts: list[tuple[str, int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(vector_blocks, "MOST_VECTORS", 3)
        blocks, vectors = VectorBlocks(7), [7]
        for act, one, other, given_back in acts:
            at = one % len(vectors)
            if act == "add":
                last = at + other % (len(vectors) - at + 1)
                blocks.add(at, last, given_back)
                vectors[at:last] = [vector + given_back for vector in vectors[at:last]]
            elif act == "append":
                blocks.append(given_back)
                vectors.append(vectors[-1] + given_back)
            elif act == "repeat":
                blocks.repeat(at)
                vectors.insert(at, vectors[at])
            elif act == "drop" and len(vectors) > 1:
                blocks.drop(at)
                del vectors[at]
            elif act == "drop_before":
                blocks.drop_before(at)
                del vectors[:at]
            elif act == "copy":
                other_blocks, blocks = blocks, blocks.copy()
                other_blocks.add(0, len(vectors), 1)
            assert list(blocks) == vectors
            assert len(blocks) == len(vectors)


def test_a_change_of_a_thousand_steps_is_few_additions() -> None:
    """A job on hundreds of nodes changed each step of each rack: 40,000 additions of kilobytes."""
    lanes, changes = Lanes(256, 64), dict[int, int]()
    rack = Rack(lanes, 0, lanes.free([0] * 256, [0] * 256), changes)
    for time_us in range(1, 1001):
        rack.release(lanes.taken([(time_us % 256, Piece("n", 1))]), time_us)
    taken = lanes.taken([(at, Piece("n", 1)) for at in range(256)])
    before = list(rack.free)
    added = rack.change(3, 990, -taken) + rack.change(3, 990, taken)
    assert added <= 300
    assert list(rack.free) == before
    rack.advance(1000)
    assert (len(rack.free), changes) == (1, {})
