"""The advance reservations that there were, as the events tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_daemon.store.failures import SearchError
from rmsd_daemon.store.reservations import reservation_of
from rmsd_daemon.store.rows import in_time
from rmsd_daemon.store.tables import SETTING_ASIDE
from rmsd_wire.api.past_reservations import MOST_CHANGES
from rmsd_wire.malformed import MALFORMED


class ReservationChange(NamedTuple):
    """At `at_us` an advance reservation was made, or took the place of the one of its name; None:
    that was deleted."""

    at_us: int
    name: str
    made: AdvanceReservation | None


MOST_NAMES = 1 << 20
"""The most names of nodes in the changes of an answer. Changes of the same nodes share their
names."""
TELLING = f"SELECT model_us, kind, payload FROM event WHERE {SETTING_ASIDE} ORDER BY id"
_TELLING = text(TELLING)


def changes_in(events: Iterable[tuple[int, str, Any]]) -> Iterator[ReservationChange]:
    """Yield the changes that events tell of, given as (time [us], kind, payload in JSON). Damaged
    ones are passed over."""
    for at_us, kind, payload in events:
        if type(at_us) is not int:
            continue
        try:
            found = msgspec.json.decode(payload)
            made = reservation_of(found) if kind == "reserve" else None
            yield ReservationChange(at_us, str(found["name"]), made)
        except (TypeError, KeyError, *MALFORMED):
            continue


class _Shared:
    """The nodes of changes, each set once. An operator's program may have changed a reservation of
    all nodes a thousand times."""

    def __init__(self, most: int | None) -> None:
        self._found: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._left = most

    def of(self, change: ReservationChange) -> ReservationChange:
        """Return the change with shared nodes. Raises SearchError if there are too many names."""
        if change.made is None:
            return change
        nodes = self._found.setdefault(change.made.nodes, change.made.nodes)
        if nodes is change.made.nodes and self._left is not None:
            self._left -= len(nodes)
            if self._left < 0:
                raise SearchError("the reservations have too many nodes")
        return change._replace(made=replace(change.made, nodes=nodes))


def in_force_since(
    changes: Iterable[ReservationChange],
    now: Iterable[AdvanceReservation],
    since_us: int,
    most: int | None = None,
    most_names: int | None = None,
) -> list[ReservationChange]:
    """Return the changes of the reservations that were there at `since_us` or later. First come
    those that were made before, each once. `now`: the present ones. One that no event tells of is
    taken to have been there from the beginning.

    Raises:
        SearchError: there are more than `most` changes, or `most_names` names of their nodes.
    """
    before: dict[str, ReservationChange] = {}
    later: list[ReservationChange] = []
    known = set[str]()
    shared = _Shared(most_names)
    for change in changes:
        known.add(change.name)
        if change.at_us > since_us:
            later.append(shared.of(change))
            if most is not None and len(later) > most:
                raise SearchError(f"more than {most} changes of reservations were found")
        elif change.made is None or change.made.first_at(since_us) is None:
            before.pop(change.name, None)
        else:
            before[change.name] = change
    untold = [ReservationChange(0, one.name, one) for one in now if one.name not in known]
    return [*untold, *before.values(), *later]


def past_reservations(
    connection: Connection,
    now: Iterable[AdvanceReservation],
    since_us: int,
    gone: Callable[[], bool] = lambda: False,
) -> list[ReservationChange]:
    """Return what `in_force_since` does, of the events of a database.

    Raises:
        SearchError: the search takes too long, its caller is gone, or too much is found.
    """
    with in_time(connection, gone):
        events = changes_in((*row,) for row in connection.execute(_TELLING))
        return in_force_since(events, now, since_us, MOST_CHANGES, MOST_NAMES)
