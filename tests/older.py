"""Code of earlier commits, from the repository's own history, to run beside the present one."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def code_of(commit: str, folder: Path) -> dict[str, str]:
    """Put the packages as of `commit` into `folder`; the environment that makes Python use them.

    Skips the test where there is no history that has the commit.
    """
    archive = subprocess.run(
        ["git", "archive", commit, "rmsd", "agents", "client"], cwd=ROOT, capture_output=True
    )
    if archive.returncode:
        pytest.skip(f"no history here with commit {commit}: {archive.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(folder, filter="data")
    paths = [str(folder / name) for name in ("rmsd", "agents", "client")]
    return {"PYTHONPATH": os.pathsep.join(paths)}
