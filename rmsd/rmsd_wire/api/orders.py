"""Bodies about the orders that the queue was in."""

from __future__ import annotations

import msgspec

MOST_ORDERS = 100_000


class OrderView(msgspec.Struct, frozen=True):
    """The queue was in `order` from `since_us` on (model time) until the next one."""

    since_us: int
    order: str


class OrdersReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/orders, the earliest first. The first one was in force when the time that was asked
    for began, or it is the first that the daemon's events tell."""

    orders: list[OrderView]
    schema: str = "rmsd.orders/1"
