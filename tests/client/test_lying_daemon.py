"""The commands against what is no daemon, or lies: one line, the documented exit code, an end."""

from __future__ import annotations

import copy
import itertools
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from rmsd_cli.main import main as rmsd
from rmsd_client.api import Client
from rmsd_client.calls import answers
from rmsd_client.console import cli
from rmsd_client.errors import Unreachable
from rmsd_client.rdel import rdel
from rmsd_client.rlog import rlog
from rmsd_client.rnode import rnode
from rmsd_client.rstat import rstat
from rmsd_client.rsub import rsub
from rmsd_wire import api

from .small_server import Answer, Request, json_answer, serve_unix

_EVIL = "evil\n2026-01-01T00:00:00  root (admin, socket)  shutdown the daemon\033[2J\t"
_VALUES: list[Any] = [None, True, -1, 1 << 61, 1 << 70, 1e308, float("nan"), "", _EVIL, [], {},
                      [None], {"a": None}]  # fmt: skip
_GONE = object()


# ---------------------------------------------------------------- what answers are


_STRUCTS: dict[str, Any] = {
    name: struct
    for module in iter_modules(api.__path__, f"{api.__name__}.")
    for name, struct in vars(import_module(module.name)).items()
}


def _kind(type_: Any) -> str:
    """Return a type of `rmsd_wire.api` as `answers` writes it."""
    if get_origin(type_) is UnionType:
        [kind] = [_kind(one) for one in get_args(type_) if one is not NoneType]
        return f"{kind}?"
    if get_origin(type_) is list:
        return f"[{_kind(*get_args(type_))}]"
    if get_origin(type_) is dict:
        return f"{{{_kind(get_args(type_)[1])}}}"
    if get_origin(type_) is Literal:
        [kind] = {type(one).__name__ for one in get_args(type_)}
        return kind
    return str(type_.__name__)


@pytest.mark.parametrize("view", answers.VIEWS)
def test_the_tables_are_what_the_daemon_answers(view: str) -> None:
    struct = _STRUCTS[view]
    assert issubclass(struct, msgspec.Struct)
    assert answers.fields(view) == {k: _kind(v) for k, v in get_type_hints(struct).items()}


def _example(kind: str) -> Any:
    kind = kind.removesuffix("?")
    if kind[0] == "[":
        return [_example(kind[1:-1])]
    if kind[0] == "{":
        return {"name": _example(kind[1:-1])}
    simple: dict[str, Any] = {"int": 7, "float": 2.5, "str": "text", "bool": True}
    return simple[kind] if kind in simple else _view(kind)


def _view(view: str, **known: Any) -> dict[str, Any]:
    return {name: _example(kind) for name, kind in answers.fields(view).items()} | known


_RUNS = _view("JobView", state="RUNNING", state_code="R", reason="None")
_WAITS = _view("JobView", state="PENDING", state_code="PD", reason="Priority", start_us=None,
               end_us=None, exit_code=None, signal=None)  # fmt: skip
_OVER = _view("JobView", state="FAILED", state_code="F", cause="exit")
_LATER = _view("PlanReply", starts=[_view("StartView", job_id=7)])


class _Case:
    """A command, and the honest answers to it by method and path."""

    def __init__(
        self, command: Callable[[list[str]], int] | None, words: str, told: dict[str, Any]
    ) -> None:
        self.command, self.words, self.told = command, words.split(), told


def _job(job: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"GET /v1/jobs/7": {"job": job}, "GET /v1/plan": _LATER,
            "GET /v1/jobs/7/attempts": _view("AttemptsReply"), **more}  # fmt: skip


