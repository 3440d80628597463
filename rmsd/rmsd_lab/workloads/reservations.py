"""Advance reservations of a machine in a simulation, which an SWF trace cannot say: maintenances,
during which some of its processors are not used."""

from __future__ import annotations

from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.model_time import SECOND_US

_MOST_S = 1 << 40


class ReservationsError(ValueError):
    """A line is not understood; the message says which one."""


def read_reservations(text: str) -> list[AdvanceReservation]:
    """Return the reservations of lines `NAME START END PROCESSORS`, in seconds of the trace. What
    follows a # is a comment.

    Raises:
        ReservationsError: a line is something else.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 4 or not all(map(_is_number, words[1:])):
            raise ReservationsError(
                f"line {number}: expected NAME START END PROCESSORS, the last three whole numbers"
            )
        name, start_s, end_s, cores = words[0], *map(int, words[1:])
        times_us = start_s * SECOND_US, end_s * SECOND_US
        found.append(AdvanceReservation(name, *times_us, cores=cores, is_maintenance=True))
    return found


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 20 and int(word) < _MOST_S
