"""The length of an output that is being written."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

_FIRST_STEP = 1 << 20
_LONGEST = 1 << 50  # longer than any output


def length_of(has_byte: Callable[[int], bool], begin: int) -> int:
    """Return the present length of an output that has `begin` bytes or more. No answer has the
    length, but answers show whether there is a byte at an offset."""
    step = _FIRST_STEP
    while begin + step < _LONGEST and has_byte(begin + step):
        begin += step
        step *= 2
    beyond = range(begin + step)
    return bisect_left(beyond, True, begin, key=lambda offset: not has_byte(offset))
