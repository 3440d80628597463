"""The reasons that the API gives for a node on which nothing starts."""

from __future__ import annotations

import pytest

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import Link, Node
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.queries.reservations import ActiveByNode
from rmsd_daemon.queries.views import node_reason


@pytest.mark.parametrize(
    ("link", "awaited", "expected"),
    [
        ("suspect", [], "its agent is not heard"),
        ("suspect", ["n1", "n2"], "its agent is not heard"),
        (
            "suspect",
            ["n2"],
            "nothing starts there until all nodes of the backup are heard (`rmsd status`)",
        ),
        ("down", ["n2"], "its agent was not heard for too long"),
        ("up", ["n2"], ""),
    ],
)
def test_a_node_that_is_heard_after_a_restore_awaits_the_others(
    link: Link, awaited: list[str], expected: str
) -> None:
    """Linked nodes were said not to be heard while another node of the backup was awaited."""
    assert node_reason(Node("n1", 8, 0, link=link), awaited) == expected


def test_reservations_are_sorted_by_nodes_anew_once_others_are_active() -> None:
    core = Core(parse_recipe("easy"))
    core.handle(0, [NodeUp("n1", 8, 0), NodeUp("n2", 8, 0)])
    day = AdvanceReservation("day", 10, 20, ("n1",), users=("ann",))
    repair = AdvanceReservation("repair", 15, 20, ("n1", "n2"), is_maintenance=True)
    core.handle(0, [AddReservation(day), AddReservation(repair)])
    active = ActiveByNode()
    assert active.at(core, 5) == {}
    found = active.at(core, 10)
    assert found == {"n1": day}
    assert active.at(core, 14) is found
    assert active.at(core, 15) == {"n1": repair, "n2": repair}
