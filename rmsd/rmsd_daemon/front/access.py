"""The guard of all routes: the table of operations says which caller may use which."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog
from aiohttp import HttpVersion10, HttpVersion11, web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_request import BaseRequest

from rmsd_core.model_time import SECOND_US
from rmsd_daemon.callers.auth import Authenticator, Caller, Role, Shown
from rmsd_daemon.callers.sockets import peer_uid
from rmsd_daemon.callers.tokens import now_us
from rmsd_daemon.domain.errors import (
    DaemonError,
    Failed,
    Forbidden,
    Malformed,
    NotFound,
    Unauthenticated,
    WithoutLength,
    no_such_job,
)
from rmsd_daemon.front import problems
from rmsd_daemon.front.operation import Operation
from rmsd_daemon.front.operations import BY_ROUTE
from rmsd_daemon.front.parameters import parse_job_id

log = structlog.get_logger()

TOKEN_ENDS = "RMSD-Token-Ends"
"""The header that says when the caller's token ends, in seconds of UTC."""
_SOON_US = 14 * 86400 * SECOND_US
_CALLER = "caller"
_STILL = "still"


class NotYours(NotFound):
    """The job is another user's. The caller is told that there is no such job."""

    def __init__(self, job_id: int) -> None:
        super().__init__(no_such_job(job_id).detail)


def caller_of(request: web.Request) -> Caller:
    """Return the caller of a request that has passed the guard."""
    caller: Caller = request[_CALLER]
    return caller


def known_caller(request: BaseRequest) -> Caller | None:
    """Return the caller of a request; None if the caller is not known, or not yet."""
    caller: Caller | None = request.get(_CALLER)
    return caller


def operation_of(request: web.Request) -> Operation | None:
    """Return the operation that a request is for; None if its route is not in the table."""
    resource = request.match_info.route.resource
    method = "GET" if request.method == "HEAD" else request.method
    return BY_ROUTE.get((method, resource.canonical if resource else ""))


def check_still(request: web.Request) -> None:
    """Check the token of a caller again after a wait in a request, before a step that cannot be
    undone.

    Raises:
        Unauthenticated: the caller's token was revoked or has expired meanwhile, or the attempt of
            the job whose token it is has ended.
    """
    request[_STILL](caller_of(request))


class OnRefusal(Protocol):
    """A callback for each refused request, with its caller as far as known, and the address that
    the request came from ("": a Unix socket)."""

    async def __call__(
        self, caller: Caller | None, address: str, request: str, why: str
    ) -> None: ...


