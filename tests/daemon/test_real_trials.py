"""200 real jobs on eight nodes under trials, their processes counted from outside.

Long: the processes sleep for 20 s or more in all, on 16 processors, and a second of each trial.
"""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from threading import Event, Thread
from typing import Any, NamedTuple

import psutil
import pytest

from rmsd_process.model_clock import ModelClock
from rmsd_wire.hostlist import expand
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.trials import TIMED
from tests.live import Daemon

pytestmark = [pytest.mark.live, pytest.mark.long]

JOBS = 200
NODES, CORES = 8, 2
WIDE = 5  # every so many jobs, one has several tasks
LONGER = 4  # every so many jobs, one outlives its trial of a second


class Place(NamedTuple):
    """One node of one attempt, as its processes name it."""

    job_id: int
    attempt: int
    node: str


class Look(NamedTuple):
    """The processes that were alive at one instant, between two times of the model clock."""

    began_us: float
    ended_us: float
    alive: Counter[Place]


class Watch:
    """The tasks of a daemon, looked at from outside again and again by a thread of its own."""

    def __init__(self, daemon: Daemon) -> None:
        self.looks: list[Look] = []
        self.seen: set[psutil.Process] = set()
        self._places: dict[psutil.Process, Place] = {}
        clock = daemon.client.status()["clock"]
        told = (clock["rate"], clock["model_us"], clock["monotonic_ns"], clock["boot_id"])
        self._clock = ModelClock(*told)
        self._daemon = daemon
        self._over = Event()
        self._thread = Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            began_us = self._clock.now_us()
            found = list(self.tasks())
            listed_us = self._clock.now_us()
            alive = Counter(place for process, place in found if lives(process))
            self.looks.append(Look(began_us, listed_us, alive))
            self.seen.update(process for process, _ in found)

    def tasks(self) -> Iterator[tuple[psutil.Process, Place]]:
        """Yield the `sleep` processes that run in the daemon's work directory, and their places."""
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.name() == "sleep" and process.cwd() == str(self._daemon.work):
                    if process not in self._places:
                        self._places[process] = place_of(process)
                    yield process, self._places[process]


def place_of(process: psutil.Process) -> Place:
    """Return the place of a task. Raises psutil.ZombieProcess if it has just ended."""
    env = process.environ()
    if not env:  # The process has ended.
        raise psutil.ZombieProcess(process.pid)
    return Place(int(env["RMS_JOB_ID"]), int(env["RMS_ATTEMPT"]), env["RMS_NODENAME"])


def lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def spec_of(at: int, daemon: Daemon, chance: random.Random) -> dict[str, Any]:
    """Return a job that notes when it begins and ends, and sleeps with as many processes as it has
    processors. The first is at its trial's end while others wait, and must be killed."""
    tasks = chance.randint(2, 6) if at % WIDE == WIDE - 1 else 1
    seconds = chance.uniform(1.4, 2.2) if at % LONGER == 0 else chance.uniform(0.02, 0.3)
    sleep = f"sleep {seconds:.2f}"
    if at == 0:
        sleep = f'[ "$RMS_ATTEMPT" = 2 ] && {sleep} || sleep 600'
    elif tasks > 1:
        sleep = f"rrun {sleep}"
    note = 'echo "$RMS_JOB_ID $RMS_ATTEMPT" >>'
    return {
        "script": f"#!/bin/sh\n{note} begun\n{sleep}\n{note} ended\n",
        "workdir": str(daemon.work),
        "tasks": tasks,
        "time_limit_s": 900,
        "stdout": "/dev/null",
    }


def slept_s(spec: dict[str, Any]) -> float:
    """Return the seconds that a job of `spec_of` sleeps before it notes its end."""
    return float(spec["script"].partition("\n")[2].rpartition("sleep ")[2].split()[0])


def noted(daemon: Daemon, name: str) -> Counter[tuple[int, int]]:
    """Return the attempts that have noted this, as (job, attempt)."""
    lines = [line.split() for line in daemon.lines(name)]
    return Counter((int(job_id), int(attempt)) for job_id, attempt in lines)


