"""Errors of the API, as exceptions that carry an RFC 9457 problem."""

from __future__ import annotations

import math

import msgspec
from aiohttp import web

from rmsd_wire.api import Problem

USAGE = 2
NEVER_FITS = 65
UNREACHABLE = 75
NOT_PERMITTED = 77

_TITLES = {
    400: "Bad request",
    401: "Not authenticated",
    403: "Not permitted",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    422: "Cannot be satisfied",
    429: "Too many",
    500: "Internal error",
    503: "Not available",
    504: "No answer",
    507: "Not stored",
}


class ApiError(Exception):
    """Answered to the client as a problem: `detail` for people, `exit_code` for its command,
    `retry_after_s` if the same request may be granted then."""

    def __init__(
        self, status: int, detail: str, exit_code: int = 1, retry_after_s: float | None = None
    ) -> None:
        super().__init__(detail)
        self.problem = Problem(_TITLES.get(status, "Error"), status, detail, exit_code)
        self.retry_after_s = retry_after_s


def bad_request(detail: str) -> ApiError:
    return ApiError(400, detail, USAGE)


def never_fits(detail: str) -> ApiError:
    return ApiError(422, detail, NEVER_FITS)


def no_such_job(job_id: int | str) -> ApiError:
    return ApiError(404, f"there is no job {job_id}")


def not_permitted(detail: str) -> ApiError:
    return ApiError(403, detail, NOT_PERMITTED)


def response(error: ApiError, allow: str | None = None) -> web.Response:
    """`allow`: which methods there are, of an error 405."""
    headers = {} if allow is None else {"Allow": allow}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    return web.Response(
        status=error.problem.status,
        headers=headers,
        body=msgspec.json.encode(error.problem),
        content_type="application/problem+json",
    )
