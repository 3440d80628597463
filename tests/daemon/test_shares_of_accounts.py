"""Fair shares by account in a live daemon: they sort the queue, survive its death and SIGHUP, and
are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.client.slurm.site import SlurmSite
from tests.daemon.configured import reload
from tests.live import Daemon

pytestmark = pytest.mark.live

_CONFIG = """
[accounts.physics]
shares = {physics}
[accounts.lab]
parent = "physics"
members = ["ann", "bob"]
[accounts.chemistry]
shares = {chemistry}
members = ["cid", "dan"]
"""
_OPTIONS = ("--no-local-node", "--emulate", "1x4", "--recipe", "fair-share,by=account,age=0")


def _submit(daemon: Daemon, *owners: tuple[str, str], tasks: int) -> list[int]:
    """Submit a job of each user and account together, and return their numbers."""
    spec: dict[str, Any] = {"emulate": {"run_s": 5000}, "tasks": tasks, "time_limit_s": 10_000}
    specs = [{**spec, "user": user, "account": account} for user, account in owners]
    return [int(job["job_id"]) for job in daemon.client.submit(specs)]


def _run_two(daemon: Daemon) -> None:
    """Let both accounts hold two processors from the same instant on: if one began earlier, it
    would have used more, the more the slower the machine is."""
    for job_id in _submit(daemon, ("ann", "lab"), ("cid", "chemistry"), tasks=2):
        daemon.wait_for(job_id, "RUNNING")


def _place(daemon: Daemon, job_id: int) -> int:
    return int(daemon.client.explain(job_id)["wait"]["place"])


def _shares(daemon: Daemon) -> dict[str, dict[str, Any]]:
    told = daemon.client.accounts(of_all=True)["accounts"]
    return {one["name"]: one["fair_share"] for one in told}


@pytest.mark.slow
def test_an_account_that_has_used_more_than_its_share_waits(
    start_daemon: Callable[..., Daemon],
) -> None:
    """Both accounts hold two processors. With three shares physics has used less than its own."""
    daemon = start_daemon(*_OPTIONS, config=_CONFIG.format(physics=3, chemistry=1))
    _run_two(daemon)
    chemists, physicists = _submit(daemon, ("dan", "chemistry"), ("bob", "lab"), tasks=4)
    # Neither dan nor bob has used anything: their accounts decide.
    assert [_place(daemon, one) for one in (chemists, physicists)] == [2, 1]
    priority = daemon.client.explain(physicists)["wait"]["priority"]
    assert (priority["used_s"], priority["account_used_s"] > 0) == (0, True)
    assert ", its account 0." in daemon.run("rstat", "--explain", str(physicists)).stdout
    before = _shares(daemon)
    daemon.kill()
    daemon.start()
    after = _shares(daemon)
    for name in ("physics", "lab", "chemistry"):
        assert after[name]["used_s"] >= before[name]["used_s"] > 0
    assert after["physics"]["share"] == pytest.approx(0.75)
    assert [_place(daemon, one) for one in (chemists, physicists)] == [2, 1]
    # Now that chemistry has three shares, physics has used more than its own.
    reload(daemon, _CONFIG.format(physics=1, chemistry=3))
    assert [_place(daemon, one) for one in (chemists, physicists)] == [1, 2]


def test_shares_of_accounts_are_shown(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*_OPTIONS, config=_CONFIG.format(physics=3, chemistry=1))
    _run_two(daemon)
    told = daemon.run("rmsd", "account", "--all").stdout
    site = SlurmSite(daemon)
    shares = site.run("sshare", "-a", "-P", "-n", "-o", "account,user,rawshares,normshares").stdout
    assert [line.split("|")[:3] for line in shares.splitlines()] == [
        ["root", "", ""],
        ["physics", "", "3"],
        ["lab", "", "1"],
        ["lab", "ann", "1"],
        ["chemistry", "", "1"],
        ["chemistry", "cid", "1"],
    ]
    assert "physics||3|0.750000" in shares
    tree = [line.split() for line in told.splitlines()]
    assert ["account", "shares", "share", "hours", "part", "factor"] in tree
    assert ["physics", "3", "75.0%"] in [line[:3] for line in tree]
    assert ["ann", "lab"] in [line[:2] for line in tree]
    associations = site.run("sacctmgr", "-n", "-P", "show", "assoc", "format=account,share").stdout
    assert "physics|3" in associations.splitlines()
