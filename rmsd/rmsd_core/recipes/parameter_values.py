"""Readers of the values of parameters: each returns the fields that a text sets in a recipe.

Each raises ValueError for a text that is not allowed; the message says which texts are.
"""

from __future__ import annotations

from collections.abc import Callable

from rmsd_core.model_time import SECOND_US, UNLIMITED_US
from rmsd_core.recipes.parameter import Fields, Words
from rmsd_core.recipes.parameter_words import (
    DEPTH,
    THRESHOLD,
    URGENT,
    planners,
    reserves,
)
from rmsd_core.recipes.recipe import MATCHING_KEYS

_LARGEST = 1_000_000
_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_STEEPEST = 10
"""The largest exponent of a size: the area of the largest jobs remains a number."""
_LONGEST_S = UNLIMITED_US // SECOND_US


def word(field: str, words: Callable[[], Words], **aliases: str) -> Callable[[str], Fields]:
    def parse(text: str) -> Fields:
        known = aliases.get(text, text)
        if known not in words():
            raise ValueError(f"it is one of {', '.join(words())}")
        return {field: known}

    return parse


def flag(field: str, words: Callable[[], Words], true: str) -> Callable[[str], Fields]:
    parse = word(field, words)
    return lambda text: {field: parse(text)[field] == true}


def count(text: str, most: int = _LARGEST) -> int:
    if not _is_whole(text) or not 1 <= int(text) <= most:
        raise ValueError(f"it is a whole number from 1 to {most:,}")
    return int(text)


def points(text: str) -> int:
    if not _is_whole(text) or int(text) > _LARGEST:
        raise ValueError(f"it is a whole number from 0 to {_LARGEST:,}")
    return int(text)


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _number(text: str, least: float, most: int = _LARGEST) -> float:
    allowed = f"it is a number from {least:g} to {most:,}"
    try:
        number = float(text)
    except ValueError:
        raise ValueError(allowed) from None
    if not least <= number <= most:
        raise ValueError(allowed)
    return number


def factor(field: str) -> Callable[[str], Fields]:
    return lambda text: {field: _number(text, 0.001)}


def exponent(text: str) -> Fields:
    return {"exponent": _number(text, 0, _STEEPEST)}


def seconds_us(text: str, least_s: int) -> int:
    if not _is_whole(text) or not least_s <= int(text) <= _LONGEST_S:
        raise ValueError(f"it is whole seconds, from {least_s} to {_LONGEST_S:,}")
    return int(text) * SECOND_US


def reserve(text: str) -> Fields:
    known = reserves()
    if text in known:
        return {"reserve": text}
    try:
        number = count(text)
    except ValueError:
        raise ValueError(f"it is one of {', '.join(known)}, or a number of jobs") from None
    return {"reserve": "head"} if number == 1 else {"reserve": "first", "depth": number}


def planner(text: str) -> Fields:
    fields = word("planner", planners)(text)
    if text == "parts":
        return fields
    return fields | {"reserve": "planner", "backfill": "none", "depth": None}


def depth(text: str) -> Fields:
    if text in DEPTH:
        return {"depth": None}
    try:
        return {"depth": count(text)}
    except ValueError as error:
        raise ValueError(f"{error}, or one of {', '.join(DEPTH)}") from None


def threshold(text: str) -> Fields:
    if text in THRESHOLD:
        return {"source": text, "values": ()}
    try:
        return {"source": "given", "values": (_number(text, 1),), "differential": False}
    except ValueError as error:
        raise ValueError(f"{error}, or one of {', '.join(THRESHOLD)}") from None


def thresholds(text: str) -> Fields:
    if text in THRESHOLD:
        return {"source": text, "values": (), "differential": True}
    try:
        values = tuple(_number(part, 1) for part in text.split("/"))
    except ValueError:
        values = ()
    if len(values) != 4:
        raise ValueError(
            f"it is four numbers SN/SW/LN/LW from 1 to {_LARGEST:,}, "
            f"or one of {', '.join(THRESHOLD)}"
        )
    return {"source": "given", "values": values, "differential": True}


def time_us(text: str, least_s: int) -> int:
    """Read seconds, or a number with a unit: 90s, 30m, 24h, 2d."""
    number, unit_s = (text[:-1], _UNITS_S[text[-1:]]) if text[-1:] in _UNITS_S else (text, 1)
    if not _is_whole(number) or not least_s <= int(number) * unit_s <= _LONGEST_S:
        raise ValueError(
            f"it is whole seconds, from {least_s} to {_LONGEST_S:,}, or a number with a unit, as "
            "in 24h"
        )
    return int(number) * unit_s * SECOND_US


def after(text: str) -> Fields:
    after_us = time_us(text, 1)
    return {"source": "wait", "values": (), "differential": False, "after_us": after_us}


def believes(text: str) -> Fields:
    if text not in URGENT:
        raise ValueError(f"it is one of {', '.join(URGENT)}")
    return {"believes": text.removesuffix("s")}


def keys(text: str) -> Fields:
    """Read what runs and jobs have in common: user+estimate/user."""
    chosen = tuple(text.split("/"))
    if len(set(chosen)) < len(chosen) or not set(chosen) <= set(MATCHING_KEYS):
        known = ", ".join(MATCHING_KEYS)
        raise ValueError(f"it is one or more of {known}, with / between them, each once")
    return {"keys": chosen}


def bounds(text: str) -> Fields:
    lower, slash, upper = text.partition("/")
    if not slash:
        raise ValueError("it is LOWER/UPPER in seconds")
    limits = {"lower_us": seconds_us(lower, 1), "upper_us": seconds_us(upper, 1)}
    if limits["lower_us"] > limits["upper_us"]:
        raise ValueError("the lower bound is above the upper one")
    return limits
