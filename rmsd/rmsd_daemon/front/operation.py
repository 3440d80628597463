"""The parts of a route of the API, and what several routes have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.errors import DaemonError

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
COUNT: Json = {"type": "integer", "minimum": 0}
EVENT_STREAM = "text/event-stream"


class Needs(NamedTuple):
    """The rights that a route needs. `role`: the least role. `own_job`: a caller who is no operator
    must own the job that the path names. Another user's job is answered as one that does not
    exist. `lists_jobs`: the parameter `ids` names jobs, and a job's token may name its own job
    there."""

    role: Role
    own_job: bool = False
    lists_jobs: bool = False


USER, OPERATOR, ADMIN, AGENT = map(Needs, (Role.USER, Role.OPERATOR, Role.ADMIN, Role.AGENT))
OWN_JOB = Needs(Role.USER, own_job=True)
USER_LIST = Needs(Role.USER, lists_jobs=True)


@dataclass(frozen=True, slots=True)
class RequestParameter:
    """A parameter of the query string, or with `place` "header" a header; all may be left out."""

    name: str
    about: str
    schema: Json
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Operation:
    """A route of the API. Its handler has its name.

    needs: the callers that may use it. answer: the type of the answer; None: bytes, with `headers`,
    of the type `content`.
    problems: the errors that it can have beside those of all routes.
    """

    name: str
    method: str
    path: str
    needs: Needs
    about: str
    answer: type | None
    status: int = 200
    body: type | None = None
    parameters: tuple[RequestParameter, ...] = ()
    problems: tuple[type[DaemonError], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    content: str = "application/octet-stream"
    described: bool = True

    @property
    def streams(self) -> bool:
        """Return whether the answer goes on until the caller leaves."""
        return self.content == EVENT_STREAM


_SECONDS: Json = {"type": "number", "minimum": 0, "maximum": 3600, "default": 0}
WAIT = RequestParameter(
    "wait_s", "how long the answer may be held back until there is news", _SECONDS
)
