"""The features that a request may ask for: `fast`, `fast&big`, `fast|big`, `a&b|c`."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from rmsd_core.vocabulary import FEATURE_PATTERN

_FEATURE = re.compile(FEATURE_PATTERN, re.ASCII)
_MOST_BYTES = 1024


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
        raise FeaturesError("counts (*) and brackets are not supported; there are & and |")
    sets = [frozenset(part.strip() for part in one.split("&")) for one in text.split("|")]
    for name in frozenset[str]().union(*sets):
        if not _FEATURE.fullmatch(name):
            raise FeaturesError(f"'{name[:80]}' is not a feature; write a, a&b or a|b")
    return tuple(sets)


def matches(text: str, features: Collection[str]) -> bool:
    """Return whether a node with these features has what is asked for. A text that is no expression
    is the name of one feature."""
    if text in features:
        return True
    try:
        return any(one.issubset(features) for one in alternatives(text))
    except FeaturesError:
        return False
