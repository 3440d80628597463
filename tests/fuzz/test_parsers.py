"""Readers of input from outside understand it or raise their own error, whatever they are given:
the properties of the harnesses, under inputs that are nearly right."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import answers, bodies, configuration, frames, notations, options

_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_tags = st.sampled_from(["hello", "launched", "exited", "reply", "welcome", "launch", "stop", "x"])
_fields = st.sampled_from(
    ["seq", "job_id", "attempt", "node", "cause", "nodes", "held", "epoch", "call", "ago_s", "data"]
)
_messages = st.builds(
    lambda tag, fields: {"type": tag, **fields}, _tags, st.dictionaries(_fields, _values)
)


@pytest.mark.slow
@given(st.binary(max_size=200) | st.lists(_messages, max_size=3).map(msgspec.msgpack.encode))
def test_frames_of_the_agent_link(frame: bytes) -> None:
    frames.frame(frame)


_status = st.fixed_dictionaries(
    {"cause": st.sampled_from(["exit", "limit", "x"])},
    optional={"exit_code": _values, "signal": _values, "message": _values, "ended_s": _values},
)
_said = st.fixed_dictionaries(
    {"op": st.sampled_from(["here", "started", "ended", "refused", "unable", "x"])},
    optional={
        "unit": st.text() | st.none(),
        "pid": _values,
        "shepherd": st.tuples(st.integers(), st.integers()) | _values,
        "status": _status,
        "message": st.text(),
    },
)
_lines = st.lists(st.binary(max_size=20) | (_said | _status).map(msgspec.json.encode), max_size=4)


@given(_lines.map(b"\n".join))
def test_lines_of_shepherds_and_records_on_disk(data: bytes) -> None:
    frames.shepherd_lines(data)
    frames.records(data)
    frames.journal(data)


@given(
    st.text() | st.from_regex(r"[A-Za-z0-9_./-]{0,110}\n?", fullmatch=True), st.integers(0, 1 << 31)
)
def test_names_of_steps(step: str, task: int) -> None:
    frames.step_name(step, task)


_KEYS = st.sampled_from(
    ["listen", "rate", "recipe", "kill_grace", "max_script_size", "max_request_rate", "operators"]
)


@given(
    st.text()
    | st.dictionaries(_KEYS, st.text() | st.integers() | st.booleans(), max_size=4).map(
        lambda table: "\n".join(f"{key} = {_toml(value)}" for key, value in table.items())
    )
)
def test_configuration(text: str) -> None:
    configuration.configuration(text.encode("utf-8", "surrogatepass"))


def _toml(value: object) -> str:
    return (
        str(value).lower() if isinstance(value, bool | int) else msgspec.json.encode(value).decode()
    )


_NUMBERS = st.integers(0, 5000).map(lambda digits: "1" * digits)
_QUERY = st.sampled_from(["states", "user", "ids", "limit", "x"])


@given(st.dictionaries(_QUERY, st.text() | _NUMBERS))
def test_filters_of_jobs(query: dict[str, str]) -> None:
    bodies.query(query)


_FIELDS = st.sampled_from(
    ["script", "name", "tasks", "nodes", "time_limit_s", "stdout", "env", "args", "notify"]
)
_jobs = st.dictionaries(_FIELDS, _values | st.just("#!/bin/sh") | st.integers(0, 9), max_size=4)


@given(st.lists(_jobs, max_size=3))
def test_bodies_of_requests(jobs: list[object]) -> None:
    bodies.submit(msgspec.json.encode({"jobs": jobs}))


@pytest.mark.slow
@given(st.text() | st.from_regex(r"(unix:/|https?://)[^\s]{0,30}(:\d{1,9})?", fullmatch=True))
def test_addresses(text: str) -> None:
    options.address(text)


_words = st.sampled_from(
    ["-n", "-c", "-Wn", "--signal", "--time=", "--nodes", "--export", "--", "-", "5", "B:9@"]
)


@given(st.lists((_words | st.text(max_size=5) | _NUMBERS), max_size=6))
def test_command_lines_and_settings(words: list[str]) -> None:
    options.command_line(words)
    options.directives("#RSUB " + " ".join(words))
    options.export(",".join(words))
    options.environment({"RSUB_SIGNAL": "".join(words), "RSUB_NTASKS": "".join(words)})


@given(st.dictionaries(st.sampled_from(["ntasks", "time", "wait", "x"]), st.text() | st.integers()))
def test_files_of_settings(table: dict[str, object]) -> None:
    lines = [f"{key} = {_toml(value)}" for key, value in table.items()]
    options.settings_file("\n".join(["[rsub]", *lines]).encode("utf-8", "surrogatepass"))


@given(st.text(alphabet="n[]-,01", max_size=20) | _NUMBERS.map(lambda text: f"n[{text}-{text}1]"))
def test_host_lists(text: str) -> None:
    notations.host_list(text)


@given(st.text(alphabet="0123456789:-.dhmsMGTKiBUN[](x),n ", max_size=20) | _NUMBERS)
def test_short_notations(text: str) -> None:
    notations.duration(text)
    notations.size(text)
    notations.host_list(text)
    notations.task_counts(text)


_LENGTHS = (st.integers().map(str) | st.text() | st.sampled_from(["\u00b2", "9" * 5000])).map(
    lambda text: b"Content-Length: " + text.encode("latin-1", "replace")
)
_OTHERS = st.sampled_from([b"Transfer-Encoding: chunked", b"Retry-After: x", b"X"])
_LINES = st.lists(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK",
            b"HTTP/1.1 429 Too many",
            b"HTTP/1.1",
            b"Content-Length: 5",
            b"Content-Length: -1",
            b"Content-Length: " + "\u00b2".encode("latin-1"),
            b"Transfer-Encoding: chunked",
            b"Retry-After: x",
            b"Connection: close",
            b"",
            b"5",
            b"-5",
            b"hello",
        ]
    )
    | st.binary(max_size=20),
    max_size=12,
)


_HEADERS = st.lists(_LENGTHS | _OTHERS, max_size=3)


@given(
    _LINES.map(b"\r\n".join)
    | st.tuples(_HEADERS, _LINES).map(
        lambda parts: b"\r\n".join([b"HTTP/1.1 200 OK", *parts[0], b"", *parts[1], b""])
    )
)
def test_answers_of_http(answer: bytes) -> None:
    answers.check(answer)
