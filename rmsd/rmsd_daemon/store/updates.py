"""Updates of jobs as the database has them, in their events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rmsd_core.jobs.conditions import Awaits
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.inputs import Update
from rmsd_daemon.store.attempts import requested

_AS_THEY_ARE = ("estimate_us", "name", "requeue", "begin_us", "deadline_us", "nice", "reservation")


def asked_of(update: Update) -> dict[str, Any]:
    """Return the changes that an update asks for, without those that it does not."""
    asked = {name: getattr(update, name) for name in _AS_THEY_ARE}
    if update.request is not None:
        asked["request"] = requested(update.request)
    if update.awaits is not None:
        asked["awaits"] = msgspec.to_builtins(update.awaits)
    return {name: value for name, value in asked.items() if value is not None}


def update_of(job_id: int, asked: Mapping[str, Any]) -> Update:
    """Return the update that `asked_of` has described.

    Raises:
        ValueError, TypeError: the description is damaged.
    """
    values = {name: asked[name] for name in _AS_THEY_ARE if name in asked}
    if "request" in asked:
        components = msgspec.convert(asked["request"], tuple[Component, ...])
        values["request"] = Request(components)
    if "awaits" in asked:
        values["awaits"] = msgspec.convert(asked["awaits"], Awaits)
    return Update(job_id=job_id, **values)
