"""SIGHUP: the configuration is read again, and what can change in a running daemon does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import structlog

from rmsd_daemon.setup.config import SETTINGS, Config
from rmsd_daemon.setup.loading import ConfigError
from rmsd_daemon.setup.unknown_names import log_unknown
from rmsd_daemon.setup.without_effect import log_without_effect

log = structlog.get_logger()


class Configuration:
    """The configuration of a running daemon. `read` reads its file and command line again.
    `in_force`: what holds now; settings that need a restart are those of the start. `refused`: why
    the latest reading was refused; "" if it was not. `awaits_restart`: the keys of the settings
    that the file has changed by then, and that hold after a restart."""

    def __init__(self, config: Config, read: Callable[[], Config] | None = None) -> None:
        self.in_force = config
        self.refused = ""
        self.awaits_restart: list[str] = []
        self._read = read

    def reload(self) -> Config | None:
        """Read the configuration again. Return what is in force if settings have changed that hold
        at once, else None. An unusable file changes nothing; settings that need a restart are named
        in the log at each SIGHUP, until the file has them again as they were at the start.
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
        self.awaits_restart = [row.key for row in changed if not row.sighup]
        if self.awaits_restart:
            log.warning("config-needs-restart", settings=self.awaits_restart)
        if not (now := [row for row in changed if row.sighup]):
            return None
        log.info("config-reloaded", settings=[row.key for row in now])
        values = {row.field: getattr(new, row.field) for row in now}
        self.in_force = replace(self.in_force, **values)
        log_unknown(self.in_force)
        log_without_effect(self.in_force)
        return self.in_force
