"""The sending of commands, repeated if some could not be sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import structlog

from rmsd_core.lifecycle.effects import Effects
from rmsd_daemon.domain.submission import NewJob, Payload
from rmsd_daemon.domain.troubles import Troubles
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.dispatch import Dispatcher, DispatchError
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.loop.mailbox import Links
from rmsd_daemon.loop.reconcile import Reconciled, grace_s_of, under_way
from rmsd_daemon.loop.writer import Writer
from rmsd_daemon.store.failures import StoreError

log = structlog.get_logger()


class Sender:
    """Sends the commands of committed batches. If some cannot be sent, the state tells later which
    commands are still to be sent. `wake_in` makes the task look again after a pause, and returns
    the time of that on the loop's clock."""

    def __init__(
        self,
        links: Links,
        writer: Writer,
        cluster: ClusterState,
        troubles: Troubles,
        rules: JobRules,
        wake_in: Callable[[float], float],
    ) -> None:
        self._writer = writer
        self._cluster = cluster
        self._troubles = troubles
        self._wake_in = wake_in
        self._again_s: float | None = None  # the time to send commands again that were not sent
        self._dispatcher = Dispatcher(
            links,
            self._read_payloads,
            cluster.live,
            self._unread,
            cluster.clock.rate,
            rules,
            lambda job: grace_s_of(cluster.core, job),
        )

    def keep(self, jobs: Iterable[NewJob]) -> None:
        """Keep the small scripts of jobs that are committed, until they are launched."""
        self._dispatcher.keep(jobs)

    async def send(self, effects: Effects, greetings: Iterable[Reconciled]) -> None:
        """Send the commands of a committed batch."""
        try:
            await self._dispatcher.send(effects, greetings, self._cluster.details)
            self._troubles.over("launch")
        except DispatchError as error:
            log.error("commands-not-sent", error=str(error))
            self.again_in(self._troubles.failed("launch", error))
        except Exception as error:  # the batch is committed and must not be repeated
            log.exception("commands-not-sent")
            self.again_in(self._troubles.failed("launch", repr(error)))

    def again_in(self, pause_s: float) -> None:
        """Send the commands of all that is under way again after a pause."""
        self._again_s = self._wake_in(pause_s)

    def not_again(self) -> None:
        """Cancel the repetition: all agents are about to be greeted anew, and are told then."""
        self._again_s = None

    @property
    def is_due(self) -> bool:
        """Return whether it is time to send commands again that may not have been sent."""
        return self._again_s is not None and self._again_s <= asyncio.get_running_loop().time()

    async def send_what_is_left(self) -> None:
        """Send the commands again that may not have been sent. Agents ignore a repetition."""
        self._again_s = None
        await self.send(Effects(), [under_way(self._cluster.core)])

    async def _read_payloads(self, job_ids: Sequence[int]) -> dict[int, Payload | None]:
        payloads = await self._writer.payloads(job_ids)
        self._troubles.over("script")
        return payloads

    def _unread(self, job_id: int, error: StoreError) -> None:
        """Send the commands again later, since a script could not be read."""
        log.error("script-unread", job_id=job_id, error=str(error))
        self.again_in(self._troubles.failed("script", error))
