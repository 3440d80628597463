"""The routes of the API that are about the use of the cluster: by accounts and users, the order of
the queue, and when nodes were set aside."""

from __future__ import annotations

from rmsd_daemon.front.operation import COUNT, TEXT, USER, Operation, RequestParameter
from rmsd_wire.api.accounts import AccountsReply
from rmsd_wire.api.orders import OrdersReply
from rmsd_wire.api.past_reservations import ReservationChangesReply
from rmsd_wire.api.priorities import PrioritiesReply
from rmsd_wire.api.usage import UsageReply

_USAGE = (
    RequestParameter("since_us", "runs from this model time on; all by default", COUNT),
    RequestParameter("until_us", "runs up to this model time; now by default", COUNT),
    RequestParameter("user", "only of this user; others than operators see their own", TEXT),
    RequestParameter(
        "by", "account, user, partition, day: one or several, with commas; user by default", TEXT
    ),
)
_ACCOUNTS = (
    RequestParameter("user", "of this user; others than operators see their own", TEXT),
    RequestParameter("all", "of all users, for operators", {"enum": ["true", "false"]}),
)
_SINCE = RequestParameter("since_us", "from this model time on; all by default", COUNT)
_ORDERS = (
    _SINCE,
    RequestParameter("until_us", "up to this model time; now by default", COUNT),
)

USAGE_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "usage",
        "GET",
        "/v1/usage",
        USER,  # a user's own jobs count
        "The processor time that jobs have used.",
        UsageReply,
        parameters=_USAGE,
    ),
    Operation(
        "orders",
        "GET",
        "/v1/orders",
        USER,
        "The orders that the queue was in.",
        OrdersReply,
        parameters=_ORDERS,
    ),
    Operation(
        "reservation_changes",
        "GET",
        "/v1/reservation-changes",
        USER,
        "The advance reservations that there were.",
        ReservationChangesReply,
        parameters=(_SINCE,),
    ),
    Operation(
        "priorities",
        "GET",
        "/v1/priorities",
        USER,  # a user's own jobs
        "The priorities of the jobs that wait for their turn.",
        PrioritiesReply,
    ),
    Operation(
        "accounts",
        "GET",
        "/v1/accounts",
        USER,  # a user's own jobs and share
        "All accounts and QOS, with the jobs and the shares of users.",
        AccountsReply,
        parameters=_ACCOUNTS,
    ),
)
