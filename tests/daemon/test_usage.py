"""The processor time that jobs have used, told by the daemon, and of random histories."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert

from rmsd_client.errors import ApiError
from rmsd_daemon.store import usage as module
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import ATTEMPT, JOB
from rmsd_daemon.store.usage import UsageAsked, usage_of
from rmsd_wire.api.usage import UsageRow
from tests.daemon.rows import row_of
from tests.live import Daemon

DAY_US = 86_400_000_000
TIMES = st.integers(0, 3 * 86_400).map(lambda second: second * 1_000_000)
RUNS = st.lists(st.tuples(TIMES, TIMES).map(sorted), max_size=3)
JOBS = st.lists(
    st.tuples(
        *(st.sampled_from(["ann", "bob"]), st.sampled_from(["main", "gpu"])),
        *(st.integers(1, 4), RUNS, st.booleans()),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    found = Store(tmp_path_factory.mktemp("usage") / "rmsd.db")
    yield found
    found.close()


def tell(store: Store, jobs: list[Any], asked: UsageAsked) -> list[UsageRow]:
    """Return the usage of these jobs alone: (user, partition, processors, runs, live). The last
    run of a live job has no end."""
    job_rows, attempts = [], []
    for job_id, (user, partition, processors, runs, live) in enumerate(jobs, 1):
        ends_us = max((end_us for _, end_us in runs), default=0)
        job_rows.append(
            row_of(JOB)
            | {"id": job_id, "seq": job_id, "user": user, "partition": partition, "live": live}
            | {"attempt": len(runs), "end_us": None if live else ends_us}
        )
        for number, (start_us, end_us) in enumerate(runs, 1):
            goes_on = live and number == len(runs)
            attempts.append(
                row_of(ATTEMPT)
                | {"job_id": job_id, "attempt": number, "start_us": start_us}
                | {"end_us": None if goes_on else end_us, "cpu_s": None if goes_on else 1.0}
                | {"allocation": [["e1", processors, 0], ["e2", 1, 0]]}
            )

    def write(connection: Any) -> None:
        for table in (JOB, ATTEMPT):
            connection.execute(delete(table))
        if job_rows:
            connection.execute(insert(JOB), job_rows)
        if attempts:
            connection.execute(insert(ATTEMPT), attempts)

    store.transact(write)
    return store.look_up(usage_of, asked)


def expected(jobs: list[Any], asked: UsageAsked) -> dict[tuple[str, ...], float]:
    """Return the processor seconds by group, day by day."""
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for user, partition, processors, runs, live in jobs:
        for number, (start_us, end_us) in enumerate(runs, 1):
            if asked.user not in (None, user):
                continue
            last_us = asked.until_us if live and number == len(runs) else end_us
            at_us, last_us = max(start_us, asked.since_us), min(last_us, asked.until_us)
            while at_us < last_us:
                day = at_us // DAY_US
                to_us = min(last_us, (day + 1) * DAY_US)
                whole = {"day": f"1970-01-{day + 1:02}", "user": user, "partition": partition}
                group = tuple(whole[one] for one in ("day", "user", "partition") if one in asked.by)
                sums[group] += (processors + 1) * (to_us - at_us) / 1e6
                at_us = to_us
    return dict(sums)


ASKED = st.builds(
    lambda times, user, by: UsageAsked(*sorted(times), user, by),
    st.tuples(TIMES, TIMES),
    st.sampled_from([None, "ann"]),
    st.sets(st.sampled_from(["day", "user", "partition"])),
)


@given(JOBS, ASKED)
@settings(max_examples=60, deadline=None)
def test_usage_is_the_sum_of_the_runs(store: Store, jobs: list[Any], asked: UsageAsked) -> None:
    found = tell(store, jobs, asked)
    groups = [one for one in ("day", "user", "partition") if one in asked.by]
    told = {tuple(getattr(row, one) for one in groups): row.processor_s for row in found}
    # A run that ended at once is one of the attempts, and takes nothing.
    assert {group: used_s for group, used_s in told.items() if used_s} == expected(jobs, asked)
    assert list(told) == sorted(told)
    assert all(0 <= row.lost_s <= row.processor_s for row in found)
    assert all(row.attempts >= row.jobs for row in found)


def test_an_attempt_is_lost_if_the_job_was_started_again(store: Store) -> None:
    hour_us = DAY_US // 24
    again = ("ann", "main", 3, [(0, hour_us), (hour_us, 3 * hour_us)], False)
    waits = ("ann", "main", 3, [(0, hour_us), (2 * hour_us, 3 * hour_us)], True)
    [row] = tell(store, [again, waits], UsageAsked(0, 4 * hour_us, None, ["user"]))
    assert (row.jobs, row.attempts) == (2, 4)
    assert row.processor_s == 3600 * 4 * (1 + 2 + 1 + 2)
    assert row.lost_s == 3600 * 4 * 2
    assert row.cpu_s == 3


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    found = Daemon("--no-local-node", "--emulate", "1x4", "--rate", "600")
    try:
        yield found.start()
    finally:
        found.stop()


@pytest.mark.slow
def test_a_daemon_tells_what_was_used(daemon: Daemon) -> None:
    ended = daemon.emulate(1200, tasks=2)
    daemon.wait(ended)
    daemon.wait_for(daemon.emulate(10**6, tasks=1), "RUNNING")
    done = daemon.run("rmsd", "usage", "--since", "unlimited", "--by", "user,partition")
    head, line = done.stdout.splitlines()
    assert head.split() == [
        "user",
        "partition",
        "jobs",
        "attempts",
        "hours",
        "lost",
        "cpu",
        "cluster",
    ]
    user, partition, jobs, attempts, hours, *_ = line.split()
    assert (user, partition, jobs, attempts) == (daemon.client.status()["user"], "main", "2", "2")
    assert float(hours) >= 0.6
    told = json.loads(daemon.run("rmsd", "usage", "--json", "--by", "day").stdout)
    assert sum(row["processor_s"] for row in told["usage"]) >= 2400
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", told["usage"][0]["day"])
    written = daemon.run("rmsd", "usage", "--csv", "--user", "nobody-here").stdout
    assert list(csv.DictReader(io.StringIO(written))) == []
    assert "is none of" in daemon.run("rmsd", "usage", "--by", "colour").stderr
    with pytest.raises(ApiError, match="'by' has 'colour'"):
        daemon.client.usage(by="colour")


def test_no_more_rows_are_read_than_are_needed_to_refuse(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    runs = [(0, 1)]
    users = [(f"u{number}", "main", 1, runs, False) for number in range(5)]
    assert len(tell(store, users, UsageAsked(0, 10, None, ["user"]))) == 3


@pytest.mark.parametrize("by", [[], ["user"], ["day", "user"]])
def test_usage_beyond_the_largest_integer_is_told(store: Store, by: list[str]) -> None:
    """600,000 processors reach 2^63 microseconds in half a year, and the sum was an error."""
    processors = 1 << 20
    jobs = [("ann", "main", processors - 1, [(0, 3 * DAY_US)], False)] * 120
    rows = tell(store, jobs, UsageAsked(0, 3 * DAY_US, None, by))
    expected_s = 120 * processors * 3 * 86_400
    assert expected_s * 1_000_000 > 1 << 63
    assert sum(row.processor_s for row in rows) == pytest.approx(expected_s)
    assert len(rows) == (3 if "day" in by else 1)
