"""Calls of the daemon's API: JSON bodies, long lists page by page, and refusals.

A call raises `ApiError` if the daemon refuses it. It raises `Unreachable` if nothing answers, or if
the server is not a daemon.
"""

from __future__ import annotations

import json
import time

from rmsd_client.calls import answers
from rmsd_client.connection.http import MOST_BODY, Connection, Response
from rmsd_client.errors import EXIT_FAILURE, EXIT_UNREACHABLE, ApiError, Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Json = dict[str, Any]

_PAUSE_S = 0.1
_PATIENCE_S = 60.0  # the longest wait for a daemon that answers "too many", and when to try again
MOST_LISTED = 10_000  # elements in one answer
MOST_LIST = 1 << 30  # bytes for each 10,000 elements that are asked for: jobs have long texts
MOST_PAGES = 10_000
LONG_TEXTS = ("workdir", "stdin", "stdout", "stderr", "comment", "notify")
"""The fields of a job that its user chooses and that may have thousands of characters."""
MOST_DETAIL = 64 * 1024  # characters of a problem
_LISTS = frozenset({"NodesReply", "PlanReply", "PrioritiesReply", "TokensReply"})


class ApiCalls:
    """Calls over one connection to a daemon."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def call(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        most: int = MOST_BODY,
    ) -> Response:
        """Return the answer to a request; its body may be anything. A refusal raises ApiError.

        A request that the daemon puts off, or that meets a daemon about to stop, is sent again.
        """
        give_up = None
        refused_s = 0.0
        while True:
            response = self._connection.request(method, target, body, headers, wait_s, most)
            if 200 <= response.status < 300:
                return response
            if response.status < 400:  # no redirect is followed: a token is for one daemon
                raise self.no_daemon(f"it answered {response.status}")
            error = _problem(response)
            if pause_s := _retry_after_s(response):
                if refused_s:
                    self._connection.tell(f"{error}; trying again")
                refused_s += pause_s
                if refused_s > max(self._connection.retry_for_s, _PATIENCE_S):
                    raise error
                time.sleep(pause_s)
                continue
            if error.status != 503 or error.exit_code != EXIT_UNREACHABLE:
                raise error
            # The daemon is about to stop: treat it as gone already.
            give_up = give_up or time.monotonic() + self._connection.retry_for_s
            if time.monotonic() >= give_up:
                raise error
            self._connection.close()
            time.sleep(_PAUSE_S)

    def ask(
        self,
        view: str,
        method: str,
        target: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
    ) -> Json:
        """Return the JSON answer to a request; `view` is its type in `rmsd_wire.api`."""
        encoded = None if body is None else json.dumps(body).encode()
        most = MOST_BODY if view not in _LISTS else MOST_LIST
        return self.read(self.call(method, target, encoded, headers, wait_s, most), view)

    def newest(
        self,
        view: str,
        path: str,
        field: str,
        wanted: Mapping[str, str | int | None],
        limit: int | None,
        brief: bool = False,
    ) -> list[Json]:
        """Return the newest `limit` elements of a list (None: all of them), the oldest first."""
        pages = list(self.pages(view, path, field, wanted, limit, brief))
        return [one for page in reversed(pages) for one in page]

    def pages(
        self,
        view: str,
        path: str,
        field: str,
        wanted: Mapping[str, str | int | None],
        limit: int | None,
        brief: bool = False,
        in_page: int = MOST_LISTED,
    ) -> Iterator[list[Json]]:
        """Yield the newest `limit` elements of a list (None: all of them) in pages, the newest page
        first. Each page has its oldest element first.

        The daemon returns the newest ones in one answer, and says where older ones continue.
        """
        count, made, before = 0, 0, None
        left_bytes = MOST_LIST * max(1, -(-(limit or 0) // MOST_LISTED))
        while True:
            left = None if limit is None else min(limit - count, in_page)
            query = query_of(**wanted, limit=left, before=before)
            response = self.call("GET", f"{path}{query}", most=min(left_bytes, MOST_LIST))
            left_bytes -= len(response.body)
            answer = self.read(response, view)
            page: list[Json] = answer[field]
            if brief:
                for one in page:
                    for text in LONG_TEXTS:
                        one.pop(text, None)
            count, made = count + len(page), made + 1
            last, before = before, answer.get("before")
            del response, answer  # the bytes are not needed while the page is looked at
            yield page
            if before is None or (limit is not None and count >= limit):
                return
            if made >= MOST_PAGES or (last is not None and before >= last):
                raise self.no_daemon("its list does not end")

    def stream(self, target: str, headers: Mapping[str, str], silence_s: float) -> Iterator[bytes]:
        """Yield the parts of an answer that goes on, over a connection that is used for nothing
        else meanwhile. A refusal raises ApiError."""
        response = self._connection.open_stream(target, headers, silence_s)
        if response.status != 200:
            raise _problem(response)
        yield from self._connection.stream()

    def read(self, response: Response, view: str) -> Json:
        """Return the JSON of a response, after a check that it is as `view` says."""
        try:
            return answers.read(response.body, view)
        except json.JSONDecodeError:
            raise self.no_daemon("its answer is no JSON") from None
        except (ValueError, RecursionError) as error:
            raise self.no_daemon(str(error)) from None

    def no_daemon(self, why: str) -> Unreachable:
        """Return the error for a server that does not answer like a daemon."""
        return Unreachable(f"{self._connection.address} is not an rmsd daemon: {why}", sent=True)


def _retry_after_s(response: Response) -> float:
    """Return the seconds after which a refused request may be granted; 0.0 if the answer does not
    say so: then waiting does not help."""
    text = response.headers.get("retry-after", "")
    usable = response.status == 429 and text.isascii() and text.isdigit() and len(text) < 6
    return float(text) if usable else 0.0


def _problem(response: Response) -> ApiError:
    try:
        problem = json.loads(response.body)
        detail = (problem["detail"] or problem["title"])[:MOST_DETAIL]
        if not isinstance(detail, str):
            raise TypeError
        exit_code = problem.get("exit_code")
        usable = isinstance(exit_code, int) and 0 < exit_code < 256
        field = problem.get("field")
        return ApiError(
            response.status,
            detail,
            exit_code if usable else EXIT_FAILURE,
            field if isinstance(field, str) else "",
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        text = response.body[:200].decode("utf-8", "replace").strip()
        return ApiError(response.status, f"the server answered {response.status}: {text}")


_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def quote(text: str) -> str:
    """Return the text percent-encoded, for a path segment or a query value (urllib.parse costs
    milliseconds)."""
    if _SAFE.issuperset(text):
        return text
    return "".join(
        chr(byte) if chr(byte) in _SAFE else f"%{byte:02X}"
        for byte in text.encode("utf-8", "surrogateescape")
    )


def query_of(**values: str | float | None) -> str:
    """Return `?a=1&b=2` of the values that are not None; "" if there are none."""
    pairs = [f"{name}={quote(str(value))}" for name, value in values.items() if value is not None]
    return f"?{'&'.join(pairs)}" if pairs else ""
