"""The data of pictures: nothing is lost that can be seen, and nothing overlaps."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab.charts.cells import NOBODY, CellBlock, cells
from rmsd_lab.charts.cumulative import cumulative
from rmsd_lab.charts.gantt import KILLED, gantt_of
from rmsd_lab.charts.rows import RowRange, RowSpan, Want, packed
from rmsd_lab.charts.series import queue_length, thinned
from rmsd_lab.charts.ticks import time_ticks
from rmsd_lab.schedule import Scheduled
from rmsd_lab.simulation.simulation import simulate
from rmsd_lab.workloads.swf import TraceJob
from tests.core.schedules import MACHINE, schedules
from tests.core.strategies import preset_texts, timed, traces

WIDTH_US = 7 * SECOND_US

values = st.lists(st.integers(0, 30).map(float), max_size=60)
steps = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(0, 9).map(float)),
    max_size=80,
    unique_by=lambda step: step[0],
).map(sorted)


@given(values, st.integers(1, 20))
def test_every_point_lies_on_the_distribution(numbers: list[float], points: int) -> None:
    found = cumulative(numbers, points)
    assert len(found) <= points + 1
    for value, share in found:
        assert share == sum(number <= value for number in numbers) / len(numbers)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(found))
    if numbers:
        assert found[0][0] == min(numbers)
        assert found[-1] == (max(numbers), 1.0)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=60, unique=True), st.integers(1, 20))
def test_no_part_of_a_distribution_is_left_out(numbers: list[float], points: int) -> None:
    shares = [share for _, share in cumulative(numbers, points)]
    assert all(b - a <= 1 / points + 1 / len(numbers) for a, b in pairwise(shares))


@given(steps, st.integers(1, 10))
def test_thinning_keeps_ends_and_extremes_of_every_column(
    line: list[tuple[int, float]], columns: int
) -> None:
    found = thinned(line, columns)
    assert len(found) <= 4 * columns
    assert found == sorted(set(found) & set(line))
    if not line:
        return
    assert (found[0], found[-1]) == (line[0], line[-1])
    assert max(value for _, value in found) == max(value for _, value in line)
    assert min(value for _, value in found) == min(value for _, value in line)


@given(schedules())
def test_the_queue_is_as_long_as_jobs_wait(jobs: list[Scheduled]) -> None:
    line = queue_length(jobs)
    assert line[-1][1] == 0
    for since_us, length in line:
        assert length == sum(job.submit_us <= since_us < job.start_us for job in jobs)


def spans_of(jobs: list[Scheduled]) -> list[RowSpan]:
    return [RowSpan(job.start_us, job.end_us, (Want(0, MACHINE, job.size),)) for job in jobs]


def held(pieces: tuple[RowRange, ...]) -> list[int]:
    return [row for piece in pieces for row in range(piece.first, piece.first + piece.rows)]


def assert_nothing_overlaps(spans: list[RowSpan], placed: list[tuple[RowRange, ...]]) -> None:
    for at, (span, pieces) in enumerate(zip(spans, placed, strict=True)):
        rows = held(pieces)
        assert len(set(rows)) == len(rows) == sum(want.rows for want in span.wants)
        for other, others in zip(spans[:at], placed[:at], strict=True):
            together = max(span.start_us, other.start_us) < min(span.end_us, other.end_us)
            assert not together or not set(rows) & set(held(others))


@given(schedules())
def test_jobs_of_a_schedule_have_rows_of_their_own_on_the_machine(jobs: list[Scheduled]) -> None:
    spans = spans_of(jobs)
    placed = packed(spans, MACHINE)
    assert_nothing_overlaps(spans, placed)
    assert all(row < MACHINE for pieces in placed for row in held(pieces))


_nodes = st.lists(
    st.builds(
        lambda node, count: Want(4 * node, 4 * node + 4, count),
        st.integers(0, 2),
        st.integers(1, 4),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda want: want.first,
).map(tuple)
_spans = st.lists(
    st.builds(
        lambda start, run, wants: RowSpan(start, start + run, wants),
        st.integers(0, 12),
        st.integers(0, 6),
        _nodes | st.integers(1, 12).map(lambda count: (Want(0, 12, count),)),
    ),
    max_size=15,
)


@given(_spans)
def test_rows_never_overlap_and_are_of_their_node_while_it_has_room(spans: list[RowSpan]) -> None:
    """If more jobs run than there is room for, the rest is drawn beyond the machine."""
    placed = packed(spans, 12)
    assert_nothing_overlaps(spans, placed)
    for at, (span, pieces) in enumerate(zip(spans, placed, strict=True)):
        for row in held(pieces):
            assert row >= 12 or any(want.first <= row < want.end for want in span.wants)
        if any(row >= 12 for row in held(pieces)):
            others = {
                row
                for other, one in zip(spans, placed, strict=True)
                if other is not spans[at] and other.start_us <= span.start_us < other.end_us
                for row in held(one)
            }
            mine = set(held(pieces))
            assert any(set(range(want.first, want.end)) <= others | mine for want in span.wants), (
                "a row of its own range was free"
            )


def test_first_fit_takes_the_lowest_hole_and_parts_only_if_it_must() -> None:
    def span(start: int, end: int, count: int) -> RowSpan:
        return RowSpan(start, end, (Want(0, 6, count),))

    spans = [span(0, 5, 2), span(0, 9, 1), span(0, 7, 2), span(5, 9, 1), span(7, 9, 4)]
    assert packed(spans, 6) == [
        ((0, 2),),
        ((2, 1),),
        ((3, 2),),
        ((0, 1),),
        ((1, 1), (3, 3)),
    ]


@given(schedules(), st.integers(1, 9))
def test_a_cell_is_of_who_holds_most_of_it(jobs: list[Scheduled], columns: int) -> None:
    placed = packed(spans_of(jobs), MACHINE)
    blocks = [
        CellBlock(at, job.start_us, job.end_us, *piece)
        for at, (job, pieces) in enumerate(zip(jobs, placed, strict=True))
        for piece in pieces
    ]
    since_us = jobs[0].submit_us
    until_us = since_us + WIDTH_US * columns
    lines = [(0, 3), (3, 4), (4, MACHINE)]
    found = cells(blocks, lines, since_us, until_us, columns)
    assert [len(line) for line in found] == [columns] * len(lines)
    for (first, end), line in zip(lines, found, strict=True):
        for column, owner in enumerate(line):
            left = since_us + WIDTH_US * column
            right = left + WIDTH_US
            areas = [0] * len(jobs)
            for block in blocks:
                rows = max(0, min(end, block.first + block.rows) - max(first, block.first))
                areas[block.owner] += rows * max(
                    0, min(right, block.end_us) - max(left, block.start_us)
                )
            if 2 * sum(areas) < WIDTH_US * (end - first):
                assert owner == NOBODY
            else:
                assert areas[owner] == max(areas)


def test_cells_need_time() -> None:
    with pytest.raises(ValueError, match="no time"):
        cells([], [(0, 1)], 5, 5, 10)


@given(st.floats(0, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_inside_even_and_few(low: float, span: float, most: int) -> None:
    found = time_ticks(low, low + span, most)
    assert len(found) <= most + 1
    assert all(low - 1e-6 * span <= at <= low + span * (1 + 1e-6) for at in found)
    gaps = [b - a for a, b in pairwise(found)]
    assert gaps == pytest.approx([gaps[0]] * len(gaps)) if gaps else True
    assert all(gap > 0 for gap in gaps)


def test_ticks_are_round() -> None:
    assert time_ticks(0, 7200) == [0, 1800, 3600, 5400, 7200]
    assert time_ticks(0, 30 * 86400.0, 6) == [day * 86400.0 for day in (0, 5, 10, 15, 20, 25, 30)]


@pytest.mark.slow
@given(traces, timed(preset_texts()))
def test_killed_trials_are_drawn_for_as_long_as_they_ran(
    trace: list[TraceJob], recipe: str
) -> None:
    """Killed trials are drawn on the machine, beside everything else that ran then."""
    schedule = simulate(trace, MACHINE, parse_recipe(recipe))
    gantt = gantt_of(schedule, recipe)
    lost_us = Counter[int]()
    for bar in gantt.bars:
        if bar.kind == KILLED:
            lost_us[bar.job_id] += bar.end_us - bar.start_us
    assert {job.job_id: lost_us[job.job_id] for job in schedule} == {
        job.job_id: job.lost_us for job in schedule
    }
    assert gantt.rows == MACHINE
