"""The verdicts of the study: what must hold of a recipe, log by log."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.better.criteria import (
    Criterion,
    Figures,
    criteria,
    in_enough_copies,
    longest,
)
from rmsd_lab_cli.papers.better.runs import (
    EVERY_LOG,
    GROUPS,
    LOGS,
    LONGEST,
    OURS,
    PERCENTILE,
    SCHEDULERS,
    SLOWDOWN,
    SOURCE,
    WAIT,
    Log,
    copies_of,
    run_of,
)
from rmsd_lab_cli.papers.experiment import Experiment, Finding, Lookup, PaperClaim, Simulation
from rmsd_lab_cli.papers.verdicts import shown

_MEASURES = [one.measure for one in (WAIT, SLOWDOWN, LONGEST, PERCENTILE)]
_REFERENCES = ("EASY", "EASY++", "perfect SJF")


def must_hold(copies: int) -> Experiment:
    """Return the verdict on each of rmsd's recipes on each log. The longest wait is judged on the
    shaken copies as well, where there are some."""
    return Experiment(
        "better-verdicts",
        SOURCE,
        "What must hold, log by log",
        claims=[
            _claim(name, recipe, log, copies if name in LOGS else 0)
            for recipe in OURS
            for name, log in EVERY_LOG.items()
        ],
        remarks=[
            "Each number is followed by the most that it may be. Half way: from EASY++ to perfect "
            "SJF, where EASY waits for a minute or more. The longest wait may be 1.2 times EASY's, "
            "the 99th percentile 1.1 times."
        ],
        also=GROUPS,
    )


def _claim(name: str, recipe: str, log: Log, copies: int) -> PaperClaim:
    recorded = [run_of(log, SCHEDULERS[one]) for one in (recipe, *_REFERENCES)]
    ours = copies_of(log, recipe, copies)
    easy = copies_of(log, SCHEDULERS["EASY"], copies)

    def finding(look_up: Lookup) -> Finding:
        asked = criteria(*(_figures(look_up, run) for run in recorded))
        held = [
            longest(_figures(look_up, one), _figures(look_up, other)).holds
            for one, other in zip(ours, easy, strict=True)
        ]
        return judged(asked, held)

    return PaperClaim(f"{recipe} on {name}", [*recorded, *ours, *easy], _MEASURES, finding)


def judged(asked: Sequence[Criterion], held_in_copies: Sequence[bool]) -> Finding:
    """Return whether all criteria hold, and the numbers, those marked that do not."""
    said = [
        f"{one.name} {shown(one.value)} of {shown(one.most)}{'' if one.holds else ' (no)'}"
        for one in asked
    ]
    enough = in_enough_copies(held_in_copies)
    if held_in_copies:
        within = f"{sum(held_in_copies)} of {len(held_in_copies)}"
        said.append(f"longest wait within its limit in {within} copies{'' if enough else ' (no)'}")
    return Finding(enough and all(one.holds for one in asked), "; ".join(said))


def _figures(look_up: Lookup, run: Simulation) -> Figures:
    return Figures(*(look_up(run, measure) for measure in _MEASURES))
