"""Errors of the API, as exceptions that carry an RFC 9457 problem."""

from __future__ import annotations

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
    409: "Conflict",
    413: "Too large",
    422: "Cannot be satisfied",
    500: "Internal error",
    503: "Not available",
    504: "No answer",
    507: "Not stored",
}


class ApiError(Exception):
    """Answered to the client as a problem: `detail` for people, `exit_code` for its command."""

    def __init__(self, status: int, detail: str, exit_code: int = 1) -> None:
        super().__init__(detail)
        self.problem = Problem(_TITLES.get(status, "Error"), status, detail, exit_code)


def bad_request(detail: str) -> ApiError:
    return ApiError(400, detail, USAGE)


def never_fits(detail: str) -> ApiError:
    return ApiError(422, detail, NEVER_FITS)


def no_such_job(job_id: int | str) -> ApiError:
    return ApiError(404, f"there is no job {job_id}")


def not_permitted(detail: str) -> ApiError:
    return ApiError(403, detail, NOT_PERMITTED)


def response(problem: Problem) -> web.Response:
    return web.Response(
        status=problem.status,
        body=msgspec.json.encode(problem),
        content_type="application/problem+json",
    )
