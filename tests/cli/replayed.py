"""The trace that most tests of replays use."""

from __future__ import annotations

SWF = "; MaxProcs: 4\n" + "".join(
    f"{number} {100 + 60 * number} -1 {run} {size} -1 -1 {size} {estimate} -1 1 {user}"
    " -1 -1 -1 -1 -1 -1\n"
    for number, run, size, estimate, user in [
        (1, 1000, 4, 2000, 1),
        (2, 600, 3, 600, 2),
        (3, 400, 4, 500, 1),
        (4, 300, 1, 300, 2),
        (5, 900, 2, 450, 3),
        (6, 0, 1, 60, 3),
    ]
)
