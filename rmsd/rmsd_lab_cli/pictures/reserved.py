"""The advance reservations of a Gantt chart: past, present and to come, one for each instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import NEVER_US

View = Mapping[str, Any]
MOST_INSTANCES = 500
"""The most instances of a chart: the latest ones."""
MOST_NAMED = 20
"""The most instances that texts name: the latest ones."""
_MOST_TRIED = 10_000
"""The most instances of one reservation that are looked at: a year of hours."""
_MOST_CHARACTERS = 1 << 20
"""The most characters of all host lists together: those of thousands of nodes may be long."""


class ReservedTimes(NamedTuple):
    """The instances, the first to begin first, each with `name`, `nodelist`, `start_us` and
    `end_us`; and how many there are, also of those that are left out."""

    views: Sequence[View]
    total: int


def reserved_times(changes: Sequence[View], since_us: int, until_us: int) -> ReservedTimes:
    """Return the instances that `ReservationChangeView`s tell of: those that end after `since_us`
    and begin before `until_us`, and the next one of each reservation in any case.

    A reservation holds from the change that made it until the next one of its name. An instance
    that was under way then ends there.
    """
    found: list[View] = []
    for view, over_us in _held(changes):
        if len(found) >= _MOST_TRIED:
            break
        made = _reservation(view)
        one = made.first_at(max(view["at_us"], since_us)) if made.can_be else None
        for tried in range(_MOST_TRIED):
            if one is None or one.start_us >= (until_us if tried else NEVER_US):
                break
            start_us, end_us = max(one.start_us, view["at_us"]), min(one.end_us, over_us)
            if end_us <= start_us:
                break
            if end_us > since_us:
                nodes = view["nodelist"]
                found.append(
                    {"name": one.name, "nodelist": nodes, "start_us": start_us, "end_us": end_us}
                )
            one = one.first_at(one.end_us)
    found.sort(key=lambda one: (one["start_us"], one["name"]))
    return ReservedTimes(_latest(found), len(found))


def _latest(found: Sequence[View]) -> list[View]:
    """Return as many of the latest instances as a chart may have, in their order."""
    kept: list[View] = []
    lists = set[str]()
    characters = 0
    for one in reversed(found[-MOST_INSTANCES:]):
        if one["nodelist"] not in lists:
            lists.add(one["nodelist"])
            characters += len(one["nodelist"])
        if characters > _MOST_CHARACTERS:
            break
        kept.append(one)
    kept.reverse()
    return kept


def present_as_changes(reservations: Iterable[View]) -> list[View]:
    """Return `ReservationView`s as changes that have made them long ago, each with one instance."""
    once = {"at_us": 0, "deleted": False, "every_us": 0, "until_us": 0, "weekdays": 0}
    return [{**one, **once} for one in reservations]


def _held(changes: Sequence[View]) -> Iterable[tuple[View, int]]:
    """Yield each reservation that was made, and when another change of its name came."""
    over_us: dict[str, int] = {}
    for view in reversed(changes):
        if not view["deleted"]:
            yield view, over_us.get(view["name"], NEVER_US)
        over_us[view["name"]] = view["at_us"]


def _reservation(view: View) -> AdvanceReservation:
    """Return the times of a reservation, without its nodes."""
    return AdvanceReservation(
        view["name"],
        view["start_us"],
        view["end_us"],
        every_us=view["every_us"],
        until_us=view["until_us"],
        weekdays=view["weekdays"],
    )
