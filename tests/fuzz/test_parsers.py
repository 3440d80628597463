"""Whatever they are given, readers of what comes from outside understand it or raise their own
error."""

from __future__ import annotations

import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from rmsd_client.errors import ClientError
from rmsd_client.http import Connection
from rmsd_client.server import Address, parse_address
from rmsd_daemon.config import ConfigError, load
from rmsd_daemon.history import parse_filter, parse_job_id
from rmsd_daemon.problems import ApiError
from rmsd_wire import link
from rmsd_wire.hostlist import HostlistError, expand

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


@given(st.binary(max_size=200) | st.lists(_messages, max_size=3).map(msgspec.msgpack.encode))
def test_frames_of_the_agent_link(frame: bytes) -> None:
    for decoder in (link.to_daemon, link.to_agent, link.ended_attempts):
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            for message in decoder.decode(frame):
                assert decoder.decode(link.encoder.encode([message])) == [message]


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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rmsd.toml"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        with suppress(ConfigError):
            load({}, str(path), {"HOME": folder})


def _toml(value: object) -> str:
    return (
        str(value).lower() if isinstance(value, bool | int) else msgspec.json.encode(value).decode()
    )


_NUMBERS = st.integers(0, 5000).map(lambda digits: "1" * digits)
_QUERY = st.sampled_from(["states", "user", "ids", "limit", "x"])


@given(st.dictionaries(_QUERY, st.text() | _NUMBERS))
def test_filters_of_jobs(query: dict[str, str]) -> None:
    with suppress(ApiError):
        parse_filter(query)
    for text in query.values():
        with suppress(ApiError):
            assert parse_job_id(text) >= 0


@given(st.text() | st.from_regex(r"(unix:/|https?://)[^\s]{0,30}(:\d{1,6})?", fullmatch=True))
def test_addresses(text: str) -> None:
    with suppress(ClientError):
        assert isinstance(parse_address(text, "--server"), Address)


@given(st.text(alphabet="n[]-,01", max_size=20) | _NUMBERS.map(lambda text: f"n[{text}-{text}1]"))
def test_host_lists(text: str) -> None:
    with suppress(HostlistError):
        expand(text)


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
    near, far = socket.socketpair()

    class OnePeer(Address):
        def connect(self, timeout_s: float) -> socket.socket:
            near.settimeout(timeout_s)
            return near

    def serve() -> None:
        with far:
            far.recv(1000)
            far.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    connection = Connection(OnePeer(path="/x"), retry_for_s=0.0)
    try:
        with suppress(ClientError):
            assert connection.request("GET", "/").status >= 100
    finally:
        connection.close()
        near.close()
        thread.join()
