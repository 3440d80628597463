"""`rsub --begin` and `--dependency` understand what Slurm's users write."""

from __future__ import annotations

import time

import pytest

from rmsd_client.submit.conditions import parse_begin, parse_dependency

NOON_S = time.mktime((2026, 11, 24, 12, 0, 0, 0, 0, -1))


def at(text: str) -> str:
    begin_us = parse_begin(text, NOON_S)["begin_us"]
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(begin_us / 1_000_000))


@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("16:00", "2026-11-24T16:00:00"),
        ("11:59", "2026-11-25T11:59:00"),
        ("4:30pm", "2026-11-24T16:30:00"),
        ("12:15 AM", "2026-11-25T00:15:00"),
        ("noon", "2026-11-25T12:00:00"),
        ("teatime", "2026-11-24T16:00:00"),
        ("midnight", "2026-11-25T00:00:00"),
        ("today", "2026-11-24T12:00:00"),
        ("tomorrow", "2026-11-25T00:00:00"),
        ("tomorrowT10:00", "2026-11-25T10:00:00"),
        ("2027-01-31", "2027-01-31T00:00:00"),
        ("2027-01-31T08:00", "2027-01-31T08:00:00"),
        ("2027-01-31T08:00:30", "2027-01-31T08:00:30"),
        ("2027-01-31 08:00", "2027-01-31T08:00:00"),
        ("12/25", "2026-12-25T00:00:00"),
        ("1/31", "2027-01-31T00:00:00"),
        ("01/31/28", "2028-01-31T00:00:00"),
        ("01.31.28-07:00", "2028-01-31T07:00:00"),
        ("013128", "2028-01-31T00:00:00"),
        ("0131", "2027-01-31T00:00:00"),
        ("0131-08:00", "2027-01-31T08:00:00"),
        ("elevenses", "2026-11-25T11:00:00"),
        ("noon tomorrow", "2026-11-25T12:00:00"),
        ("16:00 01/31", "2027-01-31T16:00:00"),
        ("4:30 pm 2027-01-31", "2027-01-31T16:30:00"),
        ("16:00 12/25/26", "2026-12-25T16:00:00"),
    ],
)
def test_a_begin_time_is_read_as_slurm_reads_it(text: str, begin: str) -> None:
    assert at(text) == begin


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("now", 0),
        ("now+90", 90),
        ("now+2minutes", 120),
        ("now+1hour", 3600),
        ("NOW+3days", 3 * 86400),
        ("now+1week", 7 * 86400),
        ("now+1h", 3600),
        ("now + 60 seconds", 60),
        ("now +2hours", 7200),
    ],
)
def test_a_begin_time_may_count_from_the_submit(text: str, seconds: int) -> None:
    assert parse_begin(text) == {"begin_in_s": seconds}


@pytest.mark.parametrize(
    "text",
    ["", "later", "25:00", "13:00pm", "2026-13-01", "now+1fortnight", "now-1", "tomorrowT",
     "2026-11-24T", "12:60", "99999999999999", "2027-02-30", "02/30", "16:00 1.2.3.4",
     "16:00 later", "noon noon", "25:00 01/31", "1:2:3:4 01/31", "16:00 2027"],
)  # fmt: skip
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"time|date|hour|unit"):
        parse_begin(text, NOON_S)


def test_dependencies_are_read_as_slurm_reads_them() -> None:
    assert parse_dependency("afterok:1:2,afterany:3") == {
        "dependencies": [
            {"relation": "afterok", "job_id": 1},
            {"relation": "afterok", "job_id": 2},
            {"relation": "afterany", "job_id": 3},
        ],
        "any_of": False,
    }
    assert parse_dependency("afternotok:7?after:8+5") == {
        "dependencies": [
            {"relation": "afternotok", "job_id": 7},
            {"relation": "after", "job_id": 8, "delay_s": 300},
        ],
        "any_of": True,
    }
    assert parse_dependency("Singleton")["dependencies"] == [{"relation": "singleton"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("afterok", "^'afterok' is not a dependency"),
        ("after:1,aftr:2", "^'after:1,aftr:2': 'aftr:2' is not a dependency"),
        ("afterok:", "is not a dependency"),
        ("afterok:x", "is not a job number"),
        ("afterok:1+5", "goes with after alone"),
        ("afterok:1,after:2?after:3", "use one of them"),
        ("aftercorr:1,aftercorr:2", "stands once"),
        ("aftercorr:1_2", "on a whole array"),
        ("before:1", "is not a dependency"),
    ],
)
def test_what_is_no_dependency_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_dependency(text)
