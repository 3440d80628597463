"""Accounts, QOS and shares as the daemon tells them, and `rmsd account` and Slurm's commands show
them."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Callable
from typing import Any

import pytest

from rmsd_core.lifecycle.core import Core
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.api.accounts import count_in_use
from rmsd_daemon.domain.accounts import ANY_ACCOUNT, AccountRules, JobGroup
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.queries.accounts import InUse, accounts_reply
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings
from rmsd_wire.api.accounts import MOST_ROWS, AccountsReply
from tests.client.slurm.site import SlurmSite
from tests.live import Daemon

ME = pwd.getpwuid(os.getuid()).pw_name
CONFIG = f"""
[accounts.physics]
max_cpus = 512
[accounts.lab]
parent = "physics"
members = ["{ME}", "bob"]
max_running_per_user = 20
max_submitted = 1000
[accounts.other]
members = ["bob"]
default_of = ["eve"]
[qos.urgent]
users = ["{ME}"]
max_running_per_user = 1
max_time = "1h"
[qos.secret]
users = ["bob"]
accounts = ["other"]
"""


def by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


@pytest.mark.slow
@pytest.mark.live
def test_accounts_are_told_with_their_limits_and_what_is_in_use(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The jobs of an account count for those above it."""
    daemon = start_daemon(
        "--no-local-node", "--emulate", "1x4", "--recipe", "fair-share", config=CONFIG
    )
    holder = daemon.emulate(5000, tasks=3, account="lab", qos="urgent")
    daemon.wait_for(holder, "RUNNING")
    daemon.emulate(5000, tasks=2, account="lab")
    told = daemon.client.accounts()
    accounts, qos = by_name(told["accounts"]), by_name(told["qos"])
    in_use = {"submitted": 2, "running": 1, "cpus": 3}
    assert (told["user"], told["default_account"]) == (ME, "lab")
    assert [*accounts] == ["physics", "lab", "other"]
    assert accounts["physics"]["in_use"] == accounts["lab"]["in_use"] == in_use
    assert accounts["other"]["in_use"] == {"submitted": 0, "running": 0, "cpus": 0}
    assert accounts["physics"]["limits"]["max_cpus"] == 512
    assert accounts["lab"]["limits"]["max_running_per_user"] == 20
    assert accounts["lab"]["limits"]["max_submitted"] == 1000
    assert [one["is_own"] for one in told["accounts"]] == [False, True, False]
    assert qos["urgent"]["in_use"] == {"submitted": 1, "running": 1, "cpus": 3}
    assert qos["urgent"]["limits"]["max_time_s"] == 3600
    assert qos["normal"]["is_default"]
    assert told["associations"] == [{"user": ME, "account": "lab", "in_use": in_use}]
    [share] = told["shares"]
    assert (share["user"], share["account"], share["part"]) == (ME, "lab", 1)
    assert 0 < share["factor"] < 1
    as_before = daemon.client.accounts(of_all=True)
    daemon.kill()
    daemon.start()
    after = daemon.client.accounts(of_all=True)
    for key in ("accounts", "qos", "associations"):
        assert after[key] == as_before[key]
    commands_show_them(daemon)


