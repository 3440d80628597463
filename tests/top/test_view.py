"""The words by which `rmsd top` looks for jobs."""

from __future__ import annotations

import pytest

from rmsd_client.errors import UsageError
from rmsd_top.view import JobFilter, parse_filter


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
