"""The feed of what commits have changed: who is told what, and where a subscriber goes on."""

from __future__ import annotations

import random

import pytest

from rmsd_daemon.domain import feed as feed_module
from rmsd_daemon.domain.feed import MOST_PENDING, Feed, FeedEntry, News, Subscription


def news(subscription: Subscription) -> News:
    """Take the news that there must be."""
    told = subscription.take()
    assert told is not None
    return told


async def test_a_subscriber_without_a_mark_reads_everything_first() -> None:
    feed = Feed()
    feed.tell([FeedEntry(1, "ann", "PENDING")])
    with feed.subscribed(None, None) as all_jobs:
        assert news(all_jobs) == (feed.mark, {}, True, ())
        assert all_jobs.take() is None


async def test_users_hear_of_their_own_jobs_alone() -> None:
    feed = Feed()
    with (
        feed.subscribed("ann", feed.mark) as ann,
        feed.subscribed("bob", feed.mark) as bob,
        feed.subscribed(None, feed.mark) as operator,
    ):
        for one in (ann, bob, operator):
            assert news(one).states == {}
        feed.tell([FeedEntry(1, "ann", "RUNNING"), FeedEntry(2, "cem", "PENDING")])
        assert news(ann).states == {1: "RUNNING"}
        assert bob.take() is None
        assert news(operator).states == {1: "RUNNING", 2: "PENDING"}
    feed.tell([FeedEntry(1, "ann", "COMPLETED")])
    assert ann.take() is None


async def test_changes_come_together_and_the_last_state_counts() -> None:
    feed = Feed()
    with feed.subscribed("ann", feed.mark) as ann:
        ann.take()
        for state in ("PENDING", "RUNNING", "COMPLETED"):
            feed.tell([FeedEntry(1, "ann", state)])
        assert news(ann) == (feed.mark, {1: "COMPLETED"}, False, ())


async def test_everybody_hears_of_nodes() -> None:
    feed = Feed()
    mark = feed.mark
    with feed.subscribed("ann", mark) as ann:
        ann.take()
        feed.tell([FeedEntry(1, "bob", "RUNNING")], ["n1"])
        feed.tell((), ["n2", "n1"])
        assert news(ann) == (feed.mark, {}, False, ("n1", "n2"))
        feed.tell((), [f"n{number}" for number in range(MOST_PENDING)])
        assert len(news(ann).nodes) == MOST_PENDING
        feed.tell((), [f"n{number}" for number in range(MOST_PENDING + 1)])
        assert news(ann) == (feed.mark, {}, True, ())
    with feed.subscribed("bob", mark) as bob:
        missed = news(bob)
    assert missed.anew  # there are more nodes than a piece of news has
    mark = feed.mark
    feed.tell([FeedEntry(1, "bob", "COMPLETED")], ["n1"])
    with feed.subscribed("ann", mark) as ann, feed.subscribed("bob", mark) as bob:
        assert news(ann) == (feed.mark, {}, False, ("n1",))
        assert news(bob) == (feed.mark, {1: "COMPLETED"}, False, ("n1",))


async def test_a_subscriber_who_does_not_listen_holds_little_and_reads_everything() -> None:
    feed = Feed()
    with feed.subscribed(None, feed.mark) as slow:
        slow.take()
        feed.tell([FeedEntry(job_id, "ann", "PENDING") for job_id in range(MOST_PENDING + 1)])
        feed.tell([FeedEntry(1, "ann", "RUNNING")])
        assert news(slow) == (feed.mark, {}, True, ())
        feed.tell([FeedEntry(1, "ann", "COMPLETED")])
        assert news(slow).states == {1: "COMPLETED"}


async def test_a_return_to_the_last_commit_has_everybody_read_everything() -> None:
    feed = Feed()
    mark = feed.mark
    with feed.subscribed("ann", mark) as ann:
        ann.take()
        feed.tell([FeedEntry(1, "ann", "RUNNING")])
        feed.tell_anew()
        assert news(ann) == (feed.mark, {}, True, ())
    with feed.subscribed("ann", mark) as ann:
        assert news(ann).anew


@pytest.mark.parametrize(
    "mark", ["", "-", "x", "{epoch}", "{epoch}-", "{epoch}-x", "{epoch}--1", "{epoch}-1e3",
             "{epoch}-\N{SUPERSCRIPT TWO}", "{epoch}-\N{ARABIC-INDIC DIGIT ZERO}", "0-0",
             "{epoch}-4", "{epoch}-" + "9" * 60],
)  # fmt: skip
async def test_a_mark_that_the_feed_has_not_given_leads_to_everything(mark: str) -> None:
    feed = Feed()
    for _ in range(3):
        feed.tell([FeedEntry(1, "ann", "PENDING")])
    given = mark.replace("{epoch}", feed.mark.partition("-")[0])
    with feed.subscribed(None, given) as one:
        assert news(one).anew


async def test_whoever_comes_back_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A subscriber that leaves and comes back at any mark is told what one that stayed was told, or
    reads everything."""
    monkeypatch.setattr(feed_module, "MOST_KEPT", 12)
    rng = random.Random()
    feed = Feed()
    commits: list[list[FeedEntry]] = []
    marks = [feed.mark]
    resumed = 0
    for _ in range(60):
        commits.append(
            [
                FeedEntry(rng.randrange(6), rng.choice(["ann", "bob"]), rng.choice(["R", "PD"]))
                for _ in range(rng.randint(1, 5))
            ]
        )
        feed.tell(commits[-1])
        marks.append(feed.mark)
        at = rng.randrange(max(0, len(marks) - 8), len(marks))
        user = rng.choice(["ann", "bob", None])
        with feed.subscribed(user, marks[at]) as back:
            told = news(back)
        missed = [change for commit in commits[at:] for change in commit]
        if told.anew:
            # The oldest commit that is kept counts as incomplete where the bound is reached.
            assert len(missed) + len(commits[at - 1] if at else ()) >= 12
        else:
            resumed += 1
            seen = [one for one in missed if user in (None, one.user)]
            assert told.states == {one.job_id: one.state for one in seen}
    assert resumed