def guard(authenticator: Authenticator, refused: OnRefusal) -> Middleware:
    """Return the middleware that identifies the caller of each request, refuses unknown callers,
    and answers every error with a problem object."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            if request.version not in (HttpVersion10, HttpVersion11):
                raise Malformed("the request is not of HTTP/1.1 or HTTP/1.0")
            if "Transfer-Encoding" in request.headers:
                raise WithoutLength("a body in chunks is not taken; give its Content-Length")
            request[_CALLER] = authenticator.caller(_shown(request))
            request[_STILL] = authenticator.still
            return await handler(request)
        except DaemonError as error:
            if isinstance(error, NotYours | Unauthenticated | Forbidden):
                known, address = request.get(_CALLER), request.remote or ""
                await refused(known, address, _what(request), error.detail)
            return problems.response(error)
        except web.HTTPException as error:
            told = problems.told_by_http(error, f"{request.method} {request.path}: {error.reason}")
            return problems.response(told, error.headers.get("Allow"))
        except (web.RequestPayloadError, ConnectionError) as error:
            # The body does not match its headers, or the client left in the middle of it.
            detail = f"{request.method} {request.path}: the body cannot be read: {error}"
            return problems.response(Malformed(detail))
        except Exception as error:
            log.exception("request-failed", path=request.path)
            return problems.response(Failed(f"{type(error).__name__}: {error}"))

    return guarded


def _shown(request: web.Request) -> Shown:
    transport = request.transport
    return Shown(
        peer_uid(transport.get_extra_info("socket")) if transport else None,
        request.headers.get("Authorization", ""),
        request.remote or "unknown",
        is_of_a_page="Origin" in request.headers,
    )


async def add_token_end(request: web.Request, response: web.StreamResponse) -> None:
    """Say in the head of an answer when the caller's token ends, if that is soon: a signal handler
    for `on_response_prepare`."""
    caller = known_caller(request)
    if caller is None or caller.expires_us is None:
        return
    if caller.expires_us - now_us() < _SOON_US:
        response.headers[TOKEN_ENDS] = str(caller.expires_us // SECOND_US)


def permit(
    owner: Callable[[int], Awaitable[str]], number: Callable[[str], Awaitable[int]]
) -> Middleware:
    """Return the middleware that refuses requests beyond the caller's role. It comes after the
    limits of requests, since it may have to look into the database.

    `owner` returns the user of a job, and `number` the number of a task that is given as
    ARRAY_INDEX; handlers find that number in its place. Both raise NotFound.
    """

    @web.middleware
    async def permitted(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.match_info.http_exception is None:
            name, caller = request.match_info.get("id", ""), caller_of(request)
            if "_" in name and request.path.startswith("/v1/jobs/"):
                await _check_array(name.partition("_")[0], caller, owner)
                request.match_info["id"] = str(await number(name))
            await _check(request, caller, owner, number)
        return await handler(request)

    return permitted


async def _check_array(
    array_id: str, caller: Caller, owner: Callable[[int], Awaitable[str]]
) -> None:
    """Raise DaemonError if the caller may not know which tasks the array has: of another user's
    array nobody is told whether it has a task."""
    if caller.role.covers(Role.OPERATOR):
        return
    job_id = parse_job_id(array_id)
    user = await owner(job_id)
    # The token of a job sees that job alone, which may be a task of its user's array.
    if user != caller.user:
        raise NotYours(job_id)


def _what(request: web.Request) -> str:
    """Return the method and the path as they were sent. With its escapes undone, a path could add
    lines of its own to a record."""
    return f"{request.method} {request.rel_url.raw_path}"


async def _check(
    request: web.Request,
    caller: Caller,
    owner: Callable[[int], Awaitable[str]],
    number: Callable[[str], Awaitable[int]],
) -> None:
    """Raise DaemonError if the caller may not do this."""
    operation = operation_of(request)
    if operation is None:
        raise Forbidden(f"{_what(request)} has no route")
    needs = operation.needs
    if needs.role is Role.AGENT and caller.own:
        return  # the daemon's own agent
    if not caller.role.covers(needs.role):
        raise Forbidden(
            f"this is for the role '{needs.role}'; {caller.user} has the role '{caller.role}' here"
        )
    if caller.job_id is not None:
        named = request.match_info["id"] if needs.own_job else ""
        if needs.lists_jobs:
            named = await _only_job(request.query.get("ids", ""), caller, owner, number)
        if named != str(caller.job_id):
            raise Forbidden(
                f"the token of job {caller.job_id} is for that job alone; for more, keep a token "
                "of your own in ~/.config/rmsd/token"
            )
    elif needs.own_job and not caller.role.covers(Role.OPERATOR):
        job_id = parse_job_id(request.match_info["id"])
        if not caller.sees(job_id, await owner(job_id)):
            raise NotYours(job_id)


async def _only_job(
    ids: str,
    caller: Caller,
    owner: Callable[[int], Awaitable[str]],
    number: Callable[[str], Awaitable[int]],
) -> str:
    """Return the number of the only job that a list is asked for, in which ARRAY_INDEX names a
    task; any other text if the list is of more."""
    array_id, underscore, index = ids.partition("_")
    if not (underscore and array_id.isdecimal() and index.isdecimal()):
        return ids
    await _check_array(array_id, caller, owner)
    return str(await number(ids))
