"""The decisions of the core in short scenarios are those of their transcripts, word for word."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from rmsd_core.jobs.phase import TRANSITIONS
from rmsd_core.lifecycle import effects, inputs
from rmsd_core.recipes.extensions import ORDERS, PREDICTORS
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import parse_recipe
from tests.core.transcript import FOLDER, Transcript, tell, transcripts


@cache
def told(path: Path) -> Transcript:
    return tell(path.read_text())


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: str(path.relative_to(FOLDER)))
def test_the_core_answers_as_its_transcript_says(path: Path) -> None:
    """If the new answers are right, `python -m tests.core.transcript` writes them."""
    assert told(path).text == path.read_text()


def test_there_is_a_transcript_of_every_transition() -> None:
    taken = {way for path in transcripts() for one in told(path).instants for way in one.ways}
    table = {
        (before, after)
        for before, by_event in TRANSITIONS.items()
        for event, phases in by_event.items()
        for after in phases
        if before is not after and event != "restore"  # a transcript has one core: test_restore.py
    }
    assert taken <= _two_steps(table)
    assert {(a.__name__, b.__name__) for a, b in table - taken} == set()


def _two_steps(ways: set[tuple[type, type]]) -> set[tuple[type, type]]:
    """Return what a job may do in one instant: an exit, say, moves it to Stopping and to Done."""
    reached = set(ways)
    while more := {(a, d) for a, b in reached for c, d in ways if b is c} - reached:
        reached |= more
    return reached


def test_there_is_a_transcript_of_every_input_and_every_decision() -> None:
    instants = [one for path in transcripts() for one in told(path).instants]
    came_in = {type(item) for one in instants for item in one.inputs}
    decided = {type(item) for one in instants for item in one.answer.decisions}
    assert came_in == set(get_args(inputs.Input))
    assert decided == set(get_args(effects.Decision))


def test_there_is_a_transcript_of_every_part_of_a_recipe() -> None:
    recipes = [parse_recipe(told(path).recipe) for path in transcripts()]
    missing = {
        name: literals - {getattr(recipe, name) for recipe in recipes}
        for name, literals in _values_by_part().items()
    }
    assert {name: values for name, values in missing.items() if values} == {}
    assert any(recipe.trial_us for recipe in recipes)


def _values_by_part() -> dict[str, set[str]]:
    """Return the values of the parts of a recipe that are words."""
    hints = get_type_hints(Recipe)
    literals = {name: set(get_args(hint)) for name, hint in hints.items() if _is_word(hint)}
    return literals | {"order": set(ORDERS), "predict": set(PREDICTORS)}


def _is_word(hint: object) -> bool:
    return get_origin(hint) is Literal


@pytest.mark.parametrize(
    "line",
    [
        "submit 1 cores=2 nodes=2 estimate=50",
        "update 1 feature=fast",
        "exit 1 state=failed",
        "found 1 attempt=1 began=0 mem=5 on n1:4",
        "partitions short:n1:hours=1",
        "accounts physics:share=3",
        "member course ann leaves",
        "hold 1 root",
    ],
)
def test_a_word_that_a_transcript_does_not_know_is_an_error(line: str) -> None:
    """`nodes=2` did nothing, and its author believed the answer."""
    begun = "recipe easy\nnodes n1:4\nat 0\nsubmit 1 cores=2 estimate=50"
    assert tell(f"{begun}\n").instants
    with pytest.raises(ValueError, match="nothing comes of it"):
        tell(f"{begun}\n\nat 1\n{line}\n")
