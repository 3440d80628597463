"""The routes of the server: every operation of the table with its handler."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Handler

from rmsd_daemon.front.operations import OPERATIONS


def routes(handlers: Iterable[Handler]) -> list[web.RouteDef]:
    """Bind the operations to the handlers of their names.

    Raises:
        ValueError: an operation has no handler, or a handler no operation.
    """
    by_name = {handler.__name__: handler for handler in handlers}
    if unbound := by_name.keys() ^ {one.name for one in OPERATIONS}:
        raise ValueError(f"operation or handler is missing: {', '.join(sorted(unbound))}")
    return [web.route(one.method, one.path, by_name[one.name]) for one in OPERATIONS]
