"""The words by which `rmsd top` looks for jobs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import UsageError
from rmsd_client.show.job_pages import JobPage
from rmsd_top.view import PAGE, STATES, JobFilter, QueueView, parse_filter, read


def test_words_name_jobs() -> None:
    assert parse_filter("fit user:anna 12 partition:big") == JobFilter("12", "anna", "fit", "big")
    assert parse_filter("") == JobFilter()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("foo bar", "one name, not 'bar'"),
        ("user:anna user:bert", "one user, not 'bert'"),
        ("1 2", "one number of a job, not '2'"),
        ("colour:red", "there is user"),
    ],
)
def test_what_would_be_dropped_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse_filter(text)


@pytest.mark.parametrize("states", [*STATES])
@pytest.mark.parametrize("is_mine", [True, False])
def test_a_look_asks_for_a_page_of_jobs_however_long_the_queue_is(
    states: str, is_mine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Besides the state of the daemon, a look is one question for each kind of jobs, and all of
    them together ask for `PAGE` jobs."""
    asked: list[dict[str, Any]] = []

    def job_page(_: object, **query: Any) -> JobPage:
        asked.append(query)
        return JobPage([{"job_id": number} for number in range(query["limit"])], 1)

    monkeypatch.setattr("rmsd_top.view.job_page", job_page)
    client = SimpleNamespace(status=lambda: {"you": {"user": "anna"}})
    page = read(cast("Client", client), QueueView(states=states, is_mine=is_mine))
    assert [query["states"] for query in asked] == [*STATES[states]]
    assert sum(query["limit"] for query in asked) == len(page.jobs) == PAGE
    assert {query["user"] for query in asked} == {"anna" if is_mine else None}
