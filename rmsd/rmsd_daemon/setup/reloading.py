"""SIGHUP: the configuration is read again, and what can change in a running daemon does."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from rmsd_daemon.setup.config import SETTINGS, Config
from rmsd_daemon.setup.loading import ConfigError

log = structlog.get_logger()

AT_ONCE = ("operators", "admins", "partitions", "accounts", "qos", "cores", "mem", "gres")
"""The settings that change without a restart."""


class Configuration:
    """The configuration of a running daemon. `read` reads its file and command line again."""

    def __init__(self, config: Config, read: Callable[[], Config] | None = None) -> None:
        self.in_force = config
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
            log.error("config-refused", error=str(error))
            return None
        fields = {row.key: row.field for row in SETTINGS}
        changed = [
            key
            for key, field in fields.items()
            if getattr(new, field) != getattr(self.in_force, field)
        ]
        if later := [key for key in changed if key not in AT_ONCE]:
            log.warning("config-needs-restart", settings=later)
        now = [key for key in changed if key in AT_ONCE]
        if not now:
            return None
        log.info("config-reloaded", settings=now)
        self.in_force = new
        return new
