"""Fixtures of the agent's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.rig import Rig
from tests.cgroup_trees import cgroup_tree, device_files


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


@pytest.fixture
def tree() -> Iterator[Path]:
    """Yield a cgroup of our own."""
    with cgroup_tree() as path:
        yield path


@pytest.fixture
def cgroup_rig(tree: Path) -> Iterator[tuple[Rig, Path]]:
    """Yield an agent that has not been started yet, and a cgroup for it."""
    made = Rig()
    yield made, tree
    made.close()


@pytest.fixture
def files() -> Iterator[Path]:
    """Yield a directory with the files of two devices, `a0` and `a1`."""
    with device_files() as folder:
        yield folder
