"""The signal that a job asked for ahead of its limit: its time, and the processes that get it."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_agent.shepherd.standalone.unit_spec import Warn
from rmsd_wire.link import WarnSignal

_SETTLE_S = 1.0
"""The time that a job gets to set its handlers if the moment of its signal had passed before the
job began."""


def instants_s(
    warn: WarnSignal | None, now_s: float, ends_s: Iterable[float | None]
) -> list[float]:
    """Return the instants of the signal for a job that begins now and may end at `ends_s` (None: at
    no time).

    A trial may be over before its job begins, which still gets its moment to set its handlers.
    """
    if warn is None:
        return []
    known = [end_s for end_s in ends_s if end_s is not None]
    lasts_s = min((end_s - now_s for end_s in known if end_s > now_s), default=2 * _SETTLE_S)
    settled_s = now_s + min(_SETTLE_S, lasts_s / 2)
    return sorted({max(settled_s, end_s - warn.before_s) for end_s in known})


def for_script(warn: WarnSignal | None, at_s: list[float]) -> Warn | None:
    """Return what the script's shepherd is told."""
    if warn is None or not at_s:
        return None
    return Warn(warn.number, "main" if warn.batch else "others", at_s)


def for_task(warn: WarnSignal | None, at_s: list[float], now_s: float) -> Warn | None:
    """Return what the shepherd of a task that starts now is told. Instants that are past were not
    meant for the task."""
    coming = [instant_s for instant_s in at_s if instant_s > now_s]
    if warn is None or warn.batch or not coming:
        return None
    return Warn(warn.number, "all", coming)
