"""A node of a private cluster: an agent that can be told how a job shall end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from typing import Any

import structlog

from rmsd_agent.agent import Agent
from rmsd_agent.attempts.attempt import NodeAttempt
from rmsd_agent.guarding.guard import Excess
from rmsd_agent.state.records import BATCH
from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Launch

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_LOOK_EVERY_S = 0.02
_MOST_BYTES = 65536


class TestNode(Agent):
    """An agent that reads orders from a pipe, a line of JSON each: how a job shall end.

    The order is carried out as soon as the script of the job has begun here. All nodes hear it, and
    the one that removes the file `claim` acts.
    """

    __test__ = False  # pytest looks for tests in classes of this name

    def __init__(self, orders: int, server: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._orders = orders
        self._server = server
        self._unread = b""
        self._ends: dict[int, list[dict[str, Any]]] = {}

    async def open(self) -> None:
        await super().open()
        os.set_blocking(self._orders, False)
        asyncio.get_running_loop().add_reader(self._orders, self._read)

    def _read(self) -> None:
        chunk = os.read(self._orders, _MOST_BYTES)
        if not chunk:  # the supervisor is gone, and with it this process
            asyncio.get_running_loop().remove_reader(self._orders)
            return
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            order = json.loads(line)
            self._ends.setdefault(order["job"], []).append(order)
            self._look()

    def _launch(self, launch: Launch) -> None:
        super()._launch(launch)
        self._look()

    def _look(self) -> None:
        """Carry out the orders for jobs that run here, and look again for those that start."""
        starting = False
        for attempt in list(self._attempts.held_here.attempts.values()):
            script = attempt.units.get(BATCH)
            orders = self._ends.get(attempt.key[0])
            if not orders or script is None or attempt.ending or attempt.over:
                continue
            if script.pid is None:
                starting = True
                continue
            order = orders.pop(0)
            with contextlib.suppress(FileNotFoundError):  # The job ran elsewhere meanwhile.
                os.unlink(order["claim"])
                self._end(attempt, order["how"])
        if starting:
            asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self._look)

    def _end(self, attempt: NodeAttempt, how: str) -> None:
        key = attempt.key
        log.info("job-made-to-end", job_id=key[0], how=how)
        if how == "memory":
            message = f"it needed more than its memory on node {key[2]}: so the test says"
            self._attempts.exceeded(Excess(key, Cause.MEMORY, message))
        elif how == "timeout":
            self._attempts.stop(key, Cause.LIMIT)
        elif how == "preempt-cancel":
            self._attempts.stop(key, Cause.PREEMPT)
        else:
            asyncio.get_running_loop().run_in_executor(None, self._preempt, key[0])

    def _preempt(self, job_id: int) -> None:
        """Have the daemon put the job back, which ends it here."""
        try:
            with Client(self._server) as client:
                client.change(job_id, "requeue")
        except ClientError as error:  # the job has just ended
            log.warning("job-not-preempted", job_id=job_id, error=str(error))
