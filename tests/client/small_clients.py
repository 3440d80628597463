"""Clients of a small server: a connection, and the whole client."""

from __future__ import annotations

from pathlib import Path

from rmsd_client.api import Client
from rmsd_client.connection.http import Connection
from rmsd_client.connection.server import Address


def connection_to(path: Path, retry_for_s: float = 60.0) -> Connection:
    return Connection(Address(path=str(path)), retry_for_s=retry_for_s)


def client_of(path: Path) -> Client:
    return Client(f"unix:{path}", retry_for_s=60.0)
