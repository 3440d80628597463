"""A site with Slurm's commands, for tests."""

from __future__ import annotations

import os
import subprocess
from typing import Any

from tests.commands import BIN
from tests.live import Daemon
from tests.waiting import wait_until


class SlurmSite:
    """A daemon, and the folder of the commands for it."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.bin = daemon.root / "bin"
        subprocess.run([BIN / "rmsd", "slurm-commands", self.bin], check=True)
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

    def submit(self, *words: str, stdin: str | None = None, **env: str) -> str:
        """Return the number of a job that sbatch submits with these words."""
        return self.out("sbatch", "--parsable", *words, stdin=stdin, **env).strip()

    def state(self, job: str) -> str:
        """Return a job's state as sacct shows it."""
        return self.out("sacct", "-X", "-n", "-P", "-o", "State", "-j", job).strip()

    def wait(self, job: str) -> str:
        """Return the state of a job once it is over."""
        live = ("PENDING", "RUNNING", "CONFIGURING")
        return str(wait_until(lambda: found if (found := self.state(job)) not in live else ""))

    def wait_for(self, job: str, state: str) -> None:
        wait_until(lambda: self.state(job) == state)

    def read(self, name: str) -> str:
        """Return the text of a file in the folder for jobs."""
        return (self.daemon.work / name).read_text()

    def write(self, name: str, text: str) -> str:
        (self.daemon.work / name).write_text(text)
        return name

    def job(self, number: str) -> dict[str, Any]:
        """Return a job as the daemon knows it."""
        return self.daemon.client.job(int(number))
