"""The users and accounts of an advance reservation are told to these and to operators alone."""

from __future__ import annotations

import contextlib

import pytest

from rmsd_client.nodes.reservations import admitted
from rmsd_client.slurm.verbs.reservations import lines_of
from tests.live import Daemon
from tests.tcp import Tcp

_ACCOUNTS = (
    '[accounts.science]\nmembers = ["dean"]\n'
    '[accounts.physics]\nparent = "science"\nmembers = ["eve"]\n'
)


@pytest.mark.live
def test_the_users_of_a_reservation_are_told_to_these_and_to_operators() -> None:
    daemon = Daemon("--no-local-node", "--emulate", "1x4", config=_ACCOUNTS)
    with contextlib.closing(daemon):
        tcp = Tcp(daemon)
        daemon.start()
        asked = {"name": "course", "nodes": "e1", "users": ["ann", "bob"], "accounts": ["science"]}
        made = daemon.client.reserve({**asked, "start_in_s": 3600, "duration_s": 3600})
        assert daemon.client.reservations() == [made]
        for user in ("ann", "dean", "eve"):
            with tcp.client(tcp.token(user=user)) as one:
                assert one.reservations() == [made]
        with tcp.client(tcp.token(user="mallory")) as other:
            [seen] = other.reservations()
            assert seen == {**made, "users": None, "groups": None, "accounts": None}
            assert admitted(seen) == "others"
            assert "Users=(null)" in "\n".join(lines_of(seen))
            spec = {"emulate": {"run_s": 1}, "time_limit_s": 7200, "account": "physics"}
            job_id = daemon.client.submit([{**spec, "user": "eve"}])[0]["job_id"]
        with tcp.client(tcp.token(user="eve")) as eve:
            told = eve.explain(job_id)["wait"]["reservations"]
        assert [(one["name"], one["users"]) for one in told] == [("course", None)]


@pytest.mark.live
def test_an_account_that_is_not_configured_is_told_to_the_operator() -> None:
    words = ("--start", "now+1hour", "--duration", "1h", "--nodes", "e1")
    with contextlib.closing(Daemon("--no-local-node", "--emulate", "1x2", config=_ACCOUNTS)) as one:
        one.start()
        done = one.run("rnode", "reserve", "course", *words, "--accounts", "physics,phisics")
        assert done.stderr == (
            "rnode: warning: there is no account phisics; there are science, physics\n"
        )
