"""Durations, sizes and host lists: what is written can be read again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_wire.durations import format_duration, parse_duration_s
from rmsd_wire.hostlist import HostList, HostlistError, compress, expand, short_counts
from rmsd_wire.sizes import format_mem, parse_mem_mib


@settings(deadline=None)
@given(st.integers(1, 10 * 365 * 86400))
def test_durations(seconds: int) -> None:
    assert parse_duration_s(format_duration(seconds)) == seconds


@settings(deadline=None)
@given(st.integers(0, 1 << 40))
def test_sizes(mib: int) -> None:
    assert parse_mem_mib(format_mem(mib)) == mib


_names = st.builds(
    lambda stem, digits: stem + digits,
    st.sampled_from(["n", "gpu-", "a1b", "x.y-0z", "rack"]),
    st.one_of(st.just(""), st.from_regex(r"[0-9]{1,5}", fullmatch=True)),
)


@settings(deadline=None)
@given(st.lists(_names))
def test_host_lists(names: list[str]) -> None:
    assert expand(compress(names)) == names


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(1, 300), st.integers(1, 4))
def test_host_ranges(first: int, count: int, width: int) -> None:
    names = [f"n{i:0{width}d}" for i in range(first, first + count)]
    assert expand(compress(names)) == names


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.lists(_names)))
def test_host_lists_in_parts(parts: list[list[str]]) -> None:
    """The daemon makes those of thousands of nodes in parts."""
    made = HostList()
    for names in parts:
        made.add(names)
    assert made.text() == compress([name for names in parts for name in names])


def test_a_name_with_more_digits_than_a_number_has_leaves_the_others() -> None:
    names = ["n1", "n2", f"n{10**19}", "n3"]
    assert compress(names) == f"n[1-2],n{10**19},n3"


@pytest.mark.slow
def test_a_host_list_has_a_million_names_at_most() -> None:
    for text in ("n[0-999999,0-999999]", "n[0-999999],m[7]", f"{'a' * 300}[1-9]"):
        with pytest.raises(HostlistError, match="more than"):
            expand(text)
    assert len(expand("n[0-999999]")) == 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "text"),
    [([], ""), ([4], "4"), ([2, 2, 1], "2(x2),1"), ([1, 2, 2, 1], "1,2(x2),1")],
)
def test_equal_counts_side_by_side_are_written_once(counts: list[int], text: str) -> None:
    assert short_counts(counts) == text
