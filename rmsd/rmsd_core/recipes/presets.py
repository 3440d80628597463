"""The papers' names for points in the space of recipes: one literal table.

A source is one line and a citation; `recipe` says what the papers are.
"""

from __future__ import annotations

from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.recipe import History, Recipe, Starvation, Urgency

TRIAL_US = 90 * SECOND_US
"""The length of trials in `timed-X` unless another is given (Timed, 3.1)."""

PRESETS: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("fcfs", "no backfilling; thesis 1.1.1", reserve="nobody", backfill="none"),
        Recipe("easy", "EASY backfilling; thesis 2.3"),
        Recipe("easy-sjbf", "SJBF; thesis 4.2.3", backfill="shortest"),
        Recipe("easy-pred", "EASY that predicts; thesis 4.2.1", predict="recent"),
        Recipe("easy-pcor", "EASY that corrects; thesis 4.2.2", correct="estimate"),
        Recipe(
            "easy+",
            "predicts, corrects; thesis 4.2.2",
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
            "known run times; thesis 4.2.3",
            backfill="shortest",
            predict="perfect",
        ),
        Recipe("x2", "estimates doubled; thesis 4.4", times=2),
        Recipe(
            "x2+",
            "EASY+ doubled; thesis 4.4",
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
        Recipe("thesis-easy", "the thesis's extra; thesis 2.3", extra="needed"),
        Recipe(
            "thesis-x2+",
            "corrects to double; thesis 4.4",
            extra="needed",
            predict="recent",
            times=2,
            correct="multiplied",
        ),
        Recipe(
            "thesis-x2++",
            "the same with SJBF; thesis 4.4",
            extra="needed",
            backfill="shortest",
            predict="recent",
            times=2,
            correct="multiplied",
        ),
        Recipe("x2perf", "known times doubled; thesis 4.4", predict="perfect", times=2),
        Recipe(
            "x2perf++",
            "X2PERF with SJBF; thesis 4.4",
            backfill="shortest",
            predict="perfect",
            times=2,
        ),
        Recipe("sjf-easy", "shortest job first; thesis 4.4", order="shortest"),
        Recipe(
            "sjf+",
            "SJF by predictions; thesis 4.4",
            order="shortest",
            predict="recent",
            correct="estimate",
        ),
        Recipe("sjfperf", "SJF, known run times; thesis 4.4", order="shortest", predict="perfect"),
        Recipe("ljf-easy", "longest estimate first; dynP 2", order="longest"),
        Recipe("lxfw", "XFactor and wait; thesis 3.10", order="lxfw"),
        Recipe("fair-share", "fair shares; Slurm, multifactor", order="priority"),
        Recipe(
            "rmsd",
            "trials, speculation; rmsd",
            order="aged-area",
            predict="matched",
            history=History(propagate=True),
            correct="estimate",
            starve="virtual-easy",
            urgency=Urgency(believes="estimate"),
            trial_us=150 * SECOND_US,
            kill="least-elapsed",
            remaining=True,
            speculates=True,
        ),
        Recipe(
            "rmsd-even",
            "rmsd, urgent after 28 h; rmsd",
            order="wfp3",
            predict="matched",
            history=History(propagate=True),
            correct="estimate",
            starve="virtual-easy",
            urgency=Urgency(ceiling_us=28 * 3600 * SECOND_US, believes="estimate"),
            trial_us=150 * SECOND_US,
            kill="least-elapsed",
            remaining=True,
            speculates=True,
        ),
        Recipe(
            "rmsd-gentle",
            "aged, urgent first; rmsd",
            order="aged-area",
            predict="matched",
            history=History(propagate=True),
            correct="estimate",
            starve="virtual-easy",
            urgency=Urgency(fraction=0.7, believes="estimate"),
        ),
        Recipe(
            "conservative",
            "every job reserved; thesis 1.1.2",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "sjf-conservative",
            "plans shortest first; dynP 2",
            order="shortest",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "ljf-conservative",
            "plans longest first; dynP 2",
            order="longest",
            reserve="everyone",
            backfill="none",
        ),
        Recipe(
            "dynp",
            "switches by the mean; dynP 5",
            order="dynp",
            reserve="everyone",
            backfill="none",
        ),
        Recipe("selective", "starved: promised; Selective 4.1", reserve="starved"),
        Recipe(
            "selective-d",
            "starved: category; Selective 4.1",
            reserve="starved",
            starvation=Starvation(differential=True),
        ),
        Recipe(
            "selective-a",
            "starved: the mean; Selective 7",
            reserve="starved",
            starvation=Starvation("adaptive"),
        ),
        Recipe(
            "selective-sa",
            "starved: 1.5 x mean; Selective 7",
            reserve="starved",
            starvation=Starvation("adaptive", scale=1.5),
        ),
    )
}

ALIASES = {"sjf": "sjf-easy", "ljf": "ljf-easy", "sel": "selective", "sel-d": "selective-d"}
"""Other names the papers use."""
