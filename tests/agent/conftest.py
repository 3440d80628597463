"""Fixtures of the agent's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.agent.rig import Rig


@pytest.fixture
def rig_type() -> type[Rig]:
    """Return the kind of `rig`; a module with agents of another kind has a fixture of its own."""
    return Rig


@pytest.fixture
def rig(rig_type: type[Rig]) -> Iterator[Rig]:
    """Yield an agent that has not been started yet."""
    made = rig_type()
    yield made
    made.close()
