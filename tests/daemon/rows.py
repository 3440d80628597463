"""Rows of the database, as its tests need them."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, String, Table

from rmsd_daemon.store.records import Row

NODE: Row = {
    "name": "a",
    "agent_id": "agent",
    "kind": "emulated",
    "cores": 4,
    "mem_mib": 1024,
    "features": ["emulated"],
    "gres": [["gpu", [0, 1]]],
    "hostname": "here",
    "os": "Linux",
    "cpu_model": "",
    "agent_version": "1",
    "memory_limit": "none",
    "unable": "",
    "boot_id": "",
}


def row_of(table: Table) -> Row:
    """Return a row in which every column is nothing: no text, no number, no elements."""

    def nothing(kind: object) -> object:
        if isinstance(kind, Boolean):
            return False
        return "" if isinstance(kind, String) else [] if isinstance(kind, JSON) else 0

    return {one.name: None if one.nullable else nothing(one.type) for one in table.c}
