"""The OpenAPI 3.1 description of the API: the routes here, the bodies from `rmsd_wire.api`.

What a body may hold is nowhere written twice: the schemas are made from the types that requests are
decoded to and answers are encoded from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import msgspec

from rmsd_wire import api

Json = dict[str, Any]

_REF = "#/components/schemas/{name}"
_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}
_LIMIT: Json = {
    "type": "integer",
    "minimum": 1,
    "maximum": api.MAX_LIMIT,
    "default": api.DEFAULT_LIMIT,
}
_SECONDS: Json = {"type": "number", "minimum": 0, "maximum": 3600, "default": 0}
_BYTES: Json = {"type": "string", "contentMediaType": "application/octet-stream"}

_PROBLEMS = {
    400: "the request is not usable",
    401: "a token is needed, or the token is wrong",
    403: "this caller may not",
    404: "there is no such job, node or task",
    408: "the body did not come in time",
    409: "not possible in the present state",
    413: "the request is too large",
    422: "no node could ever run this",
    429: "too many requests, jobs, connections or unread answers of this caller; `Retry-After`: "
    "when to try again",
    500: "an error of the daemon's",
    503: "the daemon is stopping, or a node's agent is not connected",
    504: "a node's agent does not answer",
    507: "the disk is full, or fails: nothing was stored; or what is asked for is damaged",
}
_ALWAYS = (400, 401, 403, 429, 500, 503, 507)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query string, or with `place` "header" a header; all may be left out."""

    name: str
    about: str
    schema: Json
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Operation:
    """A route. `answer` None: bytes, with `headers`. `problems`: beside those of all routes."""

    method: str
    path: str
    about: str
    answer: type | None
    status: int = 200
    body: type | None = None
    parameters: tuple[Parameter, ...] = ()
    problems: tuple[int, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


_WAIT = Parameter("wait_s", "how long the answer may be held back until there is news", _SECONDS)
_NODE = Parameter("node", "a node of the job; its first one by default", _TEXT)
_KEY = Parameter(
    "Idempotency-Key",
    "makes repetitions of one submit known as such: they get the first answer",
    {"type": "string", "minLength": 1, "maxLength": 255},
    "header",
)
_BEFORE = Parameter(
    "before", "with numbers below this alone: the `before` of an answer gives the next ones", _COUNT
)
_LIST = (
    Parameter("states", "states or their codes, with commas; `all`; live ones by default", _TEXT),
    Parameter("user", "of these users alone, with commas", _TEXT),
    Parameter("name", "of these names alone, with commas, or of the whole as one name", _TEXT),
    Parameter("ids", "job numbers, with commas", _TEXT),
    Parameter("limit", "so many at most, the newest; with `ids` all by default", _LIMIT),
    _BEFORE,
)
_AUDIT = (
    Parameter("since_us", "of this time on, UTC", _COUNT),
    Parameter("user", "of this user alone", _TEXT),
    Parameter("limit", "so many at most, the newest", _LIMIT),
    _BEFORE,
)
_OUTPUT = (
    Parameter("stream", "which", {"enum": ["stdout", "stderr"], "default": "stdout"}),
    Parameter("offset", "bytes to leave out", _COUNT),
    Parameter("attempt", "of which `offset` is: in the output of another it counts as 0", _COUNT),
    Parameter("limit", "bytes at most", _COUNT),
    _WAIT,
    _NODE,
    Parameter("step", "of a task of this step, instead of the job's script", _TEXT),
    Parameter("task", "the number of the task", _COUNT),
)
_OUTPUT_HEADERS = (
    ("X-RMS-Offset", "where the bytes end"),
    ("X-RMS-EOF", "1: the job, or the task, is over, and this is the end of its output"),
    ("X-RMS-Attempt", "whose output this is; 0: none has begun"),
    ("X-RMS-Exit-Code", "of a task that is over"),
    ("X-RMS-Signal", "which has ended a task"),
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "POST",
        "/v1/jobs",
        "Submit jobs, all or none.",
        api.SubmitReply,
        201,
        api.SubmitBody,
        (_KEY,),
        (408, 409, 413, 422),
    ),
    Operation("GET", "/v1/jobs", "Jobs, by number.", api.JobsReply, parameters=_LIST),
    Operation(
        "GET",
        "/v1/jobs/{id}",
        "A job; with `wait_s`, once it is over or that time is up.",
        api.JobReply,
        parameters=(_WAIT,),
        problems=(404,),
    ),
    Operation("DELETE", "/v1/jobs/{id}", "Cancel a job.", api.JobReply, problems=(404, 409)),
    Operation(
        "POST",
        "/v1/cancel",
        "Cancel jobs, all at once; those that are over are left out of the answer. If one is not "
        "there, or somebody else's, none is cancelled.",
        api.CancelReply,
        body=api.CancelBody,
        problems=(404, 408, 413),
    ),
    Operation(
        "GET",
        "/v1/jobs/{id}/attempts",
        "The starts of a job, the first one first.",
        api.AttemptsReply,
        problems=(404,),
    ),
    Operation(
        "GET",
        "/v1/jobs/{id}/explain",
        "Why a job waits, until when it runs, what its prediction is made of.",
        api.ExplainReply,
        problems=(404,),
    ),
    Operation(
        "GET",
        "/v1/jobs/{id}/output",
        "Output of a job's script, or of one of its tasks.",
        None,
        parameters=_OUTPUT,
        problems=(404, 409, 504),
        headers=_OUTPUT_HEADERS,
    ),
    Operation(
        "POST",
        "/v1/jobs/{id}/tasks",
        "Start a task of a step on a node of a running job. A repeat is no news.",
        api.TaskReply,
        201,
        api.TaskSpec,
        problems=(404, 408, 409, 413, 504),
    ),
    Operation(
        "DELETE",
        "/v1/jobs/{id}/tasks/{step}/{task}",
        "Send a signal to all processes of a task.",
        api.TaskReply,
        parameters=(Parameter("signal", "its number", _COUNT | {"default": 15}), _NODE),
        problems=(404, 409, 504),
    ),
    Operation("GET", "/v1/plan", "When the waiting jobs are expected to start.", api.PlanReply),
    Operation("GET", "/v1/nodes", "All nodes.", api.NodesReply),
    Operation(
        "POST",
        "/v1/nodes/{name}",
        "Drain a node, or end a drain.",
        api.NodeReply,
        body=api.NodeAction,
        problems=(404, 408, 413),
    ),
    Operation(
        "DELETE",
        "/v1/nodes/{name}",
        "Take a node that is down off the list.",
        api.ForgottenReply,
        problems=(404, 409),
    ),
    Operation("GET", "/v1/status", "How the daemon is.", api.StatusReply),
    Operation(
        "POST",
        "/v1/tokens",
        "Have a token known.",
        api.TokenReply,
        201,
        api.NewToken,
        problems=(408, 409, 413),
    ),
    Operation(
        "GET", "/v1/tokens", "The caller's own tokens; of administrators: all.", api.TokensReply
    ),
    Operation("DELETE", "/v1/tokens/{id}", "Revoke a token.", api.TokenReply, problems=(404,)),
    Operation(
        "GET", "/v1/audit", "Who did what, the oldest first.", api.AuditReply, parameters=_AUDIT
    ),
    Operation(
        "POST",
        "/v1/join",
        "Have the key of an agent known, for a join token.",
        api.JoinReply,
        body=api.JoinBody,
        problems=(408, 409, 413),
    ),
    Operation("POST", "/v1/shutdown", "Stop the daemon; jobs run on.", api.ShutdownReply, 202),
    Operation("GET", "/v1/openapi.json", "This description.", dict),
)

