"""The reservations that a daemon tells of at a time to which its core has not come yet."""

from __future__ import annotations

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp
from rmsd_core.machine.advance_reservations import DAY_US, AdvanceReservation
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.queries.reservations import ActiveByNode, reservations_at


def test_one_that_repeats_is_there_while_the_core_is_behind_its_end() -> None:
    """The list had it not between its end and the next pass of the core."""
    core = Core(parse_recipe("easy"))
    daily = AdvanceReservation("daily", 100, 200, ("n1",), every_us=DAY_US)
    once = AdvanceReservation("once", 50, 100, ("n1",))
    core.handle(0, [NodeUp("n1", 4, 1024), AddReservation(daily), AddReservation(once)])
    assert reservations_at(core, 0) == [once, daily]
    assert reservations_at(core, 199) == [daily]
    following = AdvanceReservation("daily", 100 + DAY_US, 200 + DAY_US, ("n1",), every_us=DAY_US)
    assert reservations_at(core, 200) == [following]
    assert core.reservations == {"daily": daily, "once": once}
    assert dict(ActiveByNode().at(core, 199)) == {"n1": daily}
    assert not ActiveByNode().at(core, 200)
