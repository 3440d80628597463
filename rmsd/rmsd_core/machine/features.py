"""The features that a request may ask for: `fast`, `fast&big`, `fast|big`, `a&b|c`; and how many
nodes must have some: `gpu*2&fast*1`."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from rmsd_core.jobs.gres import Amounts
from rmsd_core.vocabulary import FEATURE_PATTERN

_FEATURE = re.compile(FEATURE_PATTERN, re.ASCII)
_MOST_BYTES = 1024
_COUNTED = re.compile(r"([^*]+)\*\s*([1-9][0-9]{0,6})", re.ASCII)
_MOST_COUNTS = 8
"""The features that a request counts at most: each takes a look at all nodes."""


class FeaturesError(ValueError):
    """The text does not say which features; the message says what is not understood."""


@lru_cache(maxsize=2048)
def alternatives(text: str) -> tuple[frozenset[str], ...]:
    """Return the sets of features of which a node must have one whole set. `&` binds more tightly
    than `|`.

    Raises:
        FeaturesError: the text has something else than features, `&` and `|`.
    """
    if len(text) > _MOST_BYTES:
        raise FeaturesError(f"more than {_MOST_BYTES} characters")
    if any(sign in text for sign in "*[]()"):
        raise FeaturesError("there are &, | and counts (a*2&b*1), and no other signs")
    sets = [frozenset(part.strip() for part in one.split("&")) for one in text.split("|")]
    for name in frozenset[str]().union(*sets):
        if not _FEATURE.fullmatch(name):
            raise FeaturesError(f"'{name[:80]}' is not a feature; write a, a&b or a|b")
    return tuple(sets)


@lru_cache(maxsize=2048)
def counted(text: str) -> tuple[str | None, Amounts]:
    """Return the features that each node must have, or None, and how many nodes must have which.
    Slurm has the brackets of `[rack1*2&rack2*1]`: they change nothing.

    Raises:
        FeaturesError: the text has something else than features, `&` and `|`, or counts with `&`.
    """
    if "*" not in text:
        alternatives(text)
        return text, ()
    plain, counts = [], dict[str, int]()
    inside = text.strip()
    if inside.startswith("[") and inside.endswith("]"):
        inside = inside[1:-1]
    if "|" in inside:
        raise FeaturesError("counts (*) go with & alone")
    for term in map(str.strip, inside.split("&")):
        found = _COUNTED.fullmatch(term)
        name = term if found is None else found[1].strip()
        if len(alternatives(name)) > 1 or name in counts:
            raise FeaturesError(f"'{name[:80]}' is counted twice")
        if found is None:
            plain.append(name)
        else:
            counts[name] = int(found[2])
    if len(counts) > _MOST_COUNTS:
        raise FeaturesError(f"more than {_MOST_COUNTS} features are counted")
    return "&".join(plain) or None, tuple(counts.items())


def both(text: str | None, feature: str) -> str:
    """Return what asks for the feature beside what the text asks for."""
    if text is None:
        return feature
    return "|".join([f"{one}&{feature}" for one in text.split("|")])


def matches(text: str, features: Collection[str]) -> bool:
    """Return whether a node with these features has what is asked for. A text that is no expression
    is the name of one feature."""
    if text in features:
        return True
    try:
        return any(one.issubset(features) for one in alternatives(text))
    except FeaturesError:
        return False
