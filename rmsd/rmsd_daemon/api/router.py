"""The routes of the server: every operation of the table with its handler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Protocol

from aiohttp import web

from rmsd_daemon.front.operations import OPERATIONS


class Part(Protocol):
    """An object with handlers: for each of its operations, the method of that name."""

    OPERATIONS: ClassVar[tuple[str, ...]]


def routes(parts: Iterable[Part]) -> list[web.RouteDef]:
    """Bind the operations to the handlers of their names.

    Raises:
        ValueError: an operation has no handler, or a handler no operation.
    """
    by_name = {name: getattr(part, name) for part in parts for name in part.OPERATIONS}
    if unbound := by_name.keys() ^ {one.name for one in OPERATIONS}:
        raise ValueError(f"operation or handler is missing: {', '.join(sorted(unbound))}")
    return [web.route(one.method, one.path, by_name[one.name]) for one in OPERATIONS]
