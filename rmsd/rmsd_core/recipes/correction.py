"""The correction of an expired prediction (thesis 4.2.2, 4.6)."""

from __future__ import annotations

from rmsd_core.model_time import SECOND_US


def corrected_us(
    correct: str, elapsed_us: int, estimate_us: int, corrections: int, overruns: int
) -> int:
    """Return the new prediction, counted from the start, of a job that still runs after
    `elapsed_us`.

    corrections: how often its prediction has been corrected so far; overruns: how many of these
        times it had run for its estimate or longer.

    Below the estimate, the recipe's `correct` decides. "estimate" is the estimate. "gradual" takes
    the steps of `extension_us`, counted from the first correction. "exponential" adds 20%, in whole
    seconds (floor), at least 1 s. No correction is above the estimate. From the estimate on, always
    the steps of `extension_us`, counted from there (4.2.2).
    """
    if elapsed_us >= estimate_us:
        return elapsed_us + extension_us(overruns + 1)
    match correct:
        case "gradual":
            longer_us = elapsed_us + extension_us(corrections + 1)
        case "exponential":
            fifth_s = elapsed_us // (5 * SECOND_US)
            longer_us = elapsed_us + max(1, fifth_s) * SECOND_US
        case _:
            longer_us = estimate_us
    return min(longer_us, estimate_us)


def extension_us(step: int) -> int:
    """Return how much the `step`-th gradual correction adds: 1 min, then 15, 30, 60... (thesis
    4.2.2)."""
    if step == 1:
        return 60 * SECOND_US
    return 15 * 60 * SECOND_US << (step - 2)
