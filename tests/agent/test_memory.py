"""Jobs past their memory or number of processes, on nodes whose guard polls."""

from __future__ import annotations

import shlex
import signal
from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Exited, Launched, StartTask

from .conftest import fork_bomb, sleeping, wait_until

if TYPE_CHECKING:
    from .conftest import Rig

pytestmark = pytest.mark.live

HOLD_160_MIB = "import time; held = bytearray(160 << 20); print('held', flush=True); time.sleep(60)"
SHARED = """
import os, time
held = bytearray(100 << 20)
if all(os.fork() for _ in range(3)):
    print(sum(held), flush=True)
time.sleep(60)
"""


def python(code: str) -> str:
    return f"exec python3 -c {shlex.quote(code)}"


def test_a_job_past_its_memory_is_killed_for_it(rig: Rig) -> None:
    rig.start()
    end = rig.run(1, f"trap '' TERM\n{python(HOLD_160_MIB)}", mem_mib=100)
    assert (end.cause, end.signal, end.exit_code) == (Cause.MEMORY, signal.SIGKILL, None)
    assert "of memory on node n1, and it has 100M" in end.message
    assert rig.run(2, "true", mem_mib=100).cause is Cause.EXIT


def test_the_memory_of_the_whole_tree_counts(rig: Rig) -> None:
    """Also what has left session and parents."""
    rig.start()
    # Each says so before it takes anything, since both may be killed as soon as the second has it.
    half = "import time; print('held', flush=True); held = bytearray(80 << 20); time.sleep(60)"
    end = rig.run(1, f"(setsid python3 -c {shlex.quote(half)} &)\n{python(half)}", mem_mib=120)
    assert end.cause is Cause.MEMORY
    assert rig.output(1).count("held") == 2


def test_memory_that_forked_processes_share_counts_once(rig: Rig) -> None:
    """Four of them have 100 MiB in view each, and hold 100 MiB together."""
    rig.start()
    rig.launch(1, python(SHARED), mem_mib=200)
    rig.launch(2, python(HOLD_160_MIB), mem_mib=100)
    wait_until(lambda: rig.output(1) == "0\n", "the shared memory is there")
    assert rig.peer.wait(Exited, 2).cause is Cause.MEMORY  # so the guard has looked at both
    rig.launch(3, python(HOLD_160_MIB), mem_mib=100)
    assert rig.peer.wait(Exited, 3).cause is Cause.MEMORY
    assert not rig.peer.all(Exited, 1)
    rig.stop(1)
    assert rig.peer.wait(Exited, 1).cause is Cause.USER


def test_a_job_without_a_limit_is_left_alone(rig: Rig) -> None:
    rig.start()
    rig.launch(1, python(HOLD_160_MIB))
    rig.launch(2, python(HOLD_160_MIB), mem_mib=100)
    wait_until(lambda: "held" in rig.output(1))
    assert rig.peer.wait(Exited, 2).cause is Cause.MEMORY
    assert not rig.peer.all(Exited, 1)


def test_tasks_count_with_the_script(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "sleep 60", mem_mib=100)
    rig.peer.wait(Launched, 1)
    rig.peer.send(
        StartTask(1, 1, 1, "n1", "s", 0, ["python3", "-c", HOLD_160_MIB], {}, str(rig.work))
    )
    end = rig.peer.wait(Exited, 1)
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)


def test_a_node_that_only_has_tasks_says_that_it_was_the_memory(rig: Rig) -> None:
    rig.start()
    rig.launch(1, "", batch=False, mem_mib=100)
    rig.peer.send(
        StartTask(1, 1, 1, "n1", "s", 0, ["python3", "-c", HOLD_160_MIB], {}, str(rig.work))
    )
    end = rig.peer.wait(Exited, 1)
    assert end.cause is Cause.MEMORY
    assert "it has 100M" in end.message


def test_the_limit_holds_after_a_restart_of_the_agent_and_without_a_shepherd(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    script = f"until [ -e {go} ]; do sleep 0.02; done\n{python(HOLD_160_MIB)}"
    rig.launch(1, script, mem_mib=100)
    rig.launch(2, script, mem_mib=100)
    pid = rig.peer.wait(Launched, 2).pid
    assert pid is not None
    rig.peer.wait(Launched, 1)
    rig.end_agent()
    rig.shepherd_of(pid).kill()
    rig.start()
    go.touch()
    assert rig.peer.wait(Exited, 1).cause is Cause.MEMORY
    assert rig.peer.wait(Exited, 2).cause is Cause.MEMORY


def test_a_job_with_too_many_processes_is_killed_for_it(rig: Rig) -> None:
    rig.start()
    mark = rig.marker()
    end = rig.run(1, fork_bomb(mark), max_processes=50)
    assert end.cause is Cause.QUOTA
    assert "processes on node n1; 50 are allowed" in end.message
    assert not sleeping(mark)
