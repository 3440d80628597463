"""Settings of the configuration that the recipe makes no use of."""

from __future__ import annotations

from collections.abc import Iterator

import structlog

from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.third_party import recipe_of

log = structlog.get_logger()

_NO_SHARES = "the recipe {} does not divide the machine by accounts; fair-share,by=account does"
_NO_POINTS = "the recipe {} does not order jobs by points; fair-share does"


def log_without_effect(config: Config) -> None:
    """Log the shares and priorities that the recipe makes no use of."""
    for setting, why in without_effect(config):
        log.warning("setting-without-effect", setting=setting, why=why)


def without_effect(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the shares of accounts, and the priorities of QOS and partitions, that the recipe makes
    no use of, with the reason."""
    recipe = recipe_of(config.recipe)
    if recipe.order != "priority":
        points = [(f"qos.{one.name}", one.priority) for one in config.qos]
        points += [(f"partitions.{one.name}", one.core.priority) for one in config.partitions]
        for name, priority in points:
            if priority:
                yield f"{name}.priority", _NO_POINTS.format(config.recipe)
    if recipe.order != "priority" or recipe.weights.by != "account":
        for account in config.accounts:
            if account.shares != 1:
                yield f"accounts.{account.name}.shares", _NO_SHARES.format(config.recipe)
