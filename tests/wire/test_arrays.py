"""Arrays as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_wire import arrays
from rmsd_wire.arrays import (
    ArrayError,
    indices_text,
    parse_array,
    parse_indices,
    parse_tasks,
    split_names,
    waiting_text,
)


@pytest.mark.parametrize(
    ("text", "indices", "limit"),
    [
        ("0-15:4%2,20", "0-12:4,20", 2),
        ("5,1-3", "1-3,5", None),
        ("0-10,5", "0-10", None),
        ("0-10:2,5-9:2", "0-4:2,5-10", None),
        ("7", "7", None),
        ("0-99%10", "0-99", 10),
    ],
)
def test_an_array_is_its_indices_in_order(text: str, indices: str, limit: int | None) -> None:
    told = parse_array(text)
    assert set(_expanded(indices_text(told.runs))) == set(_expanded(indices))
    assert told.limit == limit


def _expanded(text: str) -> list[int]:
    return [
        index
        for first, last, step in parse_array(text).runs
        for index in range(first, last + 1, step)
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no list of indices"),
        ("5-3", "runs backwards"),
        ("0-10:0", "no usable step"),
        ("1%0", "at least 1"),
        ("1%2,3%4", "two limits"),
        ("0-9999999", "the highest index"),
        ("0-3999999", "more than 1000000 tasks"),
        ("1," * 40_000, "at most 65536 characters"),
    ],
)
def test_what_is_no_array_is_refused(text: str, why: str) -> None:
    with pytest.raises(ArrayError, match=why):
        parse_array(text)


def test_tasks_have_names() -> None:
    assert parse_tasks("12") == (12, None)
    assert parse_tasks("12_3") == (12, ((3, 3, 1),))
    assert parse_tasks("12_[3-5,7]") == (12, ((3, 5, 1), (7, 7, 1)))
    assert split_names("12_[3-5,7],14, 15_1") == ["12_[3-5,7]", "14", "15_1"]
    assert waiting_text([(0, 15, 1)], 2) == "0-15%2"
    assert waiting_text([], 2) == waiting_text([], None) == ""
    assert waiting_text([(at, at, 1) for at in range(0, 400, 3)], None).endswith(",...")


_parts = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20), st.integers(1, 3)), min_size=1)


@given(_parts)
def test_parts_that_overlap_name_each_task_once(parts: list[tuple[int, int, int]]) -> None:
    text = ",".join(f"{first}-{first + more}:{step}" for first, more, step in parts)
    runs = parse_indices(text)
    named = [index for first, last, step in runs for index in range(first, last + 1, step)]
    assert named == sorted(
        {at for first, more, step in parts for at in range(first, first + more + 1, step)}
    )


def test_large_parts_that_overlap_are_not_put_in_order_task_by_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thousand arrays of a submit, of half a million tasks each, kept the daemon for 115 s."""
    monkeypatch.setattr(arrays, "in_runs", None)
    assert parse_indices("0-499999,5-499999,500000") == ((0, 500_000, 1),)
    with pytest.raises(ArrayError, match="give each task once"):
        parse_indices("0-499999:2,0-100")
