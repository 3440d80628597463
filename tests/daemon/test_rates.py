"""Token buckets: nobody gets more than rate and burst, nobody who asks for less waits. The
pauses between an agent's links grow, and are forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_daemon.domain.rates import Pauses, Rates

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
    assert max(waits_s) < 1e-9  # zero up to rounding


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
    assert rates.callers <= 1025


def test_links_of_an_agent_come_ever_more_slowly_and_those_of_others_do_not() -> None:
    pauses = Pauses()
    now_s, opened_s = 1000.0, []
    while now_s < 1600:
        if wait_s := pauses.wait_s("liar", now_s):
            assert pauses.wait_s("liar", now_s) == wait_s  # an attempt in vain costs nothing
            now_s += wait_s * (1 + 1e-9)
        else:
            opened_s.append(now_s)
    assert 10 <= sum(at_s < 1002 for at_s in opened_s) <= 15
    assert sum(at_s >= 1100 for at_s in opened_s) <= 500 / 4.5
    assert pauses.wait_s("honest", now_s) == 0


@given(st.floats(0.05, 10), st.integers(1, 8))
def test_an_agent_whose_link_breaks_some_times_does_not_wait(gap_s: float, times: int) -> None:
    """An agent dials again 50 ms after its link is lost, or later, and opening one takes time."""
    pauses = Pauses()
    minute_s = 0.0
    for _ in range(3):
        assert not any(pauses.wait_s("agent", minute_s + gap_s * 4 * i) for i in range(times))
        minute_s += 4 * gap_s * times + 60


@settings(max_examples=20)
@given(st.integers(1, 3000))
def test_agents_that_were_quiet_are_forgotten_and_others_are_not(agents: int) -> None:
    pauses = Pauses()
    pauses.wait_s("agent", 100_000.0)
    for number in range(agents):
        pauses.wait_s(f"agent{number}", 10.0 * number)
    assert pauses.wait_s("agent", 100_000.001) > 0
    assert pauses.agents <= 1025
