"""The application of the HTTP API: its routes with the parts that answer them, and what guards
them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from aiohttp import web

from rmsd_daemon.agents.endpoint import LinkEndpoint
from rmsd_daemon.agents.links import AgentLinks
from rmsd_daemon.agents.owners import NodeOwners
from rmsd_daemon.api.accounts import AccountsApi
from rmsd_daemon.api.cancels import Cancels
from rmsd_daemon.api.events import EventsApi
from rmsd_daemon.api.job_changes import JobChanges
from rmsd_daemon.api.job_io import JobIoApi
from rmsd_daemon.api.monitoring import MonitoringApi
from rmsd_daemon.api.orders import OrdersApi
from rmsd_daemon.api.past_reservations import PastReservationsApi
from rmsd_daemon.api.priorities import PrioritiesApi
from rmsd_daemon.api.reservations import ReservationsApi
from rmsd_daemon.api.resources import Api
from rmsd_daemon.api.router import Part, routes
from rmsd_daemon.api.steps import StepsApi
from rmsd_daemon.api.submits import Submits
from rmsd_daemon.api.tokens import TokensApi
from rmsd_daemon.api.usage import UsageApi
from rmsd_daemon.callers.audit import Refusals
from rmsd_daemon.callers.auth import Accounts, Authenticator, Role, highest
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.callers.tokens import Tokens
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.front import read_ahead
from rmsd_daemon.front.access import add_token_end, guard, permit
from rmsd_daemon.front.answers import Answers
from rmsd_daemon.front.connections import Connections
from rmsd_daemon.front.http_log import http_logger
from rmsd_daemon.front.request_limits import RequestLimits, limit
from rmsd_daemon.front.rpc_times import timing
from rmsd_daemon.front.tls import Tls, refused_reloads
from rmsd_daemon.front.turned_away import TurnedAway
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.status import Status
from rmsd_daemon.rules import request_limits, submit_rules
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.reloading import Configuration

_LAST_REQUESTS_S = 1.0
_HEADERS_WITHIN_S = 75.0
"""The time that a connection may be without a request, or in the middle of its headers."""
_MOST_HEADERS = 32
_MOST_HEADER_BYTES = 1024
"""Headers are in memory before the caller is known. With these limits, a connection that sends
nothing but headers holds 0.1 MB, and a peer may have a thousand connections."""


class DaemonParts(NamedTuple):
    """The parts of a daemon that its API asks. stop: a function that ends the daemon."""

    config: Config
    configuration: Configuration
    accounts: Accounts
    partitions: Partitions
    account_rules: AccountRules
    tls: Tls | None
    scheduler: Scheduler
    links: AgentLinks
    history: JobHistory
    connections: Connections
    tokens: Tokens
    stop: Callable[[], None]


def application(parts: DaemonParts) -> web.Application:
    """Return the application, with what guards it."""
    config, scheduler, accounts = parts.config, parts.scheduler, parts.accounts
    limits = request_limits(config)
    authenticator = Authenticator(
        accounts,
        parts.tokens,
        everybody=config.socket is not None,
        users_commands=config.notify_commands,
    )
    refused = partial(refused_reloads, parts.configuration, parts.tls)
    status = Status(scheduler, config, accounts, refused, parts.configuration)
    monitoring = MonitoringApi(scheduler, status.counts, config.recipe)
    app = web.Application(
        middlewares=[
            timing(monitoring.answers),
            guard(authenticator, Refusals(scheduler.record_all)),
            limit(limits, parts.connections, Answers(parts.connections)),
            permit(parts.history.owner, parts.history.number),
        ],
        client_max_size=limits.body_bytes,
    )
    app.on_response_prepare.append(add_token_end)
    app.add_routes(routes([*_of_jobs(parts, limits, status), *_of_others(parts), monitoring]))
    return app


def _of_jobs(parts: DaemonParts, limits: RequestLimits, status: Status) -> list[Part]:
    """Return what answers about jobs, and about the cluster that runs them."""
    config, scheduler, links, history = parts.config, parts.scheduler, parts.links, parts.history
    role_of, growth = partial(highest_role, parts.accounts, parts.tokens), Growth()
    rules = submit_rules(config, parts.partitions, parts.account_rules)
    api = Api(scheduler, rules, history, status, parts.stop, links)
    job_io = JobIoApi(scheduler, links, history, growth, role_of, as_users=config.runs_as_users)
    return [
        api,
        Submits(scheduler, rules, limits, growth, history, role_of),
        job_io,
        Cancels(scheduler, growth, history, api.view),
        JobChanges(scheduler, rules, growth, history, api.view, role_of, limits.user_jobs),
        StepsApi(scheduler, history, job_io.steps, links),
    ]


def _of_others(parts: DaemonParts) -> list[Part]:
    """Return what answers about users, reservations, tokens and events, and to agents."""
    scheduler, links, history = parts.scheduler, parts.links, parts.history
    by_agent, life_s = NodeOwners(scheduler).by_agent, parts.config.max_token_life_s
    return [
        UsageApi(scheduler, history),
        AccountsApi(scheduler, parts.account_rules),
        OrdersApi(scheduler, history),
        PastReservationsApi(scheduler, history),
        ReservationsApi(scheduler, parts.account_rules),
        PrioritiesApi(scheduler),
        TokensApi(parts.tokens, scheduler.record, links.revoked, life_s, by_agent),
        LinkEndpoint(scheduler, scheduler.clock, links, parts.connections.link),
        EventsApi(scheduler, parts.connections.gave),
    ]


def highest_role(accounts: Accounts, tokens: Tokens, user: str) -> Role:
    """Return the user's highest role by the configuration, or by a token of any name of the
    account."""
    by_tokens = map(tokens.role_of, accounts.names_of(user))
    return highest(accounts.role_of(user), *by_tokens)


async def set_up(runner: web.AppRunner, connections: Connections) -> None:
    """Make the runner's server, and guard what is read and accepted of connections."""
    await runner.setup()
    connections.guard(runner)
    TurnedAway().guard(runner)
    read_ahead.guard(runner)


def http_runner(app: web.Application) -> web.AppRunner:
    """Return the runner of the application, with the limits of its HTTP."""
    return web.AppRunner(
        app,
        logger=http_logger(),
        access_log=None,
        shutdown_timeout=_LAST_REQUESTS_S,
        keepalive_timeout=_HEADERS_WITHIN_S,
        max_headers=_MOST_HEADERS,
        max_field_size=_MOST_HEADER_BYTES,
        auto_decompress=False,  # a few bytes could become gigabytes
    )
