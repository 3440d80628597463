"""SIGHUP: the configuration is read again, and what can change in a running daemon does."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from rmsd_daemon.setup.config import SETTINGS, Config
from rmsd_daemon.setup.loading import ConfigError

log = structlog.get_logger()


class Configuration:
    """The configuration of a running daemon. `read` reads its file and command line again.
    `refused`: why the latest reading was refused; "" if it was not."""

    def __init__(self, config: Config, read: Callable[[], Config] | None = None) -> None:
        self.in_force = config
        self.refused = ""
        self._read = read

    def reload(self) -> Config | None:
        """Read the configuration again. Return it if settings have changed that hold at once, else
        None. An unusable file changes nothing; settings that need a restart are named in the log.
        """
        if self._read is None:
            return None
        try:
            new = self._read()
        except ConfigError as error:
            self.refused = str(error)
            log.error("config-refused", error=self.refused)
            return None
        self.refused = ""
        changed = [
            row for row in SETTINGS if getattr(new, row.field) != getattr(self.in_force, row.field)
        ]
        if later := [row.key for row in changed if not row.sighup]:
            log.warning("config-needs-restart", settings=later)
        if not (now := [row.key for row in changed if row.sighup]):
            return None
        log.info("config-reloaded", settings=now)
        self.in_force = new
        return new
