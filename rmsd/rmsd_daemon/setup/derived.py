"""The values that follow from the settings of the daemon."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


class DerivedSettings:
    """The values that follow from the settings of `Config`, which has them."""

    __slots__ = ()

    state_dir: Path
    socket: Path | None
    listen: str | None
    admins: Sequence[str]
    as_users: bool | None
    allow_root_jobs: bool | None
    tls_cert: Path | None
    tls_key: Path | None

    @property
    def runs_as_users(self) -> bool:
        return os.geteuid() == 0 if self.as_users is None else self.as_users

    @property
    def allows_root_jobs(self) -> bool:
        """Return whether root may have jobs: as configured; by default, only if no other account
        can have root's role."""
        if self.allow_root_jobs is None:
            return self.listen is None and not self.admins
        return self.allow_root_jobs

    @property
    def has_users_jobs(self) -> bool:
        """Return whether jobs of other accounts run on this machine, below the state directory."""
        comes_in = self.socket is not None or self.listen is not None
        return comes_in and os.geteuid() == 0 and self.runs_as_users

    @property
    def socket_path(self) -> Path:
        return self.state_dir / "rmsd.sock"

    @property
    def certificate(self) -> tuple[Path, Path]:
        """Return the paths of certificate and key: as configured, else where `rmsd tls new` puts
        them."""
        folder = self.state_dir / "tls"
        return self.tls_cert or folder / "cert.pem", self.tls_key or folder / "key.pem"

    @property
    def database_path(self) -> Path:
        return self.state_dir / "rmsd.db"
