"""A parameter of a recipe: its text, its values, and the recipes in which it matters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_core.recipes.recipe import Recipe

Fields = dict[str, Any]
Words = Mapping[str, str]


class Group(NamedTuple):
    """Parameters that say more about one part, and mean nothing unless the recipe has it.

    field: where the recipe keeps them. needs: what the recipe must say. matters: whether it does.
    """

    field: str
    needs: str
    matters: Callable[[Recipe], bool]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of a recipe, or a number in one.

    name, meaning, source: the name as written, the meaning in words, and the source (see
        `recipe`).
    parse: what the text after "=" sets in the recipe, or in its part `group`.
        Raises ValueError if the text is not allowed; the message says which texts are.
    text: its value in a recipe, as it is written.
    words: the words that it may be, with their meanings. takes: what it may be besides.
    relevant: whether it changes anything in a recipe, its group apart.
    """

    name: str
    meaning: str
    source: str
    parse: Callable[[str], Fields]
    text: Callable[[Recipe], str]
    words: Callable[[], Words] = dict
    takes: str = ""
    group: Group | None = None
    relevant: Callable[[Recipe], bool] = lambda _: True

    @property
    def values(self) -> str:
        """Return what the value may be, in short: `none|queue|shortest`, `SECONDS`."""
        return "|".join([*self.words(), *([self.takes] if self.takes else [])])

    def matters(self, recipe: Recipe) -> bool:
        """Return whether the parameter changes anything in this recipe."""
        return (self.group is None or self.group.matters(recipe)) and self.relevant(recipe)
