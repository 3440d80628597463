"""The effect of the configuration and of a token's end on callers over TCP."""

from __future__ import annotations

import contextlib

import pytest

from rmsd_client.connection.http import Connection
from rmsd_client.connection.server import Address
from rmsd_client.errors import ApiError
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import wait_until


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


@pytest.mark.slow
@pytest.mark.live
def test_only_operators_raise_the_priority_of_a_job(daemon: Daemon) -> None:
    daemon.stop()
    tcp = Tcp(daemon)
    daemon.start()
    spec = {"script": "#!/bin/sh\n", "conditions": {"hold": True}}
    with tcp.client(tcp.token(user="ann")) as ann:
        with pytest.raises(ApiError, match="'nice' is -1: only an operator"):
            ann.submit([{**spec, "nice": -1}])
        job_id = ann.submit([{**spec, "nice": 5}])[0]["job_id"]
        with pytest.raises(ApiError, match="'nice' is 2147483646"):
            ann.update(job_id, {"nice": (1 << 31) - 2})
        assert ann.update(job_id, {"nice": 2})["nice"] == 2
        with pytest.raises(ApiError, match="'nice' is -1: only an operator"):
            ann.update(job_id, {"nice": -1})
        daemon.client.update(job_id, {"nice": -9})
        assert ann.update(job_id, {"nice": -8})["nice"] == -8


@pytest.mark.slow
@pytest.mark.live
def test_only_operators_lengthen_the_limit_of_a_running_job(daemon: Daemon) -> None:
    """Others may have been told their starts by the shorter limit."""
    daemon.stop()
    tcp = Tcp(daemon)
    daemon.start()
    spec = {"emulate": {"run_s": 600}, "time_limit_s": 900}
    with tcp.client(tcp.token(user="ann")) as ann:
        job_id = ann.submit([spec])[0]["job_id"]
        wait_until(lambda: ann.job(job_id)["state"] == "RUNNING")
        assert ann.update(job_id, {"time_limit_s": 700})["estimate_s"] == 700
        longer = "only an operator can give it more time than its limit of 00:11:40 now"
        with pytest.raises(ApiError, match=longer):
            ann.update(job_id, {"time_limit_s": 800})
        assert daemon.client.update(job_id, {"time_limit_s": 800})["estimate_s"] == 800
        ann.cancel(job_id)


@pytest.mark.slow
@pytest.mark.live
def test_a_token_in_its_last_two_weeks_is_told_of_once(daemon: Daemon) -> None:
    daemon.stop()
    tcp = Tcp(daemon)
    daemon.start()
    for days, is_told in ((13, True), (15, False)):
        token = tcp.token(user="ann", expires_s=days * 86400.0)
        options = ("--server", tcp.url, "--ca-file", str(tcp.ca), "--token-file")
        for program in (("rstat",), ("rmsd", "status")):
            done = daemon.run(*program, *options, str(tcp.file(token)))
            assert done.stderr.count("your token ends at 20") == is_told
        with tcp.client(token) as client:
            client.status()  # callers of the API learn of a restart by a notice, if at all


def test_only_a_time_is_a_time() -> None:
    told: list[str] = []
    connection = Connection(Address(host="head", port=1), notice=told.append)
    for text in ("", "soon", "-1", "9" * 18):
        connection.warn_of_the_end_of_the_token(text)
    assert told == []
    connection.warn_of_the_end_of_the_token("4000000000")
    connection.warn_of_the_end_of_the_token("4000000000")
    assert len(told) == 1
