"""Reboots of nodes, as the events alone tell them; see `fold`."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

_REBOOTED = "rebooted, and to be drained then"


def note_reboot(nodes: dict[str, Row], kind: str, payload: Row, model_us: int) -> None:
    """Note what news of a node mean for its reboot, before the news themselves are noted. A reboot
    is [reason, by, asked_us, asap, next_state, boot_id, issued_us]."""
    row = nodes.get(payload["name"])
    if kind == "ask-reboot":
        assert row is not None  # others are refused
        asked = [payload["reason"], payload["by"], model_us]
        row["reboot"] = [*asked, payload["asap"], payload["next_state"], row["boot_id"], None]
        return
    if row is None or not row["reboot"]:
        return
    reason, by, _, _, next_state, boot_id, issued_us = row["reboot"]
    if kind == "reboot-failed":
        if issued_us is None or boot_id != payload["boot_id"]:
            return
        _drain(row, payload["why"], "", model_us)
    elif payload["boot_id"] in ("", boot_id):
        return
    elif next_state == "down":
        _drain(row, reason or _REBOOTED, by, model_us)
    elif next_state == "resume" and row["drain_reason"] is not None:
        _drain(row, None, by, model_us)
    row["reboot"] = []


def _drain(row: Row, reason: str | None, by: str, model_us: int) -> None:
    row.update({"drain_reason": reason, "drain_by": by, "drain_us": model_us})
