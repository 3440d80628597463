"""Decisions are values: nothing in them can change after the call that made them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import pytest

from rmsd_core.jobs.attempt import Attempt
from rmsd_core.lifecycle.effects import Decision


def mutable_parts(kind: Any) -> Iterator[Any]:
    """Yield the types in a type whose objects can change."""
    if (get_origin(kind) or kind) in (list, dict, set) or is_mutable_class(kind):
        yield kind
    parts = list(get_args(kind))
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        parts += get_type_hints(kind).values()
    for one in parts:
        yield from mutable_parts(one)


def is_mutable_class(kind: Any) -> bool:
    parameters = getattr(kind, "__dataclass_params__", None)
    return parameters is not None and not parameters.frozen


@pytest.mark.parametrize("kind", get_args(Decision))
def test_a_decision_has_nothing_that_changes(kind: type) -> None:
    assert list(mutable_parts(kind)) == []


class Launch(NamedTuple):
    """A decision that would not be a value."""

    attempt: Attempt
    names: tuple[list[str], ...] = ()


def test_what_can_change_is_found() -> None:
    assert {Attempt, list[str]} <= set(mutable_parts(Launch))
    assert list(mutable_parts(tuple[str, ...])) == []
