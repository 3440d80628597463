"""The 8,640 configurations of EASY++ that thesis 4.6 ranks, as recipe texts.

Some are equal by definition, as the thesis says of its own: with a window of one job every metric
is the same, and so are full and partial; with two, average and median; and a partial window of all
jobs falls back for users without any history alone, who have shown no accuracy either, so that
both fallbacks are the estimate.
"""

from __future__ import annotations

import random
from itertools import product

WINDOWS = range(1, 31)


def configurations() -> list[str]:
    """All of them, in one order: `easy++,window=1,type=all,...`."""
    return [
        f"easy++,window={window},type={kind},fullness={fullness},metric={metric},"
        f"fallback={fallback},propagate={propagate},correct={correct}"
        for correct, fallback, propagate, fullness, metric, kind, window in product(
            ("estimate", "gradual", "exponential"),
            ("estimate", "relative"),
            ("no", "yes"),
            ("full", "partial"),
            ("average", "median", "minimum", "maximum"),
            ("all", "immediate", "extended"),
            WINDOWS,
        )
    ]


def sampled(number: int, seed: int) -> list[str]:
    """`number` different ones, drawn evenly, in the order of `configurations`.

    Raises:
        ValueError: there are not as many.
    """
    everything = configurations()
    return [
        everything[at] for at in sorted(random.Random(seed).sample(range(len(everything)), number))
    ]
