"""All harnesses by name. Each is loaded by itself, so that one run measures one."""

from __future__ import annotations

from importlib import import_module

from tests.fuzz.harness import Harness

NAMES = (
    *("traces", "accounting", "studies", "options", "notations", "frames"),
    *("configuration", "answers", "bodies", "tokens"),
)


def harness(name: str) -> Harness:
    found: Harness = import_module(f"tests.fuzz.{name}").HARNESS
    return found
