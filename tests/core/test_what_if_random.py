"""What-if under random recipes, on random workloads, beside a simulation."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rmsd_core.jobs.request import processors
from rmsd_core.lifecycle.core import CapacityKind
from rmsd_core.lifecycle.inputs import NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import NEVER_US, SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.measures.thresholds import needs_thresholds
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.simulation.what_if import PastCluster, PastJob, PastReservation, what_if
from rmsd_lab.workloads.swf import TraceJob
from tests.core.strategies import MACHINE, traces
from tests.core.world import recipe_texts

NODES = (NodeUp("n1", MACHINE, 0), NodeUp("n2", MACHINE, 0))


@st.composite
def _reservations(draw: st.DrawFn) -> tuple[str, int, int, int]:
    """Return the name, the begin [s], the length [s] and the interval [s] of a reservation."""
    length_s = draw(st.sampled_from([5, 30, 60]))
    every_s = draw(st.sampled_from([0, 0, 3600]))
    return draw(st.sampled_from(["a", "b"])), draw(st.integers(1, 200)), length_s, every_s


@pytest.mark.slow
@settings(max_examples=80)
@given(
    traces,
    recipe_texts,
    st.sampled_from(["counted", "nodes"]),
    st.lists(_reservations(), max_size=2),
)
def test_a_recipe_that_takes_over_at_once_does_what_a_simulation_does(
    trace: list[TraceJob],
    text: str,
    capacity: CapacityKind,
    drawn: list[tuple[str, int, int, int]],
) -> None:
    """Every recipe that can be written is one that can be tried."""
    recipe = parse_recipe(text)
    assume(not needs_thresholds(recipe))
    on_nodes = capacity == "nodes"
    nodes = NODES if on_nodes else (NodeUp("n1", 2 * MACHINE, 0),)
    reservations = {
        name: AdvanceReservation(
            name,
            start_s * SECOND_US,
            (start_s + length_s) * SECOND_US,
            (f"n{1 + (name == 'b')}",) if on_nodes else (),
            0 if on_nodes else MACHINE,
            is_maintenance=True,
            every_us=every_s * SECOND_US,
        )
        for name, start_s, length_s, every_s in drawn
    }
    schedule = simulate(
        trace,
        2 * MACHINE,
        recipe,
        nodes=NODES if on_nodes else (),
        reservations=list(reservations.values()),
    )
    jobs = [
        PastJob(
            job.job_id,
            job.user,
            job.submit_us,
            processors(job.size),
            job.estimate_us,
            job.run_us,
            job.start_us,
            job.end_us,
        )
        for job in schedule
    ]
    changes = [PastReservation(0, name, one) for name, one in reservations.items()]
    cluster = PastCluster(nodes, capacity, reservations=changes)
    course = what_if(jobs, cluster, recipe, 0, NEVER_US)
    again = {number: (job.start_us, job.end_us) for number, job in course.jobs.items()}
    assert again == {job.job_id: (job.start_us, job.end_us) for job in schedule}
