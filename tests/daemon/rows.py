"""Rows of the database, as its tests need them."""

from __future__ import annotations

from rmsd_daemon.store.records import Row

NODE: Row = {
    "name": "a",
    "agent_id": "agent",
    "kind": "emulated",
    "cores": 4,
    "mem_mib": 1024,
    "features": ["emulated"],
    "hostname": "here",
    "os": "Linux",
    "cpu_model": "",
    "agent_version": "1",
    "memory_limit": "none",
}
