"""The popularity of each of the 20 most popular estimates: the pool algorithm (thesis 5.10.3)."""

from __future__ import annotations

import random
from collections.abc import Mapping

_RANKS = (
    (3, 1, 1, 1),
    (1, 3, 4, 6),
    (4, 4, 10, 5),
    (17, 2, 14, 3),
    (13, 12, 20, 7),
    (7, 9, 2, 2),
    (8, 8, 3, 18),
    (18, 18, 7, 19),
    (2, 6, 12, 4),
    (6, 7, 6, 11),
    (16, 11, 19, 20),
    (10, 20, 5, 9),
    (5, 16, 18, 10),
    (15, 5, 16, 14),
    (14, 14, 9, 13),
    (19, 13, 17, 16),
    (11, 10, 15, 15),
    (12, 15, 13, 17),
    (9, 17, 8, 8),
    (20, 19, 11, 12),
)
"""Table 5.6: popularity ranks by top-20 time rank (0: the longest estimate, then ascending), in
SDSC-106, CTC, KTH4H and BLUE."""

_LOGS = 4


def popularity_ranks(fixed: Mapping[int, int], rng: random.Random) -> list[int]:
    """Return a popularity rank for every top-20 time rank, each of 1 to 20 once.

    A rank may be drawn once a log has had it at this time rank or an earlier one: the more logs
    have had it, the likelier. Of two that are drawn the smaller is taken. A rank that all logs have
    had is taken at once. Line 0 of the table is in the pool from the start, as in the authors'
    program. Otherwise no rank of that line could come to four occurrences.

    fixed: popularity ranks by time rank that are not drawn: that of the longest estimate (time rank
        0), and of those that are given (5.10.4). Where they have emptied the pool, the next lines
        of the table that have a rank left stand in for it.
    """
    taken = set(fixed.values())
    pool: list[int] = []
    ranks = []
    for time_rank, line in enumerate(_RANKS):
        pool += [rank for rank in line if rank not in taken]
        if time_rank in fixed:
            ranks.append(fixed[time_rank])
            continue
        due = [rank for rank in pool if pool.count(rank) == _LOGS]
        candidates = pool or _next_line(time_rank, taken)
        rank = min(due) if due else min(rng.choice(candidates), rng.choice(candidates))
        ranks.append(rank)
        taken.add(rank)
        pool = [other for other in pool if other != rank]
    return ranks


def _next_line(time_rank: int, taken: set[int]) -> list[int]:
    lines = ([rank for rank in line if rank not in taken] for line in _RANKS[time_rank + 1 :])
    return next(line for line in lines if line)
