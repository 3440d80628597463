"""The OpenAPI 3.1 description of the API: the routes of `front.operations`, the bodies of
`rmsd_wire.api`.

No body is described twice: the schemas are made from the types that requests are decoded to and
answers are encoded from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from rmsd_daemon.front.operation import COUNT, TEXT, Json, Operation, RequestParameter
from rmsd_daemon.front.operations import OPERATIONS
from rmsd_daemon.front.problems import status_of
from rmsd_process.running_version import RUNNING_VERSION
from rmsd_wire.api.problem import Problem

_REF = "#/components/schemas/{name}"
_BYTES: Json = {"type": "string", "contentMediaType": "application/octet-stream"}

_PROBLEMS = {
    400: "the request is not usable",
    401: "a token is needed, or the token is wrong",
    403: "this caller may not",
    404: "there is no such job, node or task",
    408: "the body did not come in time",
    409: "not possible in the present state",
    411: "the body comes in chunks; give its `Content-Length`",
    413: "the request is too large",
    422: "no node could ever run this",
    429: "too many requests, jobs, connections or unread answers of this caller; `Retry-After`: "
    "when to try again",
    500: "an error of the daemon's",
    503: "the daemon is stopping, or a node's agent is not connected",
    504: "a node's agent does not answer",
    507: "the disk is full, or fails: nothing was stored; or what is asked for is damaged",
}
_ALWAYS = (400, 401, 403, 411, 429, 500, 503, 507)

_JOB: Json = {"type": "integer", "minimum": 1}
_PATH = {  # key: the parameter, and the part of the path before it
    "jobs/{id}": ("the number of a job", _JOB),
    "tokens/{id}": ("the id of a token", TEXT),
    "nodes/{name}": ("the name of a node", TEXT),
    "reservations/{name}": ("the name of an advance reservation", TEXT),
    "tasks/{step}": ("the name of a step", TEXT),
    "{step}/{task}": ("the number of a task", COUNT),
    "steps/{number}": ("the number of a step in its job", COUNT),
}


@cache
def document() -> bytes:
    """Return the description as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(description(OPERATIONS)), indent=2) + b"\n"


def description(operations: Sequence[Operation]) -> Json:
    """Return the OpenAPI object that describes these routes."""
    operations = [one for one in operations if one.described]
    types = {kind for one in operations for kind in (one.answer, one.body) if kind}
    named = sorted(types | {Problem}, key=lambda kind: kind.__name__)
    schemas, components = msgspec.json.schema_components(named, ref_template=_REF)
    schema_of = dict(zip(named, schemas, strict=True))
    paths: Json = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rmsd",
            "version": RUNNING_VERSION,
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
    words = one.path.removeprefix("/v1").lstrip("/").split("/")
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
                    "content": {"application/problem+json": {"schema": schema_of[Problem]}},
                }
                for status in sorted({*_ALWAYS, *map(status_of, one.problems)})
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


def _parameter(given: RequestParameter) -> Json:
    return _place(given.name, given.place, given.about, given.schema)


def _place(name: str, place: str, about: str, schema: Json) -> Json:
    return {"name": name, "in": place, "description": about, "schema": schema}


def _answer(one: Operation, schema_of: Mapping[type, Json]) -> Json:
    answer: Json = {"description": "done"}
    if one.answer is None:
        answer["content"] = {one.content: {"schema": _BYTES}}
    else:
        answer["content"] = {"application/json": {"schema": schema_of[one.answer]}}
    if one.headers:
        answer["headers"] = {
            name: {"description": about, "schema": TEXT} for name, about in one.headers
        }
    return answer
