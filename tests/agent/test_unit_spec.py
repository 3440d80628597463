"""The record of what a shepherd runs, between an agent and a shepherd."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rmsd_agent.attempts.errors import TaskError
from rmsd_agent.calls.problems import problem_of
from rmsd_agent.shepherd.standalone.unit_spec import UNUSABLE, UnitSpec, Warn
from rmsd_wire.link_calls import StopTask


def order(**changes: Any) -> dict[str, Any]:
    """Return an order to run a unit, as it comes from an agent."""
    spec = UnitSpec(
        argv=["true"], cwd="/", env={"A": "b"}, stdout="out", stderr="", killed_after_s=5.0,
        kill_grace_s=1.0, user="somebody", warn=Warn(10, "main", [3.0, 4.0]), keep_as=".attempt1",
        max_output_bytes=7, max_more_tasks=8, script=True, cgroup="/c/u", cgroup_home="/c",
        processors=[0, 2],
    )  # fmt: skip
    said: dict[str, Any] = json.loads(json.dumps(spec.fields()))
    return said | {"op": "run", "unit": "1.1.n1/batch"} | changes


def test_a_shepherd_reads_what_an_agent_tells_it() -> None:
    said = order(of_a_later_version=1)
    read = UnitSpec.of(said).fields()
    assert {**said, **read} == said
    assert read["warn"] == {"number": 10, "whom": "main", "at_s": [3.0, 4.0]}
    assert set(said) - set(read) == {"op", "unit", "of_a_later_version"}


_LEFT_OUT = {
    *("append", "bind_note", "end_note", "max_more_tasks", "processors", "rlimits", "stdin"),
    *("terminal", "umask", "until_s"),
}


@pytest.mark.parametrize("field", sorted(set(UnitSpec.__slots__) - _LEFT_OUT))
def test_an_order_without_a_field_is_none(field: str) -> None:
    """A default in its place could run a job as somebody else, or without a limit."""
    said = order()
    del said[field]
    with pytest.raises(UNUSABLE):
        UnitSpec.of(said)


def test_agents_of_earlier_versions_leave_fields_out() -> None:
    said = order()
    for name in _LEFT_OUT:
        del said[name]
    read = UnitSpec.of(said)
    assert (read.max_more_tasks, read.until_s, read.stdin, read.append) == (0, None, "", False)
    assert (read.rlimits, read.end_note, read.umask) == ({}, (), None)


@pytest.mark.parametrize(
    "odd",
    [
        {"killed_after_s": "soon"},
        {"killed_after_s": float("nan")},
        {"kill_grace_s": float("inf")},
        {"kill_grace_s": None},
        {"warn": {"number": 0, "whom": "main", "at_s": []}},
        {"warn": {"number": 10, "whom": "main", "at_s": [float("inf")]}},
        {"warn": {"number": 10}},
    ],
)
def test_a_time_or_a_signal_that_is_none_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(UNUSABLE):
        UnitSpec.of(order(**odd))


@pytest.mark.parametrize("kind", TaskError.__subclasses__())
def test_every_error_of_a_task_has_its_status(kind: type[TaskError]) -> None:
    status, why = problem_of(kind("so it is"), StopTask(1, 1, 1, "n1", "s", 0, 15))
    assert 400 <= status <= 503
    assert why == "so it is"
