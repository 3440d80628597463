"""Requests over HTTP, made from the table of routes: usable, nearly so, and hostile ones."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote_from_bytes

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.front.operations import BY_ROUTE
from rmsd_wire.api.jobs import CancelBody
from rmsd_wire.api.nodes import NodeAction
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.api.tasks import TaskSpec
from rmsd_wire.api.tokens import JoinBody, NewToken
from rmsd_wire.rlimits import LARGEST, RLIMITS
from tests.fuzz_system.odd_scripts import script
from tests.fuzz_system.system import HOSTILE, JOB_TOKEN, LIARS, placeholder
from tests.fuzz_system.transcript import ROOT, Act
from tests.fuzz_system.values import Hints, Values

_STRANGERS = ("user", "operator", "job", "agent", "joiner", "nobody", "garbage", "socket")
"""All callers there are, whether or not they are served."""
_SERVED: Mapping[Role, tuple[str, ...]] = {
    Role.USER: ("user", "user", "socket", "operator", "job"),
    Role.OPERATOR: ("operator",),
    Role.AGENT: ("joiner", "agent"),
}
"""The callers that are served, by the role that a route needs, as often as each comes."""

HOWS = ("whole",) * 20 + ("pieces", "broken-off", "unread", "hang-up", "pipelined", "chunked",
                          "wrong-length", "bent-head")  # fmt: skip
"""The manners in which requests are sent, as often as each comes."""

_WORK = ROOT.decode() + "/w"
_OF_HOSTILE = 40
"""Latest jobs of hostile callers that requests speak of."""
_MOST_BODY_BYTES = 17 << 20
"""The largest body of a submit, roughly: one MiB more than the daemon takes."""
_SHUTDOWN = ("POST", "/v1/shutdown")  # left out: a daemon that grants it would be gone
_STREAM = ("GET", "/v1/events")
_HOWS_OF_A_STREAM = ("unread", "broken-off", "hang-up")
"""The manners for a stream, which has no end that a caller could wait for."""


_NO_JOB = 1 << 40
"""The number of no job, for requests before there are hostile ones: 1 may be an honest job's."""


class Known:
    """The jobs that requests speak of: those of hostile callers, and `honest` ones."""

    def __init__(self) -> None:
        self.jobs: list[int] = [_NO_JOB]
        self.honest: list[int] = []

    def add_jobs(self, ids: list[int]) -> None:
        self.jobs = [*self.jobs, *ids][-_OF_HOSTILE:]


def request(number: int, values: Values, known: Known) -> Act:
    """Make up a request."""
    rng = values.rng
    method, path = rng.choice([route for route in BY_ROUTE if route != _SHUTDOWN])
    if values.chance(0.25):
        method, path = "POST", "/v1/jobs"
    served = _SERVED.get(BY_ROUTE[method, path].needs.role, _STRANGERS)
    identity = rng.choice(served if values.chance(0.8) else _STRANGERS)
    how = rng.choice(_HOWS_OF_A_STREAM if (method, path) == _STREAM else HOWS)
    # An operator who names somebody's job by chance may well name an honest one, and end it.
    names_jobs = identity == "operator" and ("/jobs/" in path or path == "/v1/cancel")
    odd = 0.0 if names_jobs else rng.choice((0.0, 0.03, 0.2))
    how = "whole" if names_jobs and how == "bent-head" else how
    values = Values(rng, odd, _hints(known, identity))
    body = _body(method, path, values)
    target = _filled(path, values) + _query(method, path, values)
    head, body = _headers(values, identity, how, body)
    first = f"{method if values.chance(0.98) else values.word().upper()} ".encode()
    said = [first + target + b" HTTP/1.1\r\n" + head, body]
    if how == "bent-head":
        said[0] = values.bent(said[0])
    if how in ("whole", "pieces") and b"X-Odd" in said[0]:
        how = "odd-header"
    return Act("callers", number, f"{method} {path}", how, identity, said)


# ---------------------------------------------------------------- bodies

_BODIES: Mapping[tuple[str, str], Any] = {
    ("POST", "/v1/cancel"): CancelBody,
    ("POST", "/v1/jobs/{id}/tasks"): TaskSpec,
    ("POST", "/v1/nodes/{name}"): NodeAction,
    ("POST", "/v1/tokens"): NewToken,
    ("POST", "/v1/join"): JoinBody,
}


