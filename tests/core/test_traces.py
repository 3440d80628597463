"""Reading whole traces: what comes of good lines, bad lines and no lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_lab.traces.header import Header
from rmsd_lab.traces.merging import merged
from rmsd_lab.traces.numbers import NumberRanges
from rmsd_lab.traces.problems import SHOWN, Problems, Tolerance
from rmsd_lab.traces.reading import CutShort, LogReader
from rmsd_lab.traces.selection import Selection, in_arrival_order, why_not_simulated
from rmsd_lab.traces.survey import Survey, header_faults, quantile
from rmsd_lab.workloads.swf import MOST, TraceError, parse_swf, takes_part
from rmsd_lab.workloads.swf_log import LogJob, line_of, trace_job
from rmsd_lab.workloads.workload import shaking
from rmsd_lab_cli.trace.info import trace_report
from rmsd_lab_cli.trace.info_text import trace_text
from tests.fuzz import traces as hostile

LINE = "1 100 -1 50 8 -1 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1\n"

whole = st.integers(-1, MOST)
cpu_times = whole | st.floats(-1, 1e9, allow_subnormal=False)
log_jobs = st.builds(LogJob._make, st.tuples(*[whole] * 5, cpu_times, *[whole] * 12))
words = (
    st.text(st.characters(max_codepoint=255), max_size=12) | whole.map(str) | st.floats().map(str)
)
keys = st.sampled_from(["MaxProcs", "MaxJobs", "UnixStartTime", "TimeZone", "TimeZoneString", "x"])
hostile_headers = st.builds("; {}: {}".format, keys, words | st.sampled_from(["UTC", "posix", "/"]))
hostile_lines = st.lists(st.lists(words, max_size=20).map(" ".join) | st.just(LINE), max_size=8)


def read(lines: Iterable[str], tolerance: Tolerance) -> tuple[list[LogJob], Problems, LogReader]:
    problems = Problems(tolerance)
    reader = LogReader(lines, problems)
    return list(reader), problems, reader


def told(lines: Iterable[str]) -> list[tuple[int, str, str]]:
    _, problems, _ = read(lines, Tolerance.TOLERANT)
    return [(p.line, p.kind, p.done) for first in problems.first.values() for p in first]


@pytest.mark.slow
@given(st.lists(log_jobs))
def test_what_is_written_is_read_again(jobs: list[LogJob]) -> None:
    again, problems, _ = read(map(line_of, jobs), Tolerance.CAREFUL)
    assert again == jobs
    assert set(problems.counts) <= {"number twice", "not in arrival order", "no submit time"}


@given(st.lists(log_jobs))
def test_both_readers_read_the_same(jobs: list[LogJob]) -> None:
    """`parse_swf` goes straight to what a scheduler is given: it is quicker, and does nothing
    else."""
    again, _, _ = read(map(line_of, jobs), Tolerance.CAREFUL)
    derived = sorted(map(trace_job, again), key=lambda job: job.submit_s)
    assert parse_swf(map(line_of, jobs)).jobs == derived


@pytest.mark.slow
@given(st.tuples(st.lists(hostile_headers, max_size=4), hostile_lines).map(lambda p: p[0] + p[1]))
def test_no_trace_is_beyond_info(lines: list[str]) -> None:
    _, problems, reader = read(lines, Tolerance.TOLERANT)
    survey = Survey(reader.header.processors)
    for job in LogReader(lines, Problems(Tolerance.TOLERANT)):
        survey.add(job, 1, reader.header.number("UnixStartTime") or 0)
    report = trace_report("-", reader.header, survey, problems)
    assert trace_text(report).startswith("-")
    assert json.loads(json.dumps(report, allow_nan=False))["jobs"]["read"] == survey.jobs


@given(hostile_lines)
def test_no_line_is_beyond_a_tolerant_reader(lines: list[str]) -> None:
    hostile.whole_reader(lines)
    hostile.quick_reader(lines)


def test_header_and_comments_are_kept_as_they_are() -> None:
    lines = ["; Computer: a\n", ";\n", ";   more\r\n", "\n", LINE, "; between\n", LINE]
    jobs, _, reader = read(lines, Tolerance.TOLERANT)
    assert reader.header.lines == ("; Computer: a", ";", ";   more")
    assert reader.later == ["; between"]
    assert len(jobs) == 2
    assert reader.line == 7


@pytest.mark.parametrize(
    ("line", "kind", "done"),
    [
        ("1 2 3\n", "too few fields", "the line is left out"),
        (LINE[:-1] + " 7\n", "too many fields", "those after the last are left out"),
        (LINE.replace(" 50 ", " soon "), "not a number", "taken as -1, not known"),
        (LINE.replace(" 50 ", " nan "), "not a number", "taken as -1, not known"),
        (LINE.replace(" 50 ", " 1e400 "), "not a number", "taken as -1, not known"),
        (LINE.replace(" 50 ", f" {'9' * 5000} "), "not a number", "taken as -1, not known"),
        (LINE.replace(" 50 ", f" {'9' * 4000} "), "out of range", "taken as -1, not known"),
        (LINE.replace(" 50 ", " -2 "), "out of range", "taken as -1, not known"),
        (LINE.replace(" 50 ", " 50.7 "), "fraction", "cut off: 50"),
    ],
)
def test_a_bad_line_is_named_with_what_became_of_it(line: str, kind: str, done: str) -> None:
    assert told([LINE.replace("1", "9", 1), line]) == [(2, kind, done)]


def test_odd_jobs_are_kept_and_named() -> None:
    lines = ["; MaxProcs: 8\n", LINE, LINE.replace("1 100", "2 40"), LINE]
    assert told(lines) == [
        (3, "not in arrival order", "kept in its place"),
        (4, "number twice", "kept"),
    ]
    with pytest.raises(TraceError, match="line 3: submitted at 40, after a line with 100"):
        read(lines, Tolerance.STRICT)
    jobs, _, _ = read(lines, Tolerance.CAREFUL)
    assert [job.number for job in jobs] == [1, 2, 1]


def test_what_cannot_be_read_ends_a_careful_reading() -> None:
    with pytest.raises(TraceError, match=r"line 1: field 4 \(run time\) is not a number: 'x'"):
        read([LINE.replace(" 50 ", " x ")], Tolerance.CAREFUL)


def test_a_file_that_is_cut_short_is_read_up_to_there() -> None:
    def cut() -> Iterator[str]:
        yield LINE
        raise CutShort("the end is missing")

    jobs, problems, _ = read(cut(), Tolerance.TOLERANT)
    assert len(jobs) == problems.unreadable == 1
    with pytest.raises(TraceError, match="line 2: the end is missing"):
        read(cut(), Tolerance.CAREFUL)


def test_of_many_problems_the_first_are_kept_and_all_counted() -> None:
    _, problems, _ = read(["1 2\n"] * 20, Tolerance.TOLERANT)
    assert problems.counts["too few fields"] == 20
    assert [p.line for p in problems.first["too few fields"]] == list(range(1, SHOWN + 1))


@given(st.lists(st.integers(-1, 30)))
def test_numbers_are_new_once(numbers: list[int]) -> None:
    seen: set[int] = set()
    ranges = NumberRanges()
    for number in numbers:
        assert ranges.is_new(number) == (number not in seen)
        seen.add(number)


def test_a_header_is_read_and_changed_by_key() -> None:
    header = Header(
        ("; MaxJobs: 10", "; Queue: 1 a", ";        2 b", "; MaxProcs: 1,024 of two", "; Note: x")
    )
    assert header.number("MaxJobs") == 10
    assert header.processors == 1024
    assert header.number("Queue") == 1
    assert header.number("Computer") is None
    changed = header.with_value("MaxJobs", 3).with_value("Version", "2.2").with_notes("y")
    assert changed.without("Queue").lines == (
        *("; MaxJobs: 3", "; MaxProcs: 1,024 of two", "; Note: x", "; Version: 2.2", "; Note: y"),
    )
    assert Header(("; MaxProcs: " + "9" * 5000,)).processors is None


def test_a_header_loses_the_lines_of_a_key_and_no_other() -> None:
    header = Header((";  EndTime: x", ";     more: of it", ";", ";  MaxProcs: 4", "; free text"))
    assert header.without("EndTime").lines == (";", ";  MaxProcs: 4", "; free text")
    assert header.without("MaxProcs").lines == (*header.lines[:3], "; free text")
    assert header.without("Note") == header


def test_a_survey_by_hand() -> None:
    survey = Survey(8)
    for at, line in enumerate(
        [
            "1 0 5 7200 8 -1 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1",
            "2 900 0 10 1 20 -1 1 60 -1 0 4 -1 -1 -1 -1 -1 -1",
            "3 1800 0 10 16 -1 -1 16 60 -1 0 4 -1 -1 -1 -1 -1 -1",
            "4 1800 -1 -1 -1 -1 -1 -1 60 -1 5 4 -1 -1 -1 -1 -1 -1",
        ]
    ):
        survey.add(LogJob._make(map(int, line.split())), at + 10, 1_000_000_000)
    assert (survey.jobs, survey.usable) == (4, 2)
    assert survey.load.on(8) == (7200 * 8 + 10) / (8 * 900)
    assert {name: part.jobs for name, part in survey.categories.items() if part.jobs} == {
        "LN": 1,
        "SN": 1,
    }
    assert survey.odd_lines == {
        "run over estimate": [10],
        "CPU over run": [11],
        "too large": [12],
        "never ran": [13],
    }
    assert survey.users[4].jobs == 3
    assert survey.missing["allocated"] == 1
    assert survey.arrivals[1_000_000_000 // 900] == 1
    assert header_faults(Header(("; MaxJobs: 5", "; MaxProcs: 8")), survey) == [
        "MaxJobs is 5, but there are 4 jobs",
        "there is no UnixStartTime: hours and weekdays are not known",
    ]


@given(st.dictionaries(st.integers(0, 50), st.integers(1, 9), min_size=1))
def test_quantiles_are_values_that_so_many_do_not_exceed(counts: dict[int, int]) -> None:
    listed = sorted(value for value, count in counts.items() for _ in range(count))
    for share in (0.5, 0.9, 1.0):
        value = quantile(counts, share)
        assert value is not None
        assert sum(one <= value for one in listed) >= share * len(listed)
        assert sum(one < value for one in listed) < share * len(listed)


times = st.integers(0, 10_000)
usable_jobs = st.builds(
    LogJob,
    number=st.integers(1, 99),
    submit_s=times,
    wait_s=times,
    run_s=times,
    allocated=st.integers(1, 8),
    user=st.integers(-1, 3),
    group=st.integers(-1, 3),
    queue=st.integers(-1, 3),
    preceding=st.integers(-1, 99),
)
traces = st.lists(usable_jobs | usable_jobs.map(lambda job: job._replace(submit_s=-1))).map(
    lambda jobs: sorted(jobs, key=lambda job: job.submit_s)
)


def without_submit(jobs: Iterable[LogJob]) -> Counter[LogJob]:
    return Counter(job._replace(submit_s=-1) for job in jobs)


@given(traces, st.integers(0, 500), st.integers(0, 99))
def test_shaking_keeps_all_but_the_submits(jobs: list[LogJob], most_s: int, seed: int) -> None:
    moved = list(shaking(jobs, seed, most_s))
    assert without_submit(moved) == without_submit(jobs)
    known = [job.submit_s for job in moved if job.submit_s >= 0]
    assert known == sorted(known)
    assert len(known) == sum(job.submit_s >= 0 for job in jobs)
    assert moved == list(shaking(jobs, seed, most_s))


def test_shaking_a_stream_holds_only_what_others_may_come_before() -> None:
    drawn = 0

    def endless() -> Iterator[LogJob]:
        nonlocal drawn
        for number in count():
            drawn += 1
            yield LogJob(number, 100 * number, -1, 10, 1)

    moved = list(islice(shaking(endless(), 1, 1000), 500))
    assert drawn < 500 + 25
    assert all(abs(job.submit_s - 100 * job.number) <= 1000 for job in moved)


@pytest.mark.slow
@given(st.lists(traces, min_size=1, max_size=3), st.lists(times, min_size=3, max_size=3))
def test_merging_keeps_every_job_and_its_user_apart(
    logs: list[list[LogJob]], offsets_s: list[int]
) -> None:
    jobs = list(merged(logs, offsets_s))
    assert [job.number for job in jobs] == list(range(1, len(jobs) + 1))
    known = [job.submit_s for job in jobs if job.submit_s >= 0]
    assert known == sorted(known)

    def kept(job: LogJob, offset_s: int = 0) -> tuple[int, ...]:
        submit_s = job.submit_s + offset_s if job.submit_s >= 0 else -1
        return (submit_s, job.wait_s, job.run_s, job.allocated)

    before = Counter(
        kept(job, offset_s) for log, offset_s in zip(logs, offsets_s, strict=False) for job in log
    )
    assert Counter(map(kept, jobs)) == before
    users = [Counter(job.user for job in log if job.user >= 0) for log in logs]
    expected = sorted(number for log in users for number in log.values())
    assert sorted(Counter(job.user for job in jobs if job.user >= 0).values()) == expected
    assert sum(job.user < 0 for job in jobs) == sum(job.user < 0 for log in logs for job in log)
    assert all(job.preceding < job.number for job in jobs)


def test_merging_follows_the_jobs_that_are_named() -> None:
    one = [LogJob(7, 0, -1, 5, 1), LogJob(8, 20, -1, 5, 1, preceding=7)]
    two = [LogJob(7, 5, -1, 5, 1), LogJob(9, 10, -1, 5, 1, preceding=7)]
    jobs = list(merged([one, two], [0, 0]))
    assert [(job.submit_s, job.preceding) for job in jobs] == [(0, -1), (5, -1), (10, 2), (20, 1)]


@given(log_jobs, st.integers(1, 64))
def test_the_reasons_against_a_job_are_those_of_the_simulation(job: LogJob, size: int) -> None:
    assert (why_not_simulated(job, size) is None) == takes_part(trace_job(job), size)


@given(usable_jobs, times, times)
def test_a_selection_is_what_it_says(job: LogJob, low: int, high: int) -> None:
    assert Selection(least_size=2, most_size=4).takes(job) == (2 <= job.allocated <= 4)
    assert Selection(since_s=low, until_s=high).takes(job) == (low <= job.submit_s < high)
    assert Selection(least_run_s=low, most_run_s=high).takes(job) == (low <= job.run_s <= high)
    assert Selection(users=frozenset({1, 2})).takes(job) == (job.user in (1, 2))
    assert Selection(statuses=frozenset({1})).takes(job) == (job.status == 1)
    unknown = job._replace(submit_s=-1, allocated=-1)
    assert not Selection(since_s=0).takes(unknown)
    assert not Selection(most_size=9).takes(unknown)


def test_order_is_checked_with_the_line() -> None:
    reader = LogReader([LINE, LINE.replace("1 100", "2 90")], Problems())
    with pytest.raises(TraceError, match=r"line 2: submitted at 90.*rmsd trace clean"):
        list(in_arrival_order(reader))
