"""Advance reservations as rows and events, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import msgspec

from rmsd_core.lifecycle.inputs import AddReservation, DeleteReservation, SetMember
from rmsd_core.machine.advance_reservations import AdvanceReservation

_NAMES = [one.name for one in fields(AdvanceReservation)]


def reservation_row(reservation: AdvanceReservation) -> dict[str, Any]:
    """Return the row of a reservation, as an event has it as well."""
    return asdict(reservation)


def reservation_event(
    item: AddReservation | SetMember | DeleteReservation,
) -> tuple[str, None, dict[str, Any]]:
    """Return the kind, the job and the payload of the event that a reservation is made, changed or
    deleted. It is about no job."""
    if isinstance(item, DeleteReservation):
        return "unreserve", None, {"name": item.name}
    if isinstance(item, SetMember):
        member = {"name": item.name, "user": item.user, "is_member": item.is_member}
        return "set-member", None, member
    asked = {"ignores_jobs": item.ignores_jobs, "replaces": item.replaces}
    return "reserve", None, reservation_row(item.reservation) | asked


def reservation_of(row: Mapping[str, Any]) -> AdvanceReservation:
    """Return the reservation of a row.

    Raises:
        msgspec.ValidationError: a value has another type, or no reservation can have the times.
    """
    values = {name: row[name] for name in _NAMES}
    values["is_maintenance"] = bool(values["is_maintenance"])
    found = msgspec.convert(values, AdvanceReservation)
    if not found.can_be:
        raise msgspec.ValidationError(f"no reservation has the times of '{found.name}'")
    return found
