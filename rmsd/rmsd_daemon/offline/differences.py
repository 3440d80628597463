"""Differences between what is stored and what is decided again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rmsd_daemon.store.records import NO_OP


class DifferenceFound(Exception):
    """A difference was found. The text says what differs, and `job_id` in which job."""

    def __init__(self, what: str, job_id: int | None = None) -> None:
        super().__init__(what)
        self.job_id = job_id


def as_stored(row: Any) -> Any:
    """Return the row as it comes back from JSON."""
    return msgspec.json.decode(msgspec.json.encode(row))


def compare_events(stored: Mapping[str, Any] | None, decided: Mapping[str, Any] | None) -> None:
    if stored is None:
        assert decided is not None
        raise DifferenceFound(f"{_named(decided)} was decided and is not stored", decided["job_id"])
    if decided is None:
        raise DifferenceFound(f"{_named(stored)} is stored and was not decided", stored["job_id"])
    ours, theirs = (decided["kind"], decided["job_id"]), (stored["kind"], stored["job_id"])
    if ours != theirs:
        raise DifferenceFound(
            f"{_named(stored)} is stored, {_named(decided)} is decided", stored["job_id"]
        )
    compare(as_stored(decided["payload"]), stored["payload"], _named(stored), stored["job_id"])
    what = f"the instant of {_named(stored)}"
    compare(decided["model_us"], stored["model_us"], what, stored["job_id"])


def _named(event: Mapping[str, Any]) -> str:
    job = "" if event["job_id"] is None else f" of job {event['job_id']}"
    return "nothing" if event["kind"] == NO_OP else f"{event['kind']}{job}"


def compare(ours: Any, stored: Any, what: str, job_id: int | None = None) -> None:
    if ours != stored:
        raise DifferenceFound(f"{what}: {_first_difference(ours, stored)}", job_id)


def _first_difference(ours: Any, stored: Any) -> str:
    if isinstance(ours, dict) and isinstance(stored, dict):
        for name in [*ours, *(name for name in stored if name not in ours)]:
            if name not in ours or name not in stored:
                return f"{name} is {'not stored' if name in ours else 'stored alone'}"
            if ours[name] != stored[name]:
                inner = _first_difference(ours[name], stored[name])
                return f"{name}: {inner}" if isinstance(ours[name], dict) else f"{name} {inner}"
    return f"is stored as {stored!r} and is decided as {ours!r}"
