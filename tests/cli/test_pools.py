"""Work on processes: all of it, in order, little of it at a time, and an end to it if it fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rmsd_cli.errors import CommandError
from rmsd_lab_cli.studies import pools
from rmsd_lab_cli.studies.pools import AHEAD, ProcessPool
from tests.command_lines import words_of
from tests.waiting import DEADLINE_S

PROCESSES = 2

TOLD_TO_END_WHILE_A_LOCK_IS_TAKEN = """
import signal, sys, threading
from rmsd_lab_cli.studies.pools import ProcessPool

number = int(sys.argv[1])
begun = []
entered = threading.Condition.__enter__

def enter(self):
    found = entered(self)
    if begun and threading.current_thread() is threading.main_thread():
        signal.raise_signal(number)  # no `with` statement has the lock yet
    return found

def made(task):
    return task

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Condition.__enter__ = enter
    try:
        ProcessPool(2).run(made, range(1000), lambda task, _: begun.append(task))
    except KeyboardInterrupt:
        sys.exit(130)
"""


class Counted(list[int]):
    """Tasks, and how many of them have been taken."""

    taken = 0

    def __iter__(self) -> Iterator[int]:
        for task in super().__iter__():
            self.taken += 1
            yield task


def squared(task: int) -> int:
    return task * task


def failing(task: int) -> int:
    if task == 3:
        raise CommandError("the third cannot be done")
    time.sleep(0.01)
    return task


def killed(task: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return task


def test_all_is_done_and_little_is_handed_out_at_a_time() -> None:
    tasks = Counted(range(50))
    found: dict[int, int] = {}
    ahead: list[int] = []

    def done(task: int, result: int) -> None:
        ahead.append(tasks.taken - len(found))
        found[task] = result

    ProcessPool(PROCESSES).run(squared, tasks, done)
    assert found == {task: task * task for task in range(50)}
    assert max(ahead) <= AHEAD * PROCESSES


def test_nothing_to_do_is_done() -> None:
    ProcessPool(PROCESSES).run(squared, [], lambda *_: pytest.fail("nothing was done"))


def test_a_failure_ends_the_rest_and_says_why() -> None:
    tasks = Counted(range(100_000))
    threads = set(threading.enumerate())
    with pytest.raises(CommandError, match="the third cannot be done"):
        ProcessPool(PROCESSES).run(failing, tasks, lambda *_: None)
    assert tasks.taken < len(tasks)
    assert not [one for one in psutil.Process().children() if workers(one)]
    assert set(threading.enumerate()) <= threads  # one of another test may have ended


def test_what_is_made_counts_whatever_fails_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "next_results", lambda over, most: [over.get() for _ in range(most)])
    made: dict[int, int] = {}
    with pytest.raises(CommandError, match="the third cannot be done"):
        ProcessPool(4).run(failing, range(4 * AHEAD), made.__setitem__)
    assert sorted(made) == [0, 1, 2, 4, 5, 6, 7]


def workers(process: psutil.Process) -> bool:
    return "spawn_main" in " ".join(words_of(process))


def test_a_worker_that_is_killed_is_said() -> None:
    with pytest.raises(CommandError, match="is there enough memory"):
        ProcessPool(PROCESSES).run(killed, [1, 2, 3], lambda *_: None)


def test_what_fails_in_the_caller_ends_the_rest_too() -> None:
    def full(task: int, result: int) -> None:
        raise CommandError(f"cannot write {task}: {result}")

    tasks = Counted(range(1000))
    with pytest.raises(CommandError, match=r"cannot write [0-9]: "):
        ProcessPool(1).run(squared, tasks, full)
    assert tasks.taken <= AHEAD


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_who_is_told_to_end_while_a_lock_is_taken_ends(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """Workers and threads wait for that lock, and we for them."""
    program = tmp_path / "program.py"
    program.write_text(TOLD_TO_END_WHILE_A_LOCK_IS_TAKEN)
    done = subprocess.run(
        [sys.executable, program, str(int(number))],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stderr) == (code, "")
