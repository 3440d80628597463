"""The events of decisions that a user may have made again and again."""

from __future__ import annotations

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import (
    Hold,
    Input,
    Launched,
    NodeUp,
    Release,
    Submit,
    Suspend,
    Update,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import HeldBy
from rmsd_daemon.store.decision_events import decision_event
from rmsd_daemon.store.records import changing_columns


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ([Hold(1, HeldBy.USER), Release(1)], ["markheld", "markheld"]),
        ([Update(job_id=1, estimate_us=60 * SECOND_US)], ["limit"]),
        ([Suspend(1)], ["freeze"]),
    ],
)
def test_what_leaves_a_job_where_it_is_tells_no_nodes(asked: list[Input], kinds: list[str]) -> None:
    """Each hold and release of a running job, and each change of its limit, had all of its nodes in
    an event: 320 kB on 10,000 nodes, which counted as 3 kB for the user."""
    core = Core(parse_recipe("easy"))
    wide = Request((Component(100, 1, 0, True, None),))
    nodes = [NodeUp(f"n{number}", 1, 0) for number in range(100)]
    core.handle(0, [*nodes, Submit(Job(1, "ann", 0, wide, 3600 * SECOND_US))])
    core.handle(0, [Launched(1, 1)])
    found = []
    for at_us, one in enumerate(asked, 1):
        for decision in core.handle(at_us, [one]).decisions:
            columns = {1: changing_columns(core.job(1))}
            kind, job_id, payload = decision_event(decision, columns)
            assert job_id == 1
            left_out = {"allocation", "open_nodes", "claim", "awaits"}
            assert payload["job"].keys() == columns[1].keys() - left_out
            found.append(kind)
    assert found == kinds
