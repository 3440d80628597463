"""The phases of a job: what the table allows, and that nothing else happens."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import (
    TRANSITIONS,
    WAITING,
    Done,
    Event,
    IllegalTransition,
    Ineligible,
    Phase,
    Running,
)
from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.predictions import Predictions
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.machine.nodes import Nodes
from rmsd_core.planning.planner import Planner
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import JobState
from tests.core.phase_diagram import diagram
from tests.jobs import attempt_on, phase_in

REPOSITORY = Path(__file__).parents[2]
ARCHITECTURE = REPOSITORY / "docs" / "architecture.md"


def test_the_diagram_in_the_docs_is_that_of_the_table() -> None:
    """`python -m tests.core.phase_diagram` prints it."""
    assert diagram() in ARCHITECTURE.read_text()


def test_every_phase_has_its_line_and_can_be_reached_and_left() -> None:
    phases = set(get_args(Phase))
    assert TRANSITIONS.keys() == phases
    reached = {to for events in TRANSITIONS.values() for ends in events.values() for to in ends}
    assert reached == phases
    assert all(TRANSITIONS.values())
    assert TRANSITIONS[Done] == {"restart": (Ineligible,)}
    assert {event for events in TRANSITIONS.values() for event in events} == set(get_args(Event))


@pytest.mark.parametrize(("state", "event"), list(product(JobState, get_args(Event))))
def test_what_the_table_does_not_have_is_an_error(state: JobState, event: Event) -> None:
    recipe, capacity = parse_recipe("easy"), CountedCapacity()
    planner = Planner(recipe, capacity)
    core = CoreState(recipe, capacity, planner, None, Predictions(recipe), Nodes(capacity))
    job = Job(1, "ann", 0, processors(1), 1)
    job.phase = before = phase_in(state)
    for after in (WAITING, Running(attempt_on()), phase_in(JobState.COMPLETED)):
        job.phase = before
        if type(after) in TRANSITIONS[type(before)].get(event, ()):
            core.move(job, event, after)
            assert job.phase is after
        else:
            with pytest.raises(IllegalTransition, match=f"job 1: {event}"):
                core.move(job, event, after)
            assert job.phase is before


def test_a_job_can_be_printed() -> None:
    """The facts of a compiled class are in no dictionary."""
    job = Job(7, "ann", 0, processors(2), 60)
    job.record.backfilled, job.remembered.lost_us = True, 5
    for text in ("id=7", "user='ann'", "backfilled=True", "behind=None", "lost_us=5", "rank=None"):
        assert text in repr(job)
