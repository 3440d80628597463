"""The papers' names for points in the space of recipes: one literal table."""

from __future__ import annotations

from rmsd_core.job import SECOND_US
from rmsd_core.recipe import Recipe, Starvation

TRIAL_US = 90 * SECOND_US
"""What `timed-X` means unless a length is given (Timed, 3.1)."""

PRESETS: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("fcfs", "first come first served", reserve="nobody", backfill="none"),
        Recipe("easy", "EASY backfilling; thesis 2.3"),
        Recipe("easy-sjbf", "shortest job backfilled first; thesis 4.2.3", backfill="shortest"),
        Recipe("easy-pred", "predictions, never corrected; thesis 4.2.1", predict="recent"),
        Recipe("easy-pcor", "estimates, corrected; thesis 4.2.2", correct="estimate"),
        Recipe(
            "easy+",
            "predictions with correction; thesis 4.2.2",
            predict="recent",
            correct="estimate",
        ),
        Recipe(
            "easy++",
            "EASY+ with SJBF; thesis 4.2.3",
            backfill="shortest",
            predict="recent",
            correct="estimate",
        ),
        Recipe(
            "perfect++",
            "SJBF knowing the run times; thesis 4.2.3",
            backfill="shortest",
            predict="perfect",
        ),
        Recipe("x2", "estimates doubled; thesis 4.4", times=2),
        Recipe(
            "x2+",
            "predictions doubled, with correction; thesis 4.4",
            predict="recent",
            times=2,
            correct="estimate",
        ),
        Recipe(
            "x2++",
            "X2+ with SJBF; thesis 4.4",
            backfill="shortest",
            predict="recent",
            times=2,
            correct="estimate",
        ),
        Recipe("x2perf", "run times doubled; thesis 4.4", predict="perfect", times=2),
        Recipe(
            "x2perf++",
            "run times doubled, with SJBF; thesis 4.4",
            backfill="shortest",
            predict="perfect",
            times=2,
        ),
        Recipe("sjf-easy", "EASY, shortest first; thesis 4.4 (SJF)", order="shortest"),
        Recipe(
            "sjf+",
            "shortest prediction first; thesis 4.4",
            order="shortest",
            predict="recent",
            correct="estimate",
        ),
        Recipe(
            "sjfperf", "shortest run time first; thesis 4.4", order="shortest", predict="perfect"
        ),
        Recipe("ljf-easy", "EASY, longest first", order="longest"),
        Recipe("lxfw", "largest expansion factor and wait; thesis 3.10", order="lxfw"),
        Recipe(
            "conservative",
            "a reservation for everyone; thesis 1.1.2",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "sjf-conservative",
            "planned anew, shortest first; dynP 2",
            order="shortest",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "ljf-conservative",
            "planned anew, longest first; dynP 2",
            order="longest",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "dynp",
            "SJF, FCFS or LJF by the mean estimate; dynP 5",
            order="dynp",
            reserve="everyone",
            backfill="none",
        ),
        Recipe("selective", "reservations past one threshold; Selective 4.1", reserve="starved"),
        Recipe(
            "selective-d",
            "a threshold per category; Selective 4.1",
            reserve="starved",
            starvation=Starvation(differential=True),
        ),
        Recipe(
            "selective-a",
            "threshold: mean slowdown so far; Selective 7",
            reserve="starved",
            starvation=Starvation("adaptive"),
        ),
        Recipe(
            "selective-sa",
            "1.5 times the mean slowdown so far; Selective 7",
            reserve="starved",
            starvation=Starvation("adaptive", scale=1.5),
        ),
    )
}

ALIASES = {"sjf": "sjf-easy", "ljf": "ljf-easy", "sel": "selective", "sel-d": "selective-d"}
"""Other names the papers use."""
