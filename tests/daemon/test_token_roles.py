"""What the configuration and the end of a token mean for those who come over TCP."""

from __future__ import annotations

import contextlib

import pytest

from rmsd_client.errors import ApiError
from tests.live import Daemon
from tests.tcp import Tcp


@pytest.mark.live
def test_operators_are_such_with_any_token() -> None:
    daemon = Daemon("--no-local-node", "--emulate", "1x1", config='operators = ["olga"]\n')
    with contextlib.closing(daemon):
        tcp = Tcp(daemon)
        daemon.start()
        with tcp.client(tcp.token(user="olga")) as olga, tcp.client(tcp.token(user="ann")) as ann:
            assert olga.status()["you"]["role"] == "operator"
            assert olga.drain("e1", "look at it")["reason"] == "look at it"
            assert ann.status()["you"]["role"] == "user"
            with pytest.raises(ApiError, match="is for the role 'operator'"):
                ann.resume("e1")
            with pytest.raises(ApiError, match="is for the role 'admin'"):
                olga.shutdown()
