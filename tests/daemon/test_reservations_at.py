"""The reservations that a daemon tells of at a time to which its core has not come yet, and those
that there were."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import msgspec
import pytest
from sqlalchemy import create_engine, text

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.inputs import AddReservation, NodeUp
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import DAY_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.queries.reservations import ActiveByNode, reservations_at
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.past_reservations import ReservationChange, changes_in, in_force_since
from rmsd_daemon.store.reservations import reservation_row
from rmsd_daemon.store.rows import reservations_in
from rmsd_daemon.store.tables import RESERVATION
from tests.live import Daemon


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


def test_those_in_force_at_a_time_are_told_once_and_then_their_changes() -> None:
    daily = AdvanceReservation("daily", 100, 200, ("n1",), every_us=DAY_US)
    once = AdvanceReservation("once", 50, 100, ("n1",))
    moved = replace(once, start_us=500, end_us=600)
    old = AdvanceReservation("old", 10, 20, ("n1",), every_us=DAY_US)
    changes = [
        ReservationChange(10, "daily", daily),
        ReservationChange(20, "once", once),
        ReservationChange(30, "gone", once),
        ReservationChange(40, "gone", None),
        ReservationChange(60, "once", moved),
        ReservationChange(300, "once", None),
    ]
    untold = ReservationChange(0, "old", old)  # the event is deleted
    assert in_force_since(changes, [old, daily], 0) == [untold, *changes]
    assert in_force_since(changes, [old, daily], 50) == [untold, *changes[:2], *changes[4:]]
    # One that repeats is never over.
    assert in_force_since(changes[:2], [], 100) == [changes[0]]
    assert in_force_since(changes, [old, daily], 300) == [untold, changes[0]]


@pytest.mark.slow
def test_a_daemon_tells_the_reservations_that_there_were_over_a_crash() -> None:
    with contextlib.closing(Daemon("--no-local-node", "--emulate", "2x4", "--rate", "100")) as one:
        client = one.start().client
        at = {"start_in_s": 36_000, "duration_s": 3600}
        client.reserve({"name": "a/b", "nodes": "e1", "maintenance": True, **at})
        course = {"name": "course", "users": ["ann"], "repeat": "weekday", **at}
        found = client.reserve({"nodes": "e[1-2]", **course})
        after_us = client.status()["clock"]["model_us"]
        client.unreserve("a/b")
        client.reserve({"nodes": "e2", "replace": True, **course})
        one.kill()
        one.start()
        told = client.reservation_changes()
        assert [(view["name"], view["deleted"]) for view in told] == [
            ("a/b", False),
            ("course", False),
            ("a/b", True),
            ("course", False),
        ]
        assert [view["nodelist"] for view in told] == ["e1", "e[1-2]", "", "e2"]
        assert told[0]["maintenance"]
        same = ("start_us", "end_us")
        assert [told[1][name] for name in same] == [found[name] for name in same]
        assert (told[1]["every_us"], told[1]["weekdays"] > 0) == (DAY_US, True)
        assert all("users" not in view for view in told)
        assert client.reservation_changes(after_us) == told
        now_us = client.status()["clock"]["model_us"]
        assert client.reservation_changes(now_us) == told[3:]


def test_changes_of_the_same_nodes_share_them_and_no_more_are_read_than_are_told() -> None:
    """A program that had changed a reservation of 10,000 nodes 10,000 times had one question of any
    user take 8 GB of the daemon's memory."""
    row = reservation_row(AdvanceReservation("a", 100, 200, tuple(f"n{i}" for i in range(100))))
    other = row | {"nodes": ["n1", "n2"]}
    payloads = [msgspec.json.encode(one).decode() for one in (row, row, other, row)]
    events = [(at_us, "reserve", payload) for at_us, payload in enumerate(payloads, 1)]

    def found(most: int | None = None, names: int | None = None) -> list[ReservationChange]:
        return in_force_since(changes_in(iter(events)), [], 0, most, names)

    first, second, third, fourth = [change.made for change in found(4, 102) if change.made]
    assert first.nodes is second.nodes is fourth.nodes
    assert third.nodes == ("n1", "n2")
    with pytest.raises(SearchError, match="more than 3 changes"):
        found(most=3)
    with pytest.raises(SearchError, match="too many nodes"):
        found(names=101)


@pytest.mark.parametrize(
    "damage",
    [
        {"weekdays": 1 << 7, "every_us": DAY_US},  # the search for such a day did not end
        {"weekdays": 1, "every_us": 7 * DAY_US},
        {"weekdays": -1, "every_us": DAY_US},
        {"every_us": -1},
        {"start_us": 300},
    ],
)
def test_a_damaged_reservation_that_cannot_be_is_passed_over(damage: dict[str, int]) -> None:
    row = reservation_row(AdvanceReservation("a", 100, 200, ("n1",)))
    sound, damaged = (msgspec.json.encode(row | one).decode() for one in ({}, damage))
    events = [(1, "reserve", sound), (2, "reserve", damaged), ("x", "reserve", sound)]
    assert [change.at_us for change in changes_in(events)] == [1]
    lists = {name: value for name, value in row.items() if isinstance(value, tuple)}
    stored = row | damage | {name: msgspec.json.encode(value) for name, value in lists.items()}
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        RESERVATION.create(connection)
        for one in (stored, stored | {"name": "b", **{name: row[name] for name in damage}}):
            names = ", ".join(one)
            values = ", ".join(f":{name}" for name in one)
            connection.execute(text(f"INSERT INTO reservation ({names}) VALUES ({values})"), one)
        assert [one.name for one in reservations_in(connection)] == ["b"]
    engine.dispose()
