"""A site with the commands of another system, for tests."""

from __future__ import annotations

import os
import subprocess

from tests.commands import BIN
from tests.live import Daemon


class CommandSite:
    """A daemon, and the folder of the commands for it. `writer`: the words of `rmsd` that write the
    commands."""

    def __init__(self, daemon: Daemon, *writer: str) -> None:
        self.daemon = daemon
        self.bin = daemon.root / "bin"
        subprocess.run([BIN / "rmsd", *writer, self.bin], check=True)
        daemon.env["PATH"] = f"{self.bin}:{os.environ['PATH']}"

    def run(
        self, *words: str, stdin: str | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder for jobs; `env` is added to the environment."""
        return subprocess.run(
            words,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            cwd=self.daemon.work,
            env={**self.daemon.env, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def out(self, *words: str, stdin: str | None = None, **env: str) -> str:
        """Return what a command prints that succeeds."""
        done = self.run(*words, stdin=stdin, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read(self, name: str) -> str:
        """Return the text of a file in the folder for jobs."""
        return (self.daemon.work / name).read_text()
