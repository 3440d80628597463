"""GET /v1/queue: the jobs that are not over, in short."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rmsd_client.calls.queue import FIELDS
from rmsd_wire.api.queue import QueueRow
from tests.daemon.long_lists import read_from
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_OF_NOW = "elapsed_s"
_PART = {"name": "part", "nodes": 1, "tasks": 1}
_IN_PARTS: dict[str, Any] = {"nodes": 2, "tasks": 2, "parts": [_PART, _PART]}


def _states(daemon: Daemon) -> list[str]:
    return [view["state"] for view in daemon.client.jobs()]


def test_the_client_knows_the_fields_of_a_row() -> None:
    assert tuple(FIELDS) == tuple(one.name for one in msgspec.structs.fields(QueueRow))


def test_a_row_has_what_the_view_of_the_job_has(daemon: Daemon) -> None:
    """The jobs run, wait for the first to end, are held, are an array, or one of its tasks."""
    asks: list[dict[str, Any]] = [
        {"emulate": {"run_s": 1e6}, "tasks": 2, "mem_mib": 100, "time_limit_s": 5e6},
        {"emulate": {"run_s": 1e6}, "array": "1-9:2%1", "name": "many"},
        {"emulate": {"run_s": 1e6}, "conditions": {"hold": True}, "comment": "none's"},
        {"emulate": {"run_s": 1.0}, "conditions": {"hold": True}, "array": "3,5"},
        {"emulate": {"run_s": 1.0}, "conditions": {"hold": True}, **_IN_PARTS},
    ]
    daemon.client.submit(asks)
    wait_until(lambda: _states(daemon).count("RUNNING") == 2, "a job and a task run")
    views = daemon.client.jobs()
    columns = daemon.client.queue()
    assert list(columns["part_count"]) == [len(view["parts"]) for view in views]
    for name in FIELDS.keys() - {_OF_NOW, "part_count"}:
        assert list(columns[name]) == [view[name] for view in views], name
    passed = [(view[_OF_NOW], one) for view, one in zip(views, columns[_OF_NOW], strict=True)]
    assert any(one is not None for _, one in passed)
    assert all(one is None if was is None else one >= was for was, one in passed)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_queue_comes_in_parts_and_without_the_jobs_that_are_over(daemon: Daemon) -> None:
    submitted = daemon.client.submit([{"emulate": {"run_s": 1e6}}] * 450)
    ids = [job["job_id"] for job in submitted]
    assert list(daemon.client.queue()["job_id"]) == ids
    daemon.client.cancel_all(ids[:300])
    for job_id in ids[:300]:
        daemon.wait(job_id)
    assert list(daemon.client.queue()["job_id"]) == ids[300:]
    daemon.client.cancel_all(ids[300:])
    for job_id in ids[300:]:
        daemon.wait(job_id)
    assert json.loads(read_from(daemon, "/v1/queue").read())["jobs"] == []
    assert {*map(tuple, daemon.client.queue().values())} == {()}


@pytest.mark.long  # starts a daemon that listens for users
def test_users_see_their_own_jobs_and_operators_those_that_they_ask_for(tcp: Tcp) -> None:
    def shown(caller: str, asked: str | None, role: str = "user") -> set[str]:
        with tcp.client(tcp.token(user=caller, role=role)) as client:
            return set(client.queue(asked)["user"])

    for name in ("ann", "bob"):
        with tcp.client(tcp.token(user=name, role="user")) as client:
            client.submit([{"emulate": {"run_s": 1000.0}}])
    assert shown("ann", None) == shown("ann", "ann,bob") == {"ann"}
    assert shown("ann", "bob") == set()
    assert shown("carl", None, "operator") == {"ann", "bob"}
    assert shown("carl", "bob,dora", "operator") == {"bob"}
