"""The fuzzing of a whole system (`tests.fuzz_system`), in short, and what its judge can find."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rmsd_daemon.front.operations import BY_ROUTE
from rmsd_wire import link
from rmsd_wire.api.submission import SubmitSpec
from tests.fuzz_system import sandbox, websocket
from tests.fuzz_system.judge import Finding, complaint
from tests.fuzz_system.requests import Known, job_of, request
from tests.fuzz_system.transcript import Act, Transcript, filled, read
from tests.fuzz_system.values import Values, packed

_ACTS = 20


@pytest.mark.live
@pytest.mark.long  # each starts a whole system twice
@pytest.mark.timeout(900)  # waits for long if the machine is busy
@pytest.mark.parametrize("seed", [["--seed", "known"], []], ids=["known seed", "new seed"])
def test_hostile_parties_disturb_nobody(seed: list[str], tmp_path: Path) -> None:
    """A daemon and five agents start, are talked to by all parties, and start once more."""
    if not sandbox.is_possible():
        pytest.skip("only root can make the namespaces")
    record = tmp_path / "record.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.fuzz_system", "--acts", str(_ACTS), *seed),
            *("--record", str(record), "--findings", str(tmp_path / "findings")),
        ],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(record.read_text())
    assert told["findings"] == []
    assert told["acts"]["callers"] == _ACTS
    assert min(told["acts"].values()) > 0
    assert sum(told["honest_jobs"].values()) > 0


# ---------------------------------------------------------------- what is made up


def test_an_operator_who_may_end_all_jobs_names_no_honest_one() -> None:
    known = Known()
    known.honest = [1]
    chosen = {job_of(Values(random.Random(seed)), known, "operator") for seed in range(200)}
    assert not chosen & {*known.honest}


def test_no_text_names_another_file_than_is_meant() -> None:
    for seed in range(2000):
        text = Values(random.Random(seed)).text(4096)
        assert "/" not in text
        assert ".." not in text


@pytest.mark.parametrize("kind", [SubmitSpec, link.Hello, link.Launch, link.ExitedReport])
def test_values_without_odd_ones_are_what_their_reader_expects(kind: type[Any]) -> None:
    for seed in range(200):
        made = Values(random.Random(seed)).of(kind)
        assert isinstance(msgspec.msgpack.decode(packed(made), type=kind), kind)


def test_odd_values_are_mostly_refused_and_always_packed() -> None:
    refused = 0
    for seed in range(200):
        frame = packed(Values(random.Random(seed), 0.3).of(link.Launch))
        try:
            link.to_agent.decode(frame)
        except msgspec.MsgspecError:
            refused += 1
    assert 100 < refused < 200


@pytest.mark.slow
def test_every_route_but_the_shutdown_is_asked_for() -> None:
    kinds = {request(n, Values(random.Random(n)), Known()).kind for n in range(2000)}
    assert kinds == {" ".join(route) for route in BY_ROUTE} - {"POST /v1/shutdown"}


# long: five times as many requests
@pytest.mark.parametrize("count", [2000, pytest.param(10_000, marks=pytest.mark.long)])
def test_an_operator_ends_no_honest_job(count: int) -> None:
    """A request of an operator named job 1, which the daemon was blamed for then."""
    known = Known()
    known.honest = list(range(1, 1000))
    acts = [request(n, Values(random.Random(n)), known) for n in range(count)]
    ends = ("DELETE /v1/jobs/{id}", "POST /v1/cancel", "PATCH /v1/jobs/{id}", "POST /v1/jobs/{id}")
    told = [act for act in acts if act.to == "operator" and act.kind in ends]
    assert len({act.kind for act in told}) == len(ends)
    for act in told:
        is_list = act.kind == "POST /v1/cancel" and act.how != "chunked"  # chunks have sizes
        body = act.said[-1] if is_list else b""
        path = act.said[0].split()[1].partition(b"?")[0].removeprefix(b"/v1")
        named = re.findall(rb"\d+", path + b" " + body)
        assert not {int(one) for one in named} & {*known.honest}, act


def test_acts_are_the_same_from_a_transcript(tmp_path: Path) -> None:
    acts = [request(n, Values(random.Random(n)), Known()) for n in range(50)]
    transcript = Transcript(tmp_path / "acts")
    for act in acts:
        transcript.add(act)
    transcript.close()
    assert list(read(tmp_path / "acts")) == acts
    assert filled(b"a@b@", {b"@b@": b"c"}) == b"ac"


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
@pytest.mark.parametrize("masked", [True, False])
def test_frames_are_read_as_they_were_written(size: int, masked: bool) -> None:
    wire = websocket.frame(b"x" * size, masked=masked)
    with socket.socket() as sock:
        peer = websocket.Peer(sock, wire)
        assert peer.receive(0) == (websocket.BINARY, b"x" * size)


# ---------------------------------------------------------------- what the judge finds


@pytest.mark.parametrize(
    ("name", "line", "found"),
    [
        ("daemon", '{"event": "request-failed"}', True),
        ("daemon", '{"event": "agent-lost"}', False),
        ("daemon", '{"event": "pruning-failed"}', True),
        ("daemon", '{"event": "state-reloaded"}', False),  # also after a snapshot
        ("daemon", '{"event": "message-unreadable", "agent_id": "liar0"}', False),
        ("daemon", '{"event": "message-unreadable", "agent_id": "other"}', True),
        ("x", '{"event": "shepherd-killed"}', True),
        ("b", '{"event": "shepherd-malformed"}', False),
        ("b", '{"event": "x", "exception": "Traceback"}', True),
        ("v", '{"event": "message-failed", "exception": "Traceback"}', False),
        ("shepherds of v", "Traceback (most recent call last):", True),
        ("shepherds of v", "shepherd 5: no order of an agent", False),
    ],
)
def test_the_judge_knows_failures_in_logs(name: str, line: str, found: bool) -> None:
    assert bool(complaint(name, line)) == found


def test_the_same_finding_is_told_once() -> None:
    texts = ["KeyError: 'a' at rmsd_agent/pool.py heard\nTraceback 1",
             "KeyError: 'b\u202e' at rmsd_agent/pool.py heard\nTraceback 2"]  # fmt: skip
    assert len({Finding("log of b", text).signature for text in texts}) == 1
    assert Finding("ended", "the r").signature != Finding("ended", "the x").signature
    assert "said" in str(Act("callers", 1, "GET /v1/jobs", said=[b"said"]))
