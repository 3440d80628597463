"""The observers: of the processes of jobs, and of the times at which the daemon answers."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES
from tests.soak.history import Finding
from tests.soak.processes import JobProcess, job_processes

_SAMPLE_S = 0.4
_ASK_S = (0.01, 0.2)  # between two questions to a daemon that does not answer; that does


class Watch:
    """Samples processes in one thread, and asks the daemon in another, until `stop`.

    `cores`: by node. `seen`: what must not be.
    """

    def __init__(self, server: str, root: Path, cores: Mapping[str, int]) -> None:
        self._server = server
        self._root = root
        self._cores = cores
        self.seen: list[Finding] = []
        self.samples = 0
        self.answered: dict[int, float] = {}
        self.waiting = 0
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=run) for run in (self._sample_all, self._ask_all)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    # ------------------------------------------------------------ the daemon

    def _ask_all(self) -> None:
        answers = False
        with Client(self._server, retry_for_s=0.0) as client:
            while not self._stopping.wait(_ASK_S[answers]):
                try:
                    status = client.status()
                except ClientError:
                    answers = False
                    continue
                answers = True
                self.answered.setdefault(status["pid"], time.time())
                self.waiting = status["jobs"].get("PENDING", 0)

    # ------------------------------------------------------------ processes

    def _sample_all(self) -> None:
        with Client(self._server, retry_for_s=0.0) as client:
            while not self._stopping.wait(_SAMPLE_S):
                found = job_processes(self._root)
                self.samples += 1
                self.seen += overallocated(found, self._cores)
                self.seen += _outlived(found, client)


def overallocated(found: Iterable[JobProcess], cores: Mapping[str, int]) -> list[Finding]:
    """Return the nodes on which jobs of more cores are alive than there are. All live at one
    instant, since every process that counts was seen before and is still alive."""
    by_node: dict[str, dict[tuple[int, int], list[JobProcess]]] = defaultdict(dict)
    for one in found:
        by_node[one.node].setdefault((one.job_id, one.attempt), []).append(one)
    wrong = []
    for node, attempts in by_node.items():
        if _used(attempts.values()) > cores[node]:
            alive = {key: [one for one in all_ if one.alive] for key, all_ in attempts.items()}
            if (used := _used(alive.values())) > cores[node]:
                names = ", ".join(f"{j}.{a}" for (j, a), left in alive.items() if left)
                text = f"{used} of {cores[node]} cores of {node} are used, by {names}"
                tags = {one.tag for left in alive.values() for one in left}
                wrong.append(Finding("overallocated", text, tuple(sorted(tags))))
    return wrong


def _used(attempts: Iterable[list[JobProcess]]) -> int:
    return sum(left[0].cores for left in attempts if left)


def _outlived(found: list[JobProcess], client: Client) -> list[Finding]:
    """Find the processes of jobs that the daemon says are over."""
    if not found:
        return []
    try:
        jobs = client.jobs(ids={one.job_id for one in found}, states="all")
    except ClientError:
        return []
    over = {job["job_id"]: job for job in jobs if job["state"] in TERMINAL_STATES}
    return [
        Finding(
            "orphans",
            f"{one.tag}: job {one.job_id} is {over[one.job_id]['state']}, and its process "
            f"{one.pid} on {one.node} is alive",
            (one.tag,),
        )
        for one in found
        if one.job_id in over and one.alive
    ]
