"""A site with Slurm's commands in PATH: Slurm's own or rmsd's."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Site:
    """The environment in which the commands are the site's, and a folder for jobs."""

    env: dict[str, str]
    work: Path

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command in the folder for jobs."""
        return subprocess.run(
            words,
            input=stdin,
            cwd=self.work,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