UNDESCRIBED = {("GET", "/v1/link")}
"""The WebSocket of the agents, which is not HTTP: `rmsd_wire.link` describes it."""

_JOB: Json = {"type": "integer", "minimum": 1}
_PATH = {  # by the words of the path that it is in
    "jobs/{id}": ("the number of a job", _JOB),
    "tokens/{id}": ("the id of a token", _TEXT),
    "nodes/{name}": ("the name of a node", _TEXT),
    "tasks/{step}": ("the name of a step", _TEXT),
    "{step}/{task}": ("the number of a task", _COUNT),
}


@cache
def document() -> bytes:
    """The description as JSON, indented."""
    return msgspec.json.format(msgspec.json.encode(description(OPERATIONS)), indent=2) + b"\n"


def description(operations: Sequence[Operation]) -> Json:
    """The OpenAPI object that describes these routes."""
    types = {kind for one in operations for kind in (one.answer, one.body) if kind}
    named = sorted(types | {api.Problem}, key=lambda kind: kind.__name__)
    schemas, components = msgspec.json.schema_components(named, ref_template=_REF)
    schema_of = dict(zip(named, schemas, strict=True))
    paths: Json = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rmsd",
            "version": version("rmsd"),
            "summary": "A batch resource manager whose scheduler is the scheduling literature",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "over TCP; on its Unix socket the daemon knows who calls",
                }
            },
        },
    }


def _operation(one: Operation, schema_of: Mapping[type, Json]) -> Json:
    words = one.path.split("/")[2:]
    name = [word.strip("{}").removesuffix(".json") for word in words]
    described: Json = {
        "operationId": "-".join([one.method.lower(), *name]),
        "summary": one.about,
        "parameters": [
            *(_path_parameter(*pair) for pair in pairwise(words) if "{" in pair[1]),
            *(_parameter(given) for given in one.parameters),
        ],
        "responses": {
            str(one.status): _answer(one, schema_of),
            **{
                str(status): {
                    "description": _PROBLEMS[status],
                    "content": {"application/problem+json": {"schema": schema_of[api.Problem]}},
                }
                for status in sorted({*_ALWAYS, *one.problems})
            },
        },
    }
    if one.body is not None:
        content = {"application/json": {"schema": schema_of[one.body]}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _path_parameter(before: str, word: str) -> Json:
    about, schema = _PATH[f"{before}/{word}"]
    return _place(word.strip("{}"), "path", about, schema) | {"required": True}


def _parameter(given: Parameter) -> Json:
    return _place(given.name, given.place, given.about, given.schema)


def _place(name: str, place: str, about: str, schema: Json) -> Json:
    return {"name": name, "in": place, "description": about, "schema": schema}


def _answer(one: Operation, schema_of: Mapping[type, Json]) -> Json:
    answer: Json = {"description": "done"}
    if one.answer is None:
        answer["content"] = {"application/octet-stream": {"schema": _BYTES}}
    else:
        answer["content"] = {"application/json": {"schema": schema_of[one.answer]}}
    if one.headers:
        answer["headers"] = {
            name: {"description": about, "schema": _TEXT} for name, about in one.headers
        }
    return answer