def _jobs(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {
        "GET /v1/jobs": _view("JobsReply", jobs=list(jobs or (_RUNS, _WAITS, _OVER)), before=None),
        "GET /v1/plan": _LATER,
        "POST /v1/cancel": _view("CancelReply"),
        "DELETE /v1/jobs/7": {"job": _RUNS},
    }


def _explained(job: dict[str, Any], reason: str) -> dict[str, Any]:
    told = _view("ExplainReply", job=job | {"reason": reason})
    told["wait"]["fits_now"] = False
    return {"GET /v1/jobs/7/explain": told}


_CASES = {
    "rsub": _Case(rsub, "-t 1 --wrap true", {
        "POST /v1/jobs": _view("SubmitReply"), "GET /v1/jobs/7": {"job": _OVER}}),
    "rstat": _Case(rstat, "--color always", _jobs()),
    "rstat -l": _Case(rstat, "-l -t all", _jobs()),
    "rstat --start": _Case(rstat, "--start", _jobs(_WAITS)),
    "rstat -o": _Case(rstat, "-o %i%j%t%T%M%l%L%P%D%C%m%N%r%R%V%S%e%k%u -t all", _jobs()),
    "rstat waits": _Case(rstat, "--color always 7", _job(_WAITS)),
    "rstat runs": _Case(rstat, "7", _job(_RUNS)),
    "rstat over": _Case(rstat, "7", _job(_OVER) | _jobs()),
    "rstat --explain waits": _Case(rstat, "--explain 7", _explained(_WAITS, "Priority")),
    "rstat --explain nodes": _Case(rstat, "--explain 7", _explained(_WAITS, "ReqNodeNotAvail")),
    "rstat --explain runs": _Case(rstat, "--explain 7", _explained(_RUNS, "None")),
    "rstat --usage": _Case(rstat, "--usage 7", {
        "GET /v1/jobs/7/use": _view("JobUseReply"), "GET /v1/steps": _view("StepsReply")}),
    "rdel": _Case(rdel, "--all", _jobs()),
    "rnode": _Case(rnode, "", {"GET /v1/nodes": _view("NodesReply")}),
    "rnode show": _Case(rnode, "show text", {"GET /v1/nodes": _view("NodesReply")}),
    "rnode drain": _Case(rnode, "drain text why", {
        "GET /v1/nodes": _view("NodesReply"), "POST /v1/nodes/text": _view("NodeReply")}),
    "rlog": _Case(rlog, "7", {"GET /v1/jobs/7": {"job": _OVER}}),
    "status": _Case(None, "status", {"GET /v1/status": _view("StatusReply")}),
    "audit": _Case(None, "audit", {"GET /v1/audit": _view("AuditReply", before=None)}),
    "token list": _Case(None, "token list", {"GET /v1/tokens": _view("TokensReply")}),
}  # fmt: skip


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()  # fmt: skip
    for key, one in inside:
        yield from _places(one, (*path, key))


def _changed(told: dict[str, Any], path: tuple[Any, ...], lie: Any) -> dict[str, Any]:
    told = copy.deepcopy(told)
    inner: Any = told
    for key in path[:-1]:
        inner = inner[key]
    if lie is _GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = lie
    return told


def _run(case: _Case, server: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code, as from a shell."""
    if case.command is None:
        with pytest.raises(SystemExit) as end:
            rmsd([*case.words, "--server", server])
        return int(end.value.code or 0)
    monkeypatch.setattr(sys, "argv", ["command", "--server", server, *case.words])
    return cli.run("command", case.command)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "each",
    # long: more lies take more time
    [41, pytest.param(11, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.long)],
    ids=["each forty-first", "each eleventh", "each third"],
)
@pytest.mark.parametrize("name", _CASES)
def test_every_lie_is_told_in_one_line(
    name: str,
    each: int,
    short_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each field of each answer is left out, and has each of many values that it cannot have.

    A list of jobs has 100 fields with 14 lies each, and every one is printed: with each third lie
    this takes seconds. A field is given other lies than the next, and others in another run.
    """
    first = secrets.randbelow(each)
    print(f"first {first}")
    case = _CASES[name]
    told = case.told
    monkeypatch.setattr("rmsd_client.console.stdout.mark_errors", lambda: None)

    def respond(request: Request) -> Answer:
        path = request.target.partition("?")[0]
        if path.endswith("/output"):
            headers = {"X-RMS-Offset": "2", "X-RMS-EOF": "1", "X-RMS-Attempt": "1"}
            return Answer(body=b"x\n", headers=headers)
        return json_answer(told.get(f"{request.method} {path}", {}))

    with serve_unix(short_dir / "s", respond):
        server = f"unix:{short_dir}/s"
        assert _run(case, server, monkeypatch) in (0, 1, 7, 135)
        honest = capsys.readouterr()
        lies = itertools.product(_places(case.told), [_GONE, *_VALUES])
        for path, lie in itertools.islice(lies, first, None, each):
            told = _changed(case.told, path, lie)
            code = _run(case, server, monkeypatch)
            shown = capsys.readouterr()
            where = (path, lie, shown)
            assert 0 <= code <= 255, where
            assert "\033[2J" not in shown.out + shown.err, where
            assert "\n2026-01-01" not in shown.out + shown.err, where
            if code == 75:
                assert 1 <= shown.err.count("\n") <= 1 + honest.err.count("\n"), where


# ---------------------------------------------------------------- how they are sent


class _Sender:
    """Answers each connection with `parts`, for as long as there are any and somebody listens."""

    def __init__(self, path: Path, parts: Callable[[], Iterator[bytes]]) -> None:
        self._parts = parts
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.sent = 0
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> _Sender:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            with connected:
                try:
                    connected.recv(1 << 16)
                    for part in self._parts():
                        connected.sendall(part)
                        self.sent += len(part)
                except OSError:
                    continue


def _for_ever(part: bytes, begin: bytes = b"") -> Callable[[], Iterator[bytes]]:
    def parts() -> Iterator[bytes]:
        yield begin
        while True:
            yield part

    return parts


_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.long  # a command for each of some hundred lies
@pytest.mark.parametrize(
    ("parts", "why"),
    [
        (_for_ever(b"HTTP/1.1 102 Processing\r\n\r\n" * 100), "more than 10 answers"),
        (_for_ever(b"x" * 65536, _OK + b"Content-Length: 100000000000000000\r\n\r\n"), "bytes"),
        (_for_ever(b"x" * 65536, _OK + b"Content-Length: 67108865\r\n\r\n"), "may have 67108864"),
        (_for_ever(b"10000\r\n" + b"x" * 65536 + b"\r\n", _CHUNKED), "may have 67108864"),
        (_for_ever(b"FFFFFFFFFFFF\r\n", _CHUNKED), "may have 67108864"),
        (_for_ever(b"x-a: b\r\n" * 100, _OK), "bytes of headers"),
    ],
)
def test_what_does_not_end_is_not_read_to_its_end(
    short_dir: Path, parts: Callable[[], Iterator[bytes]], why: str
) -> None:
    with (
        _Sender(short_dir / "s", parts) as sender,
        Client(f"unix:{short_dir}/s", retry_for_s=0.0) as client,
        pytest.raises(Unreachable, match=why),
    ):
        client.status()
    assert sender.sent < 80 << 20


def test_what_comes_too_slowly_is_not_waited_for(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A byte now and then is no silence. Time is what the bytes make it here."""
    now_s = [0.0]

    def monotonic() -> float:
        now_s[0] += 3.0
        return now_s[0]

    monkeypatch.setattr("rmsd_client.connection.http.time.monotonic", monotonic)
    head = _OK + b"Content-Length: 1000000\r\n\r\n"
    for parts in (_for_ever(b"a", _OK), _for_ever(b"a", head)):
        path = short_dir / f"s{now_s[0]:g}"
        with (
            _Sender(path, parts),
            Client(f"unix:{path}", retry_for_s=0.0) as client,
            pytest.raises(Unreachable, match="too slowly"),
        ):
            client.status()


@pytest.mark.parametrize("status", [101, 300, 302, 307])
def test_no_redirect_is_a_success(short_dir: Path, status: int) -> None:
    head = f"HTTP/1.1 {status} X\r\nLocation: https://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\n{{}}"
    with (
        serve_unix(short_dir / "s", lambda _: Answer(raw=head.encode())),
        Client(f"unix:{short_dir}/s", retry_for_s=0.0) as client,
        pytest.raises(Unreachable),
    ):
        client.forget_node("n1")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-RMS-Offset": "2"},
        {"X-RMS-Offset": "x", "X-RMS-EOF": "0"},
        {"X-RMS-Offset": "9" * 5000, "X-RMS-EOF": "0"},
        {"X-RMS-Offset": "1", "X-RMS-EOF": "0"},
        {"X-RMS-Offset": "2", "X-RMS-EOF": "0", "X-RMS-Signal": "kill"},
    ],
)
def test_output_says_where_it_is(short_dir: Path, headers: dict[str, str]) -> None:
    with (
        serve_unix(short_dir / "s", lambda _: Answer(body=b"ab", headers=headers)),
        Client(f"unix:{short_dir}/s", retry_for_s=0.0) as client,
        pytest.raises(Unreachable, match="is not an rmsd daemon"),
    ):
        client.output(1)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_list_ends(short_dir: Path, monkeypatch: pytest.MonkeyPatch, goes_on: bool) -> None:
    """One list begins again, and another one goes on and on."""
    monkeypatch.setattr("rmsd_client.calls.calls.MOST_PAGES", 5)
    served: list[int] = []

    def respond(_: Request) -> Answer:
        served.append(1000 - len(served) * goes_on)
        return json_answer({"jobs": [], "before": served[-1]})

    with (
        serve_unix(short_dir / "s", respond),
        Client(f"unix:{short_dir}/s", retry_for_s=0.0) as client,
        pytest.raises(Unreachable, match="does not end"),
    ):
        client.jobs()
    assert len(served) == (5 if goes_on else 2)
