"""Tokens that their users renew."""

from __future__ import annotations

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.model_time import SECOND_US
from tests.live import Daemon
from tests.tcp import Tcp

pytestmark = pytest.mark.live

DAY_S = 86400.0


@pytest.mark.slow
def test_a_user_renews_a_token_within_bounds() -> None:
    daemon = Daemon("--no-local-node", config='max_token_life = "100d"\n')
    tcp = Tcp(daemon)
    try:
        daemon.start()
        token = tcp.token(user="ann", expires_s=40 * DAY_S)
        with tcp.client(token) as client:
            [before] = client.tokens()
            renewed = client.renew_token()
            assert client.status()["you"]["token_ends_us"] == renewed["expires_us"]
            assert renewed["id"] == before["id"]
            added_s = (renewed["expires_us"] - before["expires_us"]) / SECOND_US
            assert added_s == pytest.approx(50 * DAY_S, abs=DAY_S)
            env = {"RMSD_TOKEN_FILE": str(tcp.file(token)), "RMSD_CA_FILE": str(tcp.ca)}
            told = daemon.run("rmsd", "token", "renew", "--server", tcp.url, env=env, expect=0)
            assert f"token {token.id} holds until" in told.stdout
            told = daemon.run("rmsd", "status", "--server", tcp.url, env=env, expect=0)
            assert "`rmsd token renew`" in told.stdout
        refuses_the_others(daemon, tcp)
        assert "token renew" in daemon.rmsd("audit", expect=0).stdout
    finally:
        daemon.close()


def refuses_the_others(daemon: Daemon, tcp: Tcp) -> None:
    short = tcp.token(user="guest", expires_s=7 * DAY_S)
    with tcp.client(short) as client, pytest.raises(ApiError, match="for less than 30 days"):
        client.renew_token()
    env = {"RMSD_TOKEN_FILE": str(tcp.file(short)), "RMSD_CA_FILE": str(tcp.ca)}
    told = daemon.run("rmsd", "status", "--server", tcp.url, env=env, expect=0)
    assert "guest, user (token" in told.stdout
    assert "token renew" not in told.stdout
    with pytest.raises(ApiError, match="without a token of its own"):
        daemon.client.renew_token()
