"""The errors of the daemon in HTTP: one table, and RFC 9457 problems made from it."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import NamedTuple

import msgspec
from aiohttp import web

from rmsd_daemon.domain.errors import (
    Conflict,
    DaemonError,
    DependencyOver,
    Failed,
    Forbidden,
    KeyReused,
    Malformed,
    NeverFits,
    NoAnswer,
    NodeUnreachable,
    NotFound,
    NotStored,
    TooLarge,
    TooMany,
    TooManyJobs,
    TooSlow,
    Unauthenticated,
    Unavailable,
    WithoutLength,
)
from rmsd_wire.api.problem import Problem
from rmsd_wire.link_calls import Reply

_USAGE = 2
_NEVER_FITS = 65
_UNREACHABLE = 75
_NOT_PERMITTED = 77


class Answer(NamedTuple):
    """The answer to an error. exit_code: of the command that sent the request."""

    status: int
    exit_code: int = 1


ANSWERS: dict[type[DaemonError], Answer] = {
    Malformed: Answer(400, _USAGE),
    Unauthenticated: Answer(401, _NOT_PERMITTED),
    Forbidden: Answer(403, _NOT_PERMITTED),
    NotFound: Answer(404),
    TooSlow: Answer(408, _UNREACHABLE),
    Conflict: Answer(409),
    WithoutLength: Answer(411, _USAGE),
    TooLarge: Answer(413, _USAGE),
    NeverFits: Answer(422, _NEVER_FITS),
    KeyReused: Answer(422, _USAGE),
    TooMany: Answer(429, _UNREACHABLE),
    TooManyJobs: Answer(429),
    Failed: Answer(500),
    Unavailable: Answer(503, _UNREACHABLE),
    DependencyOver: Answer(503, _UNREACHABLE),
    NodeUnreachable: Answer(503),
    NoAnswer: Answer(504),
    NotStored: Answer(507),
}
"""A subclass of an error is answered as the error is, unless it has a line of its own."""

_TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Not permitted",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    411: "Length required",
    413: "Too large",
    422: "Cannot be satisfied",
    429: "Too many",
    500: "Internal error",
    503: "Not available",
    504: "No answer",
    507: "Not stored",
}


_AGENTS = frozenset({400, 404, 422, 429, 503})
"""The statuses of agents that callers are told."""
_AGENT_COULD_NOT = 409
"""The status for any other status of an agent. The daemon itself has refused nothing (403) and has
not failed (500, which agents of earlier versions send for a file that cannot be read)."""
_MAX_SAID = 4096


class Told(DaemonError):
    """An error with the status of the server library or of an agent."""

    def __init__(self, status: int, detail: str, exit_code: int = 1) -> None:
        super().__init__(detail)
        self.answer = Answer(status, exit_code)


class ToldNotFound(Told, NotFound):
    """An agent knows nothing of the job or the task that it was asked about."""


def check_reply(reply: Reply) -> None:
    """Raise Told if an agent could not do what it was asked; ToldNotFound if it knows nothing of
    it."""
    if reply.status >= HTTPStatus.BAD_REQUEST:
        kind = ToldNotFound if reply.status == HTTPStatus.NOT_FOUND else Told
        status = reply.status if reply.status in _AGENTS else _AGENT_COULD_NOT
        raise kind(status, reply.error[:_MAX_SAID], reply.exit_code or 1)


def cannot_be(node: str) -> Told:
    """Return the error for an answer of a node's agent that no honest agent gives."""
    return Told(_AGENT_COULD_NOT, f"the agent of node {node} gave an answer that cannot be")


def told_by_http(error: web.HTTPException, detail: str) -> Told:
    """Return an error that aiohttp has found, with its status, as an error of the daemon."""
    is_usage = error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, 413)
    return Told(error.status, detail, _USAGE if is_usage else 1)


def problem_of(error: DaemonError) -> Problem:
    """Return the problem that tells of an error."""
    answer = error.answer if isinstance(error, Told) else _answer(type(error))
    title = _TITLES.get(answer.status, "Error")
    return Problem(title, answer.status, error.detail, answer.exit_code, field=error.field)


def status_of(kind: type[DaemonError]) -> int:
    """Return the status that errors of this class are answered with."""
    return _answer(kind).status


def _answer(kind: type[DaemonError]) -> Answer:
    return next(ANSWERS[one] for one in kind.__mro__ if one in ANSWERS)


def response(error: DaemonError, allow: str | None = None) -> web.Response:
    """Return the HTTP response to an error. `allow`: the methods that exist, for an error 405."""
    headers = {} if allow is None else {"Allow": allow}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    problem = problem_of(error)
    return web.Response(
        status=problem.status,
        headers=headers,
        body=msgspec.json.encode(problem),
        content_type="application/problem+json",
    )
