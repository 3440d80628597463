"""The use of nodes is counted as jobs leave these, one after the other."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Piece, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import NodeUp, Submit
from rmsd_core.lifecycle.usage import Holdings, Usage
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from tests.core.small_cluster import exited


def test_a_job_that_leaves_a_node_is_counted_there_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a job on 1,000 nodes took 1.1 s: as it left each of them, all that it held was
    counted again."""
    count, looks = 60, 0
    one_more = Holdings.count_piece

    def counted(self: Holdings, piece: Piece, sign: int) -> Usage:
        nonlocal looks
        looks += 1
        return one_more(self, piece, sign)

    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp(f"n{at}", 2, 0) for at in range(count)])
    wide = Job(1, "eve", 0, Request((Component(count, 2, spread=True),)), 500 * SECOND_US)
    core.handle(1, [Submit(wide)])
    monkeypatch.setattr(Holdings, "count_piece", counted)
    core.handle(5 * SECOND_US, [exited(wide, f"n{at}", 5) for at in range(count)])
    assert not core.jobs
    assert all(not core.used_on(f"n{at}").cores for at in range(count))
    assert looks <= 2 * count