@pytest.mark.timeout(900)
def test_processes_are_what_the_daemon_says_and_kills_are_real(
    start_daemon: Callable[..., Daemon],
) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    daemon = start_daemon("--no-local-node", "--emulate", f"{NODES}x{CORES}", config=TIMED)
    with Watch(daemon) as watch:
        specs = [spec_of(at, daemon, chance) for at in range(JOBS)]
        ids = [told["job_id"] for told in daemon.client.submit(specs)]
        jobs = [daemon.client.wait(job_id) for job_id in ids]
    attempts = {job_id: daemon.client.attempts(job_id) for job_id in ids}

    assert Counter(job["state"] for job in jobs) == {"COMPLETED": JOBS}
    for job in jobs:
        told = [attempt["cause"] for attempt in attempts[job["job_id"]]]
        assert told in (["exit"], ["trial", "exit"])
        assert len(told) == job["attempt"]
    assert attempts[ids[0]][0]["cause"] == "trial"

    ends = {
        (job_id, attempt["attempt"]): attempt["cause"]
        for job_id, of_job in attempts.items()
        for attempt in of_job
    }
    exited = Counter(key for key, cause in ends.items() if cause == "exit")
    ended = noted(daemon, "ended")
    assert exited <= ended
    for job_id, number in ended - exited:  # killed between the script's last line and its exit
        end = attempts[job_id][number - 1]
        slept_us = 1e6 * slept_s(specs[ids.index(job_id)])
        assert end["end_us"] - end["start_us"] >= slept_us, "a killed attempt went on to its end"
    begun = noted(daemon, "begun")
    assert (
        exited <= begun <= Counter(ends.keys())
    )  # each once; a trial may be killed before it begins

    assert_looks_are_as_recorded(watch.looks, attempts)
    assert_nodes_are_never_too_full(attempts)
    assert not any(map(lives, watch.seen))
    assert not list(watch.tasks())
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)


Attempts = dict[int, list[dict[str, Any]]]


def cores_by_place(attempts: Attempts) -> dict[Place, tuple[int, int, int]]:
    """Return the processors of each place as the daemon has recorded them: (cores, start, end)
    [us]."""
    return {
        Place(job_id, attempt["attempt"], node): (cores, attempt["start_us"], attempt["end_us"])
        for job_id, of_job in attempts.items()
        for attempt in of_job
        for node, cores in zip(expand(attempt["nodelist"]), attempt["node_cpus"], strict=True)
    }


def assert_looks_are_as_recorded(looks: list[Look], attempts: Attempts) -> None:
    """Check that each process that was alive belonged to an attempt of that time. An attempt has
    no more of them than processors, and neither has a node."""
    recorded = cores_by_place(attempts)
    assert any(look.alive.total() > 1 for look in looks)
    for look in looks:
        on_node: Counter[str] = Counter()
        for place, processes in look.alive.items():
            cores, start_us, end_us = recorded[place]
            assert processes <= cores, place
            assert start_us <= look.ended_us, place
            assert end_us >= look.began_us, place
            on_node[place.node] += processes
        assert all(processes <= CORES for processes in on_node.values()), on_node


def assert_nodes_are_never_too_full(attempts: Attempts) -> None:
    """Assert that no node had more of its processors given away than it has, by the record.

    An attempt on several nodes gives back each node's processors when that node has confirmed its
    end, and the record has the last of these alone. So only attempts on one node count.
    """
    by_node: dict[str, list[tuple[int, int]]] = {}
    alone = {
        job_id: [attempt for attempt in of_job if len(attempt["node_cpus"]) == 1]
        for job_id, of_job in attempts.items()
    }
    for place, (cores, start_us, end_us) in cores_by_place(alone).items():
        by_node.setdefault(place.node, []).extend([(start_us, cores), (end_us, -cores)])
    assert len(by_node) > 1
    for node, changes in by_node.items():
        in_order = sorted(changes)  # at one instant, processors are given back first
        assert max(accumulate(cores for _, cores in in_order)) <= CORES, node
