"""The soft resource limits of jobs, which are those of the shells that submitted them."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Iterator
from typing import Any

import pytest

from rmsd_agent.shepherd.standalone.rlimits import Rlimits
from rmsd_core.vocabulary import Cause, Fault
from rmsd_wire.link import LaunchedReport
from rmsd_wire.link_calls import StartTask
from rmsd_wire.rlimits import RLIMITS
from tests.agent.programs import python
from tests.agent.rig import Rig
from tests.agent.users import MultiUserRig
from tests.waiting import wait_until

pytestmark = [pytest.mark.live, pytest.mark.from_files]

SHOW = (
    "import json, resource; print(json.dumps({name: resource.getrlimit(getattr(resource, "
    f"'RLIMIT_' + name)) for name in {RLIMITS!r}}}), flush=True)"
)
SOFT = {
    "AS": 1 << 40, "CORE": 4096, "CPU": 5000, "DATA": 1 << 39, "FSIZE": 1 << 33,
    "MEMLOCK": 16384, "NOFILE": 123, "NPROC": 3000, "RSS": 1 << 38, "STACK": 1 << 22,
}  # fmt: skip


def _hard(name: str) -> int:
    return resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]


def _expected(soft: dict[str, int]) -> dict[str, list[int]]:
    return {
        name: [most if 0 <= (most := _hard(name)) < limit else limit, most]
        for name, limit in soft.items()
    }


def test_a_script_has_the_limits_that_came_with_it(rig: Rig) -> None:
    rig.start()
    rig.run(1, python(SHOW), rlimits=SOFT)
    assert json.loads(rig.output(1)) == _expected(SOFT)


@pytest.fixture
def users_rig() -> Iterator[MultiUserRig]:
    made = MultiUserRig()
    yield made
    made.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start others' processes")
def test_a_users_script_has_them_and_no_higher_hard_limit(users_rig: MultiUserRig) -> None:
    users_rig.wrapper = ("prlimit", "--nofile=100:200", "--core=0:0")
    users_rig.start()
    users_rig.run(1, python(SHOW), rlimits={"NOFILE": 4096, "CORE": None, "STACK": 1 << 22})
    limits: dict[str, Any] = json.loads(users_rig.output(1))
    assert (limits["NOFILE"], limits["CORE"]) == ([200, 200], [0, 0])
    assert limits["STACK"] == _expected({"STACK": 1 << 22})["STACK"]


def test_without_any_the_limits_are_the_agents(rig: Rig) -> None:
    rig.start()
    rig.run(1, python(SHOW))
    limits = json.loads(rig.output(1))
    assert limits["NOFILE"] == list(resource.getrlimit(resource.RLIMIT_NOFILE))
    assert limits["CORE"] == [0, _hard("CORE")]


def test_tasks_have_the_limits_of_their_job(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60", rlimits=SOFT)
    rig.peer.wait(LaunchedReport, 1)
    task = ["python3", "-I", "-S", "-c", SHOW]
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, task, {}, "/"))
    out = rig.jobs_dir / "1.1.n1/s.0/stdout"
    wait_until(lambda: out.exists() and out.read_text().endswith("\n"))
    assert json.loads(out.read_text()) == _expected(SOFT)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [{"AS": 0}, {"DATA": 0, "AS": 1 << 20}, {"STACK": 0}])
def test_a_limit_that_lets_nothing_start_is_not_the_nodes_fault(
    rig: Rig, limits: dict[str, int]
) -> None:
    """A user could otherwise have nodes drained, or have the agent try for ever."""
    rig.start()
    ended = rig.run(1, "true", rlimits=limits)
    assert ended.cause is not Cause.NODE
    assert ended.exit_code != 0
    assert ended.fault in (None, Fault.JOB)
    assert rig.run(2, "true").exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", RLIMITS)
def test_a_job_with_a_limit_of_nothing_ends(rig: Rig, name: str) -> None:
    rig.start()
    ended = rig.run(1, "true", rlimits={name: 0})
    assert ended.cause is not Cause.NODE


def test_limits_are_given_back_and_the_one_that_was_lowered_is_named() -> None:
    before = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in RLIMITS}
    rlimits = Rlimits({"NPROC": 1 << 20, "DATA": 1 << 40, "STACK": None})
    rlimits.take_over()
    assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 1 << 40
    rlimits.give_back()
    assert before == {
        name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in RLIMITS
    }
    assert rlimits.cause(12) == "RLIMIT_DATA"
    assert rlimits.cause(2) == ""
    assert Rlimits({"DATA": 0}).cause(12) == ""
