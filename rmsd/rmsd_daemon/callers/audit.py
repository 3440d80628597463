"""The audit trail: who did what, and who was refused."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog

from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.domain.together import Together
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.tables import AuditRow
from rmsd_wire.api.audit import AuditView

log = structlog.get_logger()

Entry = Row
"""A row of the audit table."""

DONE = "done"
_MAX_TEXT = 1000
_OF_ONE = (1.0, 20.0)
_OF_ALL = (5.0, 200.0)
"""The refusals on record: a second, and at once."""


def entry(caller: Caller | None, action: str, subject: str, outcome: str = DONE) -> Entry:
    """Return the entry that `caller` does `action` to `subject` now. `caller` is None if
    unknown."""
    return {
        "at_us": time.time_ns() // 1000,
        "user": caller.user if caller else "",
        "role": caller.role.value if caller else "",
        "via": caller.via if caller else "",
        "action": action,
        "subject": subject[:_MAX_TEXT],
        "outcome": outcome[:_MAX_TEXT],
    }


def about(audit_entry: Entry, subject: str) -> Entry:
    """Return the entry with a subject that was not known before."""
    return audit_entry | {"subject": subject[:_MAX_TEXT]}


def audit_view(stored: AuditRow) -> AuditView:
    """Return a stored entry as the API lists it."""
    return AuditView(**{name: getattr(stored, name) for name in AuditView.__struct_fields__})


class Refusals:
    """A writer of refusals to the audit trail, up to a rate for each user or address and up to one
    for all. A flood of refusals neither fills the disk nor hides those of other callers. Further
    refusals are only counted.

    `record` commits entries, or raises DaemonError.
    """

    def __init__(self, record: Callable[[list[Entry]], Awaitable[None]]) -> None:
        self._entries = Together(record)
        self._of_one = Rates(*_OF_ONE)
        self._of_all = Rates(*_OF_ALL)
        self._left_out = 0

    async def __call__(self, caller: Caller | None, address: str, request: str, why: str) -> None:
        """Record that `request` of `caller`, from `address`, was refused, and `why`."""
        now_s = time.monotonic()
        who = caller.name if caller else address
        if self._of_one.wait_s(who, 1, now_s, 0) or self._of_all.wait_s("", 1, now_s, 0):
            self._left_out += 1
            return
        if self._left_out:
            why = f"{why} ({self._left_out} more refusals, of all callers, are not on record)"
            self._left_out = 0
        audit_entry = entry(caller, "refused", request, why)
        audit_entry["via"] = audit_entry["via"] or (f"from {address}" if address else "")
        log.warning(
            "refused", user=audit_entry["user"], via=audit_entry["via"], request=request, reason=why
        )
        with contextlib.suppress(DaemonError):  # the disk may be full; the log has the entry
            await self._entries.put(audit_entry)
