"""A site with Slurm's commands, for tests."""

from __future__ import annotations

from typing import Any

from tests.client.command_site import CommandSite
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until


class SlurmSite(CommandSite):
    """A daemon, and the folder of Slurm's commands for it."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon, "slurm-commands")

    def submit(self, *words: str, stdin: str | None = None, **env: str) -> str:
        """Return the number of a job that sbatch submits with these words."""
        return self.out("sbatch", "--parsable", *words, stdin=stdin, **env).strip()

    def state(self, job: str) -> str:
        """Return a job's state as sacct shows it."""
        return self.out("sacct", "-X", "-n", "-P", "-o", "State", "-j", job).strip()

    def wait(self, job: str) -> str:
        """Return the state of a job once it is over, as `sacct` tells it."""
        self.daemon.client.wait(job, DEADLINE_S)
        live = ("PENDING", "RUNNING", "CONFIGURING")
        return str(wait_until(lambda: found if (found := self.state(job)) not in live else ""))

    def wait_for(self, job: str, state: str) -> None:
        wait_until(lambda: self.state(job) == state)

    def write(self, name: str, text: str) -> str:
        (self.daemon.work / name).write_text(text)
        return name

    def job(self, number: str) -> dict[str, Any]:
        """Return a job as the daemon knows it."""
        return self.daemon.client.job(int(number))