def commands_show_them(daemon: Daemon) -> None:
    shown = daemon.rmsd("account", expect=0).stdout
    lines = [line.split() for line in shown.splitlines()]
    assert ["account", "jobs", "running", "cpus", "each", "longest", "for"] in lines
    assert ["physics", "2", "1", "3/512", "-", "-"] in lines
    assert ["lab*", "2/1000", "1", "3", "-/20/-", "-", f"{ME},bob"] in lines
    assert "\n  lab*" in shown
    assert ["urgent", "1", "1", "3", "-/1/-", "01:00:00", ME] in lines
    assert [ME, "lab", "2", "1", "3"] in lines
    assert ["user", "hours", "part", "factor"] in lines
    assert json.loads(daemon.rmsd("account", "--json", expect=0).stdout)["user"] == ME
    site = SlurmSite(daemon)
    assert site.out("sacctmgr", "-nP", "show", "account", "format=account,parentname") == (
        "physics|root\nlab|physics\nother|root\n"
    )
    limits = site.out(
        *("sacctmgr", "-nP", "show", "assoc", "account=lab"),
        "format=account,user,grpsubmit,maxjobs",
    )
    assert limits.splitlines() == ["lab||1000|20", f"lab|{ME}||20", "lab|bob||20"]
    assert site.out(*("sacctmgr", "-nP", "list", "user", ME), "format=user,defaultaccount") == (
        f"{ME}|lab\n"
    )
    assert site.out("sacctmgr", "-nPs", "list", "user", ME, "format=account") == "lab\n"
    by_account = site.out("sacctmgr", "-nP", "show", "assoc", "format=account,user,qos")
    assert "other||normal,urgent,secret\n" in by_account
    assert "lab||normal,urgent\n" in by_account  # the QOS secret is for the other account
    fields = "format=name,maxwall,maxjobspu"
    urgent = site.out("sacctmgr", "-nP", "show", "qos", "urgent", fields)
    assert urgent == "urgent|01:00:00|1\n"
    [row] = site.out("sshare", "-nPU", "-o", "account,user,rawshares,effectvusage").splitlines()
    assert row == f"lab|{ME}|1|1.000000"
    top, user = site.out("sshare", "-nP", "-o", "account,user").splitlines()
    assert (top, user) == ("root|", f"lab|{ME}")


@pytest.mark.slow
@pytest.mark.live
def test_without_accounts_and_shares_there_is_the_normal_qos(daemon: Daemon) -> None:
    daemon.wait_for(daemon.emulate(5000, account="any"), "RUNNING")
    told = daemon.client.accounts()
    assert (told["accounts"], told["shares"], told["default_account"]) == ([], [], "")
    assert [one["name"] for one in told["qos"]] == ["normal"]
    assert [one["account"] for one in told["associations"]] == ["any"]
    assert "account" not in daemon.rmsd("account", expect=0).stdout.split()[:1]


def reply(
    rules: AccountRules, core: Core, live: dict[JobGroup, int], user: str | None, *,
    is_operator: bool,
) -> AccountsReply:  # fmt: skip
    in_use = InUse(rules, user)
    in_use.add_live(live.items())
    return accounts_reply(rules, core, in_use, 0, user, is_operator=is_operator)


def test_users_are_told_neither_the_jobs_nor_the_lists_of_others() -> None:
    rules = AccountRules(
        lambda user, listed: user in listed,
        (AccountSettings("lab", ("ann", "bob")), AccountSettings("other", ("bob",))),
        (QosSettings("secret", users=("bob",)),),
    )
    live = {JobGroup("normal", "lab", "ann"): 2, JobGroup("secret", "other", "bob"): 3}
    core = Core(parse_recipe("easy"))
    told = reply(rules, core, live, "ann", is_operator=False)
    assert [one.members for one in told.accounts] == [["ann", "bob"], None]
    assert {one.name: one.users for one in told.qos} == {"normal": [], "secret": None}
    assert [one.user for one in told.associations] == ["ann"]
    of_all = reply(rules, core, live, None, is_operator=True)
    assert [one.members for one in of_all.accounts] == [["ann", "bob"], ["bob"]]
    assert [(one.user, one.in_use.submitted) for one in of_all.associations] == [
        ("ann", 2),
        ("bob", 3),
    ]


class CountedTurn(Turn):
    """A turn that counts how often it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self.taken = 0

    async def __aenter__(self) -> CountedTurn:
        self.taken += 1
        return await super().__aenter__()


@pytest.mark.slow
async def test_others_have_their_turn_while_accounts_are_counted() -> None:
    """Without `[accounts]`, the account of a job is any text. 90,000 live jobs of a user with as
    many texts made each `GET /v1/accounts` take 1.2 s of the event loop, also that of others."""
    live = [(JobGroup("normal", f"account-{at}", "ann"), 1) for at in range(2 * MOST_ROWS)]
    turn = CountedTurn()
    in_use = await count_in_use(ANY_ACCOUNT, "bob", live, [], turn)
    assert (in_use.of_qos("normal").submitted, in_use.associations()) == (2 * MOST_ROWS, [])
    assert turn.taken >= 10
    with pytest.raises(Malformed, match="each account of a user counted"):
        await count_in_use(ANY_ACCOUNT, "ann", live, [], turn)
