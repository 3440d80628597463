"""Advance reservations as callers ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rmsd_core.machine.advance_reservations import AdvanceReservation, day_of_week
from rmsd_core.model_time import DAY_US, SECOND_US, UNLIMITED_US, duration_us
from rmsd_daemon.domain.conditions import MOST_S, instant_us
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.texts import MAX_NAME
from rmsd_wire.api.reservations import NewReservation, Repeat
from rmsd_wire.hostlist import HostlistError, expand

_MOST_NAMES = 1000
_MOST_NODES = 50_000
"""The names in a host list. To make a million of them, as of `n[1-1000000]`, takes a second."""
_MOST_CHARACTERS = 64 << 10
_MOST_OF_NODES = 256 << 10
"""The most characters of the names of `users`, `groups` or `accounts`, and those of a host list. An
answer tells of a hundred reservations."""
ALL_NODES = "ALL"
_DAY_S = 86_400
_EVERY_S: Mapping[Repeat, int] = {
    "": 0, "hourly": 3600, "daily": _DAY_S, "weekly": 7 * _DAY_S, "weekday": _DAY_S,
    "weekend": _DAY_S,
}  # fmt: skip
"""Each interval divides the longer ones, as `AdvanceReservation.collides` needs."""
_DAYS: Mapping[Repeat, Sequence[int]] = {"weekday": range(5), "weekend": range(5, 7)}
"""The days of the week, from Monday on, of reservations that repeat on some of them."""


def reservation_of(asked: NewReservation, now_us: int, known: Sequence[str]) -> AdvanceReservation:
    """Return the reservation that is asked for; it has no nodes if `cores` are asked for. `known`:
    the nodes of the cluster.

    Raises:
        Malformed: a field has no usable value; the message names the field.
    """
    _check_name("name", asked.name)
    who = {"users": asked.users, "groups": asked.groups, "accounts": asked.accounts}
    for field, names in who.items():
        if len(names) > _MOST_NAMES:
            raise Malformed(f"'{field}' has {len(names)} names; it may have {_MOST_NAMES}")
        _check_length(field, sum(map(len, names)), _MOST_CHARACTERS)
        for name in names:
            _check_name(field, name)
    _check_length("nodes", len(asked.nodes), _MOST_OF_NODES)
    if asked.maintenance and any(who.values()):
        raise Malformed(
            "'maintenance' lets nobody run jobs: 'users', 'groups' and 'accounts' must be empty"
        )
    if not (asked.maintenance or any(who.values())):
        raise Malformed(
            "'users', 'groups' or 'accounts' must say whose jobs run inside, or 'maintenance' that "
            "none do"
        )
    if bool(asked.nodes) == bool(asked.cores):
        raise Malformed("exactly one of 'nodes' and 'cores' must be given")
    if asked.cores < 0:
        raise Malformed(f"'cores' is {asked.cores}; it must be at least 1")
    start_us = instant_us("start", asked.start_us, asked.start_in_s, now_us)
    begins_us = now_us if start_us is None else start_us
    ends_us = _end_us(asked, begins_us)
    later_us, weekdays = _weekdays(asked.repeat, begins_us)
    begins_us += later_us
    return AdvanceReservation(
        asked.name,
        begins_us,
        ends_us + later_us,
        _nodes(asked.nodes, known),
        users=tuple(dict.fromkeys(asked.users)),
        accounts=tuple(dict.fromkeys(asked.accounts)),
        is_maintenance=asked.maintenance,
        groups=tuple(dict.fromkeys(asked.groups)),
        every_us=_EVERY_S[asked.repeat] * SECOND_US,
        until_us=_until_us(asked, begins_us),
        weekdays=weekdays,
    )


def _weekdays(repeat: Repeat, start_us: int) -> tuple[int, int]:
    """Return by how much the start of a reservation is put off to the first day on which it
    repeats, and these days as the core has them. They are those of this process's time zone at the
    start: with summer time, later instances are an hour off."""
    if repeat not in _DAYS:
        return 0, 0
    try:
        first = datetime.fromtimestamp(start_us / SECOND_US).weekday()
    except (ValueError, OverflowError, OSError):
        raise Malformed("'start_us' has no day of the week") from None
    later = [days for days in range(7) if (first + days) % 7 in _DAYS[repeat]]
    bits = sum(1 << day_of_week(start_us + days * DAY_US) for days in later)
    return later[0] * DAY_US, bits


def repeat_of(one: AdvanceReservation) -> Repeat:
    """Return how a reservation repeats."""
    if one.weekdays:
        return "weekday" if one.weekdays.bit_count() == len(_DAYS["weekday"]) else "weekend"
    every_s = one.every_us // SECOND_US
    return next((repeat for repeat, of_it in _EVERY_S.items() if of_it == every_s), "")


def _until_us(asked: NewReservation, start_us: int) -> int:
    if asked.until_us is None:
        return 0
    if not asked.repeat:
        raise Malformed("'until_us' goes with 'repeat': the reservation ends once, at its end")
    if not start_us < asked.until_us < UNLIMITED_US:
        raise Malformed("'until_us' must be after the start")
    return asked.until_us


def _check_length(field: str, length: int, most: int) -> None:
    if length > most:
        raise Malformed(f"'{field}' has {length} characters in all; it may have {most}")


def _check_name(field: str, name: str) -> None:
    if not 0 < len(name) <= MAX_NAME or not name.isprintable() or set(name) & set(" ,="):
        raise Malformed(
            f"'{field}' has '{name}'; a name has 1 to {MAX_NAME} characters: no space, comma or ="
        )


def _end_us(asked: NewReservation, start_us: int) -> int:
    if (asked.end_us is None) == (asked.duration_s is None):
        raise Malformed("exactly one of 'end_us' and 'duration_s' must be given")
    if asked.duration_s is None:
        assert asked.end_us is not None
        if not start_us < asked.end_us < UNLIMITED_US:
            raise Malformed("'end_us' must be after the start")
        return asked.end_us
    if not 0 < asked.duration_s <= MOST_S:
        raise Malformed(f"'duration_s' is {asked.duration_s}; it must be above 0, up to {MOST_S}")
    return start_us + duration_us(asked.duration_s)


def _nodes(text: str, known: Sequence[str]) -> tuple[str, ...]:
    if text.upper() == ALL_NODES:
        return tuple(known)
    try:
        return tuple(dict.fromkeys(expand(text, _MOST_NODES)) if text else ())
    except HostlistError as error:
        raise Malformed(f"'nodes': {error}") from None
