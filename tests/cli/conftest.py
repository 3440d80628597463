"""Fixtures of the commands' tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from tests.cli import simulated
from tests.cli.studies import STUDY


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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a trace, a study of it, and a cache of its own."""
    lines = format_swf(sample_trace(120, 16, seed=1), {"MaxProcs": "16"})
    (tmp_path / "sample.swf").write_text("".join(lines))
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path
