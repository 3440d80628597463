"""The messages of shepherds to their agent: one JSON object in a line."""

from __future__ import annotations

import msgspec

from rmsd_agent.state.records import UnitStatus


class Here(msgspec.Struct, tag_field="op", tag="here"):
    shepherd: tuple[int, int]
    unit: str | None
    pid: int | None


class Started(msgspec.Struct, tag_field="op", tag="started"):
    unit: str
    pid: int


class Ended(msgspec.Struct, tag_field="op", tag="ended"):
    unit: str
    status: UnitStatus


class Refused(msgspec.Struct, tag_field="op", tag="refused"):
    unit: str


class Unable(msgspec.Struct, tag_field="op", tag="unable"):
    unit: str
    message: str
    suspect: bool = False


Message = Here | Started | Ended | Refused | Unable
shepherd_line = msgspec.json.Decoder(Message)
"""The decoder of what a shepherd says, a line at a time. It raises what `MALFORMED` names."""
