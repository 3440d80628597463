"""Token buckets: nobody gets more than rate and burst, nobody who asks for less waits."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_daemon.rates import Rates

_gaps_s = st.lists(st.floats(0, 5), min_size=1, max_size=60)


@given(_gaps_s, st.floats(0.5, 100), st.floats(1, 50), st.floats(0, 2))
def test_no_more_is_granted_than_rate_and_burst(
    gaps_s: list[float], rate: float, burst: float, longest_s: float
) -> None:
    rates = Rates(rate, burst)
    granted_s = []
    now_s = 0.0
    for gap_s in gaps_s:
        now_s += gap_s
        wait_s = rates.wait_s("ann", 1, now_s, longest_s)
        assert wait_s >= 0
        if wait_s <= longest_s:
            granted_s.append(now_s + wait_s)
    for first, start_s in enumerate(granted_s):
        for last in range(first, len(granted_s)):
            most = burst + rate * (granted_s[last] - start_s) + 1
            assert last - first + 1 <= most + 1e-6


@given(st.integers(1, 100), st.integers(1, 50))
def test_who_keeps_to_the_rate_never_waits(rate: int, burst: int) -> None:
    rates = Rates(rate, burst)
    waits_s = [rates.wait_s("ann", 1, 2 * i / rate, 1.0) for i in range(200)]
    assert max(waits_s) < 1e-9  # but for rounding


def test_a_burst_is_free_what_comes_then_waits_its_turn_and_a_refusal_costs_nothing() -> None:
    rates = Rates(10, 5)
    assert [round(rates.wait_s("ann", 1, 100.0, 0.2), 3) for _ in range(9)] == [
        *[0.0] * 5, 0.1, 0.2, 0.3, 0.3,
    ]  # fmt: skip
    assert rates.wait_s("bob", 1, 100.0, 0.2) == 0


def test_what_costs_more_than_the_burst_empties_a_full_bucket() -> None:
    rates = Rates(10, 5)
    assert rates.wait_s("ann", 1000, 100.0, 1.0) == 0
    assert rates.wait_s("ann", 1, 100.0, 1.0) == pytest.approx(0.1)


@settings(max_examples=20)
@given(st.integers(1, 3000))
def test_those_who_were_quiet_are_forgotten_and_others_are_not(callers: int) -> None:
    rates = Rates(1, 2)
    rates.wait_s("ann", 2, 1000.0, 1)
    for number in range(callers):
        rates.wait_s(f"user{number}", 1, 0.0, 1)
    assert rates.wait_s("ann", 1, 1000.0, 0) > 0.5
    assert len(rates._due_s) <= 1025
