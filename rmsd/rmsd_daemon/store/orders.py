"""The orders that the queue was in, as the events tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Text, select, type_coerce

from rmsd_core.recipes.text import RecipeError, parse_recipe
from rmsd_daemon.store.predictions import first_since
from rmsd_daemon.store.records import RESTORED
from rmsd_daemon.store.rows import in_time
from rmsd_daemon.store.tables import EVENT
from rmsd_wire.api.orders import MOST_ORDERS
from rmsd_wire.malformed import MALFORMED


class OrderSince(NamedTuple):
    """The queue was in `order` from `since_us` on."""

    since_us: int
    order: str


_TELLING = (
    select(EVENT.c.model_us, EVENT.c.kind, type_coerce(EVENT.c.payload, Text))
    .where(EVENT.c.kind.in_(("switch", RESTORED)))
    .order_by(EVENT.c.id)
)


def orders_between(
    connection: Connection,
    since_us: int,
    until_us: int,
    gone: Callable[[], bool] = lambda: False,
) -> list[OrderSince]:
    """Return the orders that the queue was in from `since_us` to `until_us`, one more than
    `MOST_ORDERS` if there are too many. The search goes back to the latest start of the daemon
    before that time, which tells the recipe.

    Raises:
        SearchError: the search takes too long, or its caller is gone.
    """
    with in_time(connection, gone):
        first = first_since(connection, since_us, 1)
        end = first_since(connection, until_us + 1, first)
        start = select(EVENT.c.id).where(EVENT.c.kind == RESTORED, EVENT.c.id < first)
        begun = connection.execute(start.order_by(EVENT.c.id.desc()).limit(1)).scalar() or first
        query = _TELLING.where(EVENT.c.id >= begun, EVENT.c.id < end)
        found: list[OrderSince] = []
        for at_us, kind, payload in connection.execute(query):
            try:
                order = _order(kind, msgspec.json.decode(payload))
            except (TypeError, KeyError, RecipeError, *MALFORMED):
                continue
            if found and found[-1].order == order:
                continue
            if at_us <= since_us:
                found.clear()  # the order that is in force as the time begins is enough
            found.append(OrderSince(at_us, order))
            if len(found) > MOST_ORDERS:
                break
    return found


def _order(kind: str, payload: dict[str, Any]) -> str:
    """Return the order of the queue after the event."""
    if kind == "switch":
        return str(payload["order"])
    known = str(payload["planner"].get("order", ""))
    order = known or parse_recipe(payload["recipe"]).order
    return "arrival" if order == "dynp" else order  # dynP begins with it
