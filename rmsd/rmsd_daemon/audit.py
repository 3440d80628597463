"""The audit trail: who did what, and who was refused."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable

import structlog

from rmsd_daemon.auth import Caller
from rmsd_daemon.problems import ApiError
from rmsd_daemon.records import Row
from rmsd_wire.api import AuditView

log = structlog.get_logger()

Entry = Row
"""A row of the audit table."""

DONE = "done"
_MAX_TEXT = 1000
_BURST = 20.0
_A_SECOND = 1.0


def entry(caller: Caller | None, action: str, subject: str, outcome: str = DONE) -> Entry:
    """That `caller` (None: nobody that is known) does `action` to `subject`, at this moment."""
    return {
        "at_us": time.time_ns() // 1000,
        "user": caller.user if caller else "",
        "role": caller.role.value if caller else "",
        "via": caller.via if caller else "",
        "action": action,
        "subject": subject[:_MAX_TEXT],
        "outcome": outcome[:_MAX_TEXT],
    }


def audit_view(row: Row) -> AuditView:
    """`row` is of the audit table."""
    return AuditView(**{name: row[name] for name in AuditView.__struct_fields__})


class Refusals:
    """Puts on record who was refused what: some at once and one a second, so that a flood of them
    does not fill the disk. What is left out is counted.

    `record` commits an entry, or raises ApiError.
    """

    def __init__(self, record: Callable[[Entry], Awaitable[None]]) -> None:
        self._record = record
        self._left = _BURST
        self._since_s = time.monotonic()
        self._left_out = 0

    async def __call__(self, caller: Caller | None, address: str, request: str, why: str) -> None:
        """That `request` of `caller`, from `address`, was refused, and `why`."""
        now_s = time.monotonic()
        self._left = min(_BURST, self._left + (now_s - self._since_s) * _A_SECOND)
        self._since_s = now_s
        if self._left < 1:
            self._left_out += 1
            return
        self._left -= 1
        if self._left_out:
            why = f"{why} ({self._left_out} more refusals before this one are not on record)"
            self._left_out = 0
        said = entry(caller, "refused", request, why)
        said["via"] = said["via"] or (f"from {address}" if address else "")
        log.warning("refused", user=said["user"], via=said["via"], request=request, reason=why)
        with contextlib.suppress(ApiError):  # a full disk; the log has it
            await self._record(said)
