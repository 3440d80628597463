"""Fixtures of the commands' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import simulated


@pytest.fixture
def swf_text() -> str:
    """Return the jobs of `swf`. A module whose tests take other jobs has a fixture of its own."""
    return simulated.SWF


@pytest.fixture
def swf(tmp_path: Path, swf_text: str) -> Path:
    """Return a trace of a few jobs, which a test may write anew."""
    path = tmp_path / "tiny.swf"
    path.write_text(swf_text)
    return path
