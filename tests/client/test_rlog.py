"""rlog without -f ends, however fast a job writes."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from rmsd_client.rlog import rlog

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
    """While `rlog -f` looks how much there is."""
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
