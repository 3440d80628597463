"""An agent of root, which runs jobs as their users."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from tests.agent.rig import Rig

USER, OTHER = "nobody", "daemon"
UID = pwd.getpwnam(USER).pw_uid


class MultiUserRig(Rig):
    """A rig whose agent takes no jobs of root. Jobs are `USER`'s unless they say otherwise.
    `wrapper` begins the agent's command."""

    root_jobs = False
    wrapper: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.root.chmod(0o711)
        self.work.chmod(0o777)

    def command(self, *options: str) -> list[str]:
        return [*self.wrapper, *super().command(*options)]

    def launch(self, job_id: int, commands: str, **changes: object) -> object:  # type: ignore[override]
        return super().launch(job_id, commands, **{"user": USER, **changes})


def home_of(rig: Rig, name: str, user: str = USER) -> Path:
    """Return a directory that belongs to a user alone."""
    path = rig.root / name
    path.mkdir(mode=0o700)
    os.chown(path, pwd.getpwnam(user).pw_uid, -1)
    return path
