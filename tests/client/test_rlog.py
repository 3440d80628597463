"""rlog without -f ends, however fast a job writes."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_client.rlog import Tail, last_lines, rlog

from .small_server import Answer, Request, json_answer, serve_unix

_MIB = 1 << 20
_PATIENCE_MIB = 64  # a reader that has not ended by then would not end


class _FastWriter:
    """A job that writes two MiB while one is read."""

    def __init__(self) -> None:
        self.length = 2 * _MIB

    def respond(self, request: Request) -> Answer:
        where = urlsplit(request.target)
        if not where.path.endswith("/output"):
            return json_answer({"job": {"state": "RUNNING", "attempt": 1, "cause": None}})
        query = parse_qs(where.query)
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        length = min(limit, max(0, self.length - offset))
        if length > 1 and self.length < _PATIENCE_MIB * _MIB:
            self.length += 2 * _MIB
        headers = {"X-RMS-Offset": str(offset + length), "X-RMS-EOF": "0", "X-RMS-Attempt": "1"}
        return Answer(body=b"x" * (length - 1) + b"\n" * (length > 0), headers=headers)


@pytest.mark.parametrize(("words", "length"), [([], 4 * _MIB), (["-n", "1"], _MIB)])
def test_what_there_was_when_it_began(
    short_dir: Path, capsysbinary: pytest.CaptureFixture[bytes], words: list[str], length: int
) -> None:
    writer = _FastWriter()
    with serve_unix(short_dir / "s", writer.respond):
        assert rlog(["--server", f"unix:{short_dir}/s", *words, "42"]) == 0
    assert len(capsysbinary.readouterr().out) == length
    assert writer.length < _PATIENCE_MIB * _MIB


def test_what_was_read_is_shown_though_the_node_goes_away_then(
    short_dir: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The node goes away while `rlog -f` looks how much there is."""
    text = b"x" * (_MIB - 1) + b"\n" + b"the end\n"
    probes: list[int] = []

    def respond(request: Request) -> Answer:
        where = urlsplit(request.target)
        if not where.path.endswith("/output"):
            return json_answer({"job": {"state": "RUNNING", "attempt": 1, "cause": None}})
        query = parse_qs(where.query)
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        if limit == 1 and not probes:
            probes.append(offset)
            return json_answer({"title": "", "detail": "the node is away"}, 503)
        end = min(len(text), offset + limit)
        over = str(int(end == len(text)))
        headers = {"X-RMS-Offset": str(end), "X-RMS-EOF": over, "X-RMS-Attempt": "1"}
        return Answer(body=text[offset:end], headers=headers)

    with serve_unix(short_dir / "s", respond):
        assert rlog(["--server", f"unix:{short_dir}/s", "-f", "42"]) == 0
    assert capsysbinary.readouterr().out == text
    assert probes


def _show(data: bytes, words: list[str], folder: Path) -> None:
    """Check what `rlog` prints of a job that is over and has written `data`."""

    def respond(request: Request) -> Answer:
        where = urlsplit(request.target)
        if not where.path.endswith("/output"):
            return json_answer({"job": {"state": "COMPLETED", "attempt": 1, "cause": "exit"}})
        query = parse_qs(where.query)
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        end = min(len(data), offset + limit)
        over = str(int(end == len(data)))
        headers = {"X-RMS-Offset": str(end), "X-RMS-EOF": over, "X-RMS-Attempt": "1"}
        return Answer(body=data[offset:end], headers=headers)

    with serve_unix(folder / "s", respond):
        assert rlog(["--server", f"unix:{folder}/s", *words, "42"]) == 0


@pytest.mark.parametrize("more", [0, 1])
def test_the_last_lines_have_a_bound(
    short_dir: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    more: int,
) -> None:
    """Output without line ends is one line, however long it is."""
    monkeypatch.setattr("rmsd_client.rlog.MOST_TAIL", 3 * _MIB)
    _show(b"a" * more + b"x" * 3 * _MIB, ["-n", "2"], short_dir)
    shown, told = capsysbinary.readouterr()
    assert shown == b"x" * 3 * _MIB
    assert (b"longer than 3,145,728 bytes" in told) == bool(more)


def test_no_more_is_kept_than_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is joined once: each part is looked at a bounded number of times."""
    monkeypatch.setattr("rmsd_client.rlog.MOST_TAIL", 1000)
    joined: list[int] = []

    def join(data: bytes, count: int) -> bytes:
        joined.append(len(data))
        return last_lines(data, count)

    monkeypatch.setattr("rmsd_client.rlog.last_lines", join)
    tail = Tail(5)
    for _ in range(10_000):
        tail.add(b"x" * 100)
    assert tail.end() == b"x" * 1100
    assert joined == [1100]


@given(st.lists(st.text("ab\n", max_size=8), max_size=12), st.integers(0, 6))
def test_the_last_lines_of_parts_are_those_of_the_whole(parts: list[str], lines: int) -> None:
    tail = Tail(lines)
    for part in parts:
        tail.add(part.encode())
    assert tail.end() == last_lines("".join(parts).encode(), lines)


def test_an_agent_that_does_not_wait_for_output_is_asked_with_pauses(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent says at once that there is nothing. `rlog -f` asked it 240 times a second."""
    pauses: list[float] = []
    asked: list[str] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    def respond(request: Request) -> Answer:
        if not urlsplit(request.target).path.endswith("/output"):
            return json_answer({"job": {"state": "RUNNING", "attempt": 1, "cause": None}})
        asked.append(request.target)
        over = str(int(len(asked) == 5))
        return Answer(
            body=b"", headers={"X-RMS-Offset": "0", "X-RMS-EOF": over, "X-RMS-Attempt": "1"}
        )

    with serve_unix(short_dir / "s", respond):
        assert rlog(["--server", f"unix:{short_dir}/s", "-f", "42"]) == 0
    assert len(pauses) == 3  # not after what there was when it began, nor after the end