def _body(method: str, path: str, values: Values) -> bytes:
    if (method, path) == ("POST", "/v1/jobs"):
        body = _submit(values)
    elif kind := _BODIES.get((method, path)):
        body = values.json(values.of(kind))
    else:
        return b"" if values.chance(0.95) else values.json(values.anything())
    if values.chance(values.odd / 2):
        return values.bent(body)
    return values.nested() if values.chance(values.odd / 10) else body


def _submit(values: Values) -> bytes:
    count = 1 if values.chance(0.8) else values.rng.choice((0, 2, 10, 100, 999, 1000, 1001))
    specs = [_spec(values) for _ in range(min(count, 3))]
    count = min(count, 1 + _MOST_BODY_BYTES // max(1, len(values.json(specs))))
    return values.json({"jobs": (specs * (count // 3 + 1))[:count]})


def _spec(values: Values) -> Any:
    """Make up a job. Most are small, so that many of them come to run."""
    spec = values.of(SubmitSpec)
    if not isinstance(spec, dict) or values.chance(values.odd):
        return spec
    spec.pop("user", None)
    if values.chance(0.3):
        spec.pop("script", None)
        spec.pop("warn_signal", None)
        spec.pop("rlimits", None)
        spec["emulate"] = {"run_s": values.rng.choice((0, 0.1, 2)), "exec": "timer"}
    else:
        spec.pop("emulate", None)
        spec["script"] = script(values)
    if values.chance(0.03):  # each is within its limit, and together they are long
        spec["name"] = values.rng.choice(("n", "\U0001f9ea")) * 256
        spec[values.rng.choice(("stdout", "stderr"))] = _repeated(values)
    return spec


def _rlimits(values: Values) -> Iterator[tuple[str, int | None]]:
    """Yield limits, some of which let a job do nothing."""
    for name in values.rng.sample(RLIMITS, values.rng.randint(1, len(RLIMITS))):
        yield name, values.rng.choice((None, 0, 1, 4096, 1 << 20, 1 << 30, LARGEST))


def _hints(known: Known, identity: str) -> Hints:
    rng_of: Callable[[Values], Any] = lambda v: v.rng  # noqa: E731
    return {
        "script": script,
        "name": lambda v: v.word() if not v.odd or v.chance(0.8) else v.text(256),
        "comment": lambda v: v.word() if not v.odd or v.chance(0.8) else v.text(4096),
        "submit_dir": lambda _: "/",
        "restartable": lambda v: v.rng.choice((None, True, False)),
        "warn_signal": lambda v: None if v.chance(0.8) else {"number": 10, "before_s": 0.5},
        "rlimits": lambda v: {} if v.chance(0.8) else dict(_rlimits(v)),
        "args": _words,
        "argv": lambda v: v.rng.choice((["true"], ["sleep", "0.2"], ["false"], _words(v))),
        "env": _environment,
        "workdir": lambda v: v.rng.choice(
            (_WORK, *(["/nonexistent", "/", _deep(v)] * bool(v.odd)))
        ),
        "stdout": _pattern,
        "stderr": _pattern,
        "tasks": lambda v: v.rng.choice((None, 1, 1, 1, 2)),
        "cpus_per_task": lambda v: v.rng.choice((1, 1, 2)),
        "nodes": lambda v: v.rng.choice((None, None, None, 1, 2)),
        "mem_mib": lambda v: v.rng.choice((0, 0, 1, 30)),
        "time_limit_s": lambda v: v.rng.choice((0.2, 1.0, 3.0, 5.0)),
        "constraint": lambda v: v.rng.choice((None, None, "emulated", "real")),
        "number": lambda v: rng_of(v).randint(1, 64),
        "before_s": lambda v: v.rng.choice((0.0, 0.5, 60.0)),
        "run_s": lambda v: v.rng.choice((0.0, 0.1, 1.5)),
        "notify": lambda v: v.rng.choice(
            ("", "", "http://127.0.0.1:9/x", *(["http://[", "ftp://x"] * bool(v.odd)))
        ),
        "user": lambda v: v.rng.choice((HOSTILE, HOSTILE, "root", "bin", "mail", v.text(256))),
        "job_ids": lambda v: [job_of(v, known, identity) for _ in range(v.rng.randint(0, 3))],
        "jobs": lambda v: [str(job_of(v, known, identity)) for _ in range(v.rng.randint(0, 2))],
        "waiting": lambda v: [job_of(v, known, identity) for _ in range(v.rng.randint(0, 2))],
        "node": lambda v: v.rng.choice(("e1", "x1", "b1", "r1", "v1")),
        "step": lambda v: v.rng.choice(("s", "0", "t-1")),
        "task": lambda v: v.rng.choice((0, 1, 300)),
        "attempt": lambda v: v.rng.choice((0, 1, 2)),
        "action": lambda v: v.rng.choice(("drain", "resume", "resume")),
        "reason": lambda v: v.word() if not v.odd or v.chance(0.7) else v.text(1000),
        "id": lambda v: v.rng.randbytes(6).hex(),
        "digest": lambda v: v.rng.randbytes(32).hex(),
        "role": lambda v: v.rng.choice(("user", "user", "operator", "admin", "agent")),
        "expires_s": lambda v: v.rng.choice((None, 1.0, 60.0)),
        "uses": lambda v: v.rng.choice((None, 1, 2)),
        "agent_id": lambda v: v.rng.choice(
            (*LIARS[:2], v.word().replace("-", "x").replace("_", "y"))
        ),
    }


def _words(values: Values) -> list[str]:
    if not values.odd:
        return [values.word()]
    if values.chance(0.9):
        return [values.text() for _ in range(values.rng.randint(0, 3))]
    return ["x" * ((1 << 17) - 1 - values.rng.choice((0, 1)))] * values.rng.choice((1, 7, 8))


def _environment(values: Values) -> dict[str, str]:
    if not values.odd:
        return {"A": values.word()}
    if values.chance(0.9):
        return {values.text(): values.text() for _ in range(values.rng.randint(0, 3))}
    if values.chance(0.5):
        return {f"V{i}": "x" for i in range(values.rng.choice((1000, 5000)))}
    return {"V": "x" * ((1 << 17) - 3 - values.rng.choice((0, 1)))}


def _pattern(values: Values) -> str:
    """Make up an output path: below the folder of the test, or where nothing can be harmed."""
    if not values.odd or values.chance(0.6):
        return values.rng.choice(("", "", "rms-%j.out", "%x-%u-%N-%t-%r-%%.out", "%A"))
    if values.chance(0.5):
        return _repeated(values)
    return values.rng.choice(
        ("/dev/null", "/dev/full", "/nonexistent/%j", "/", "/dev", "/proc/self/fd/1", "/proc/self",
         "/dev/stdout", _WORK, f"{_WORK}/", f"{_WORK}/{values.text(4000)}", _deep(values))
    )  # fmt: skip


def _repeated(values: Values) -> str:
    letter = values.rng.choice(("%x", "%x", "%u", "%N", "%%", "%j"))
    return f"{_WORK}/" + letter * values.rng.choice((1, 10, 100, 300, 1000, 2030))


def _deep(values: Values) -> str:
    """Make up a long path below the folder of the test."""
    part = values.rng.choice(("d", "\U0001f9ea", "%x"))
    return (f"{_WORK}/" + f"{part}/" * 2050)[: values.rng.choice((255, 1000, 4095, 4096, 4097))]


# ---------------------------------------------------------------- what the path names


def job_of(values: Values, known: Known, identity: str) -> int:
    """Choose a job of hostile callers; an honest one only for a caller who must be refused."""
    if identity != "operator" and known.honest and values.chance(0.1):
        return values.rng.choice(known.honest)
    return values.rng.choice(known.jobs)


def _filled(path: str, values: Values) -> bytes:
    """Return the path with its names filled in."""
    target = path
    for name in ("id", "name", "step", "task"):
        if f"{{{name}}}" in target:
            target = target.replace(f"{{{name}}}", _segment(path, name, values))
    return target.encode()


def _segment(path: str, name: str, values: Values) -> str:
    if values.chance(values.odd / 2):
        text = values.rng.choice((values.text(), str(values.whole()), "9" * 30, "0", "-1", "01"))
    elif "tokens" in path:
        text = values.rng.randbytes(6).hex()
    elif name == "name":
        text = values.rng.choice(("b1", "b2", "liar0-a", "liar1-b", "liar2-c"))
    else:
        hinted = {"id": "job_ids", "step": "step", "task": "task"}[name]
        made = values.hinted(hinted)
        made = made[0] if isinstance(made, list) and made else made
        text = str(made or (_NO_JOB if name == "id" else 1))
    return _quoted(text)


def _quoted(text: str) -> str:
    return quote_from_bytes(text.encode("utf-8", "surrogatepass"), safe="")


_QUERIES: Mapping[str, tuple[str, ...]] = {
    "/v1/jobs": ("states", "user", "name", "ids", "limit"),
    "/v1/jobs/{id}": ("wait_s",),
    "/v1/jobs/{id}/output": (
        "stream", "offset", "limit", "wait_s", "node", "step", "task", "attempt",
    ),
    "/v1/jobs/{id}/tasks/{step}/{task}": ("node", "signal"),
    "/v1/audit": ("since_us", "user", "limit"),
}  # fmt: skip
_USUAL: Mapping[str, tuple[str, ...]] = {
    "states": ("PD", "all", "CD,F", "RUNNING"),
    "user": (HOSTILE, "root"),
    "ids": ("1", "1,2,3", ""),
    "limit": ("0", "1", "100"),
    "wait_s": ("0", "0.1", "1"),
    "stream": ("stdout", "stderr"),
    "offset": ("0", "5", "100000"),
    "signal": ("15", "9", "10", "64", "65", "0"),
    "since_us": ("0",),
    "node": ("e1", "b1", "x1"),
    "step": ("", "s"),
    "task": ("0", "1"),
    "attempt": ("1", "2"),
}


def _query(method: str, path: str, values: Values) -> bytes:
    names = _QUERIES.get(path, ())
    if method == "POST" or not names:
        names = ()
    pairs = []
    for name in names:
        if values.chance(0.4):
            odd = values.chance(values.odd)
            text = values.text() if odd else values.rng.choice(_USUAL.get(name, ("x",)))
            pairs.append(f"{name}={_quoted(text)}")
    if values.chance(values.odd / 2):
        pairs.append(f"{_quoted(values.text())}={_quoted(values.text())}")
    return ("?" + "&".join(pairs)).encode() if pairs else b""


# ---------------------------------------------------------------- headers


def _headers(values: Values, identity: str, how: str, body: bytes) -> tuple[bytes, bytes]:
    """Return the headers with the empty line behind them, and the body as it is sent."""
    lines = [b"Host: rmsd"]
    if shown := _shown(values, identity):
        lines.append(b"Authorization: Bearer " + shown)
    if values.chance(values.odd / 3):
        lines += [b"X-Odd: 1", _odd_header(values)]
    if how == "chunked":
        lines.append(b"Transfer-Encoding: chunked")
        body = _chunked(values, body)
    elif body or values.chance(0.2):
        off = values.rng.choice((-1, 1, 1 << 40)) if how == "wrong-length" else 0
        if values.chance(values.odd / 10):
            body = gzip.compress(body)
            lines.append(b"Content-Encoding: gzip")
        lines.append(b"Content-Length: %d" % max(0, len(body) + off))
    if values.chance(0.3):
        lines.append(b"Idempotency-Key: " + values.rng.choice((b"k", b"", b"x" * 255, b"x" * 256)))
    if values.chance(0.5):
        lines.append(b"Content-Type: application/json")
    return b"\r\n".join([*lines, b"", b""]), body


def _shown(values: Values, identity: str) -> bytes:
    """Return the placeholder for the caller's token; empty for a caller who shows none."""
    if identity == "job":
        return JOB_TOKEN
    if identity == "garbage":
        text = values.text().encode("utf-8", "replace")
        return text.translate(None, b"\r\n\0") or b"x"
    return b"" if identity in ("nobody", "socket") else placeholder(identity)


def _odd_header(values: Values) -> bytes:
    name = values.rng.choice(
        ("X-Y", "Origin", "Expect", "Connection", "Upgrade", "Range", "Content-Type", "Cookie",
         "Content-Length", "Transfer-Encoding", "Accept-Encoding", "Host", "")
    )  # fmt: skip
    value = values.rng.choice(
        ("100-continue", "close", "websocket", "identity", "x" * 9000, "0", "-1", values.text())
    )
    return f"{name}: {value}".encode("utf-8", "replace")


def _chunked(values: Values, body: bytes) -> bytes:
    if values.chance(0.3):
        return b"%x\r\n" % values.rng.choice((len(body) + 1, 1 << 62)) + body + b"\r\n0\r\n\r\n"
    half = len(body) // 2
    parts = [part for part in (body[:half], body[half:]) if part]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
