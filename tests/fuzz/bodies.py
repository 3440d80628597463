"""Bodies of requests to the daemon, and what is made of the jobs in them."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from rmsd_core.model_time import UNLIMITED_US
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.submission import Details, Payload, Rules, new_job
from rmsd_daemon.domain.texts import check_words
from rmsd_daemon.front.parameters import parse_filter, parse_job_id
from rmsd_daemon.front.request_limits import check_count, decode
from rmsd_wire.api.nodes import NodeAction
from rmsd_wire.api.submission import SubmitBody, SubmitSpec
from rmsd_wire.api.tasks import TaskSpec
from rmsd_wire.api.tokens import JoinBody, NewToken
from tests.fuzz.harness import Harness

_RULES = (
    Rules("nodes", None, 1 << 20, "/home"),
    Rules("counted", 60.0, 100, "/", restartable=False),
)


def submit(body: bytes) -> None:
    """Check that jobs can be kept in the database and are the same afterwards, or a DaemonError is
    raised."""
    with suppress(DaemonError):
        check_count(body, 10)
        for spec in decode(body, SubmitBody).jobs:
            job(spec)


def job(spec: SubmitSpec) -> None:
    for rules in _RULES:
        with suppress(DaemonError):
            new = new_job(spec, "ann", 0, rules)
            assert 0 < new.job.estimate_us <= UNLIMITED_US
            assert 0 < new.job.request.size <= 1 << 24
            details, payload = msgspec.json.encode(new.details), msgspec.json.encode(new.payload)
            assert msgspec.json.decode(details, type=Details) == new.details
            assert msgspec.json.decode(payload, type=Payload) == new.payload


def others(body: bytes) -> None:
    """Expect what is the same when it is said again, or a DaemonError."""
    kinds: tuple[type[msgspec.Struct], ...] = (TaskSpec, JoinBody, NodeAction, NewToken)
    for kind in kinds:
        with suppress(DaemonError):
            read = decode(body, kind)
            assert decode(msgspec.json.encode(read), kind) == read
            if isinstance(read, TaskSpec):
                check_words("argv", read.argv, read.env)


def query(values: dict[str, str]) -> None:
    """Expect a filter and numbers of jobs, or a DaemonError."""
    with suppress(DaemonError):
        parse_filter(values)
    for text in values.values():
        with suppress(DaemonError):
            assert parse_job_id(text) >= 0


def check(data: bytes) -> None:
    submit(data)
    others(data)
    words = data.decode("utf-8", "surrogateescape").split("&")
    query(dict(word.partition("=")[::2] for word in words))


_SCRIPT = SubmitSpec(
    script="#!/bin/sh\necho\n", name="a", tasks=2, time_limit_s=60.0, env={"A": "b"}, args=["x"]
)

HARNESS = Harness(
    what="bodies and queries of requests",
    check=check,
    readers=(
        "rmsd_daemon.domain.submission",
        "rmsd_daemon.domain.texts",
        "rmsd_daemon.domain.conditions",
        "rmsd_daemon.front.parameters",
    ),
    seeds=(
        msgspec.json.encode(SubmitBody(jobs=[_SCRIPT])),
        b'{"jobs":[{"emulate":{"run_s":1.5},"nodes":2,"constraint":"emulated"}]}',
        b'{"jobs":[{"script":"#!x","notify":"http://[","stdout":"%j","mem_mib":5}]}',
        b'{"jobs":[{"script":"#!x","warn_signal":{"number":10,"before_s":1e9}}]}',
        b'{"jobs":[' + b"[" * 2000,
        b'{"jobs":[' + b'{"a":' * 800,
        b'{"jobs":[{"name":"\xff"}]}',
        b'{"node":"n1","step":"s","task":0,"argv":["true"],"env":{"A":"b"}}',
        b"states=RUNNING,PENDING&user=ann&ids=1,2&limit=5",
        b"ids=" + b"1" * 5000,
    ),
)
