"""Limits on the number of live jobs of accounts and QOS: what they count, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.errors import TooManyJobs
from rmsd_daemon.domain.shares import Shares
from rmsd_daemon.domain.submission import Details, NewJob, Payload
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings, SubmittedLimits

ANY = 1 << 20


class NotWalked(Counter[Any]):
    """Counts that are looked up by their keys alone."""

    def __iter__(self) -> NoReturn:
        raise AssertionError("the counts of all jobs are walked over")

    def items(self) -> NoReturn:
        raise AssertionError("the counts of all jobs are walked over")


def rules(
    accounts: tuple[AccountSettings, ...] = (), qos: tuple[QosSettings, ...] = ()
) -> AccountRules:
    return AccountRules(lambda user, listed: user in listed, accounts, qos)


def new_job(user: str, account: str = "", qos: str = "normal") -> NewJob:
    job = Job(0, user, 0, processors(1), 60_000_000, account=account, qos=qos)
    return NewJob(job, Details("x", account=account, qos=qos), Payload())


def fill(shares: Shares, count: int, user: str, account: str, qos: str = "normal") -> None:
    shares.take([new_job(user, account, qos)] * count, ANY)


def test_a_submit_is_not_compared_with_all_live_jobs() -> None:
    """Without `[accounts]`, the account of a job is any text. 90,000 live jobs with as many texts
    made each job of a submit take 17 ms of the event loop, and a submit of a thousand 17 s."""
    has = Shares([], rules(qos=(QosSettings("normal", submitted=SubmittedLimits(None, 1000)),)))
    has.take([new_job("ann", f"account-{at}") for at in range(999)], ANY)
    has.groups, has.counted = NotWalked(has.groups), NotWalked(has.counted)
    has.check([new_job("ann", "another")], ANY)
    with pytest.raises(TooManyJobs, match=r"'normal' has 999 jobs of ann .* may have 1000"):
        has.check([new_job("ann", "x"), new_job("ann", "y")], ANY)


TREE = (
    AccountSettings("top", submitted=SubmittedLimits(5)),
    AccountSettings("left", parent="top", submitted=SubmittedLimits(None, 2)),
    AccountSettings("right", parent="top"),
)


def refusals(shares: Shares) -> Iterator[str]:
    for user in ("ann", "bob"):
        for account in ("left", "right"):
            try:
                shares.check([new_job(user, account)], ANY)
            except TooManyJobs as refused:
                yield f"{user} {account} {refused}".split(";")[0]


def test_the_counts_follow_what_comes_and_ends_and_other_rules() -> None:
    of_tree = rules(TREE)
    shares = Shares([], of_tree)
    fill(shares, 2, "ann", "left")
    fill(shares, 1, "bob", "right")
    assert list(refusals(shares)) == [
        "ann left the account 'left' has 2 jobs of ann waiting or running, and may have 2 "
        "(AssocMaxSubmitJobLimit)"
    ]
    fill(shares, 2, "bob", "right")
    assert len(list(refusals(shares))) == 4  # the account above both is full
    shares.give_back(new_job("ann", "left").job, 2)
    assert list(refusals(shares)) == []
    right = AccountSettings("right", submitted=SubmittedLimits(3))
    of_tree.replace((*TREE[:2], right), (), ())
    assert [text.split(" has")[0] for text in refusals(shares)] == [
        "ann right the account 'right'",
        "bob right the account 'right'",
    ]
    of_tree.replace((), (), ())
    assert list(refusals(shares)) == []
