"""Accounts that every Linux has, and clients that are theirs."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import contextmanager

from rmsd_client.api import Client
from tests.live import Daemon
from tests.waiting import DEADLINE_S

ANN, BOB, OPERATOR, ADMIN = "daemon", "bin", "mail", "sys"


@contextmanager
def client_of(daemon: Daemon, account: str) -> Iterator[Client]:
    """Yield a client whose connection was made by this account: it stays that account's."""
    os.seteuid(pwd.getpwnam(account).pw_uid)
    try:
        client = Client(f"unix:{daemon.root}/run/rmsd.sock", retry_for_s=DEADLINE_S)
        client.status()
    finally:
        os.seteuid(0)
    with client:
        yield client
        assert client.connections == 1
