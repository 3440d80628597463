"""Bodies about the audit trail."""

from __future__ import annotations

import msgspec


class AuditView(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the audit trail. `id` numbers the entries. `at_us` is UTC of the wall clock.
    `user` is "" if the caller is not known. `outcome`: "done", or the reason of the refusal."""

    id: int
    at_us: int
    user: str
    role: str
    via: str
    action: str
    subject: str
    outcome: str


class AuditReply(msgspec.Struct, frozen=True):
    """GET /v1/audit: the newest entries that match, the oldest of them first. `before`: see
    `JobsReply`."""

    entries: list[AuditView]
    before: int | None = None
    schema: str = "rmsd.audit/1"
