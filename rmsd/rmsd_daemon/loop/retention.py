"""The times at which the daemon deletes what is too old, and takes a snapshot for that.

Each transaction deletes so much that other commits wait for some milliseconds at most, and all of
them together take a tenth of the writer's time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from weakref import ref

import structlog

from rmsd_core.lifecycle.core import Core
from rmsd_core.model_time import SECOND_US
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.writer import Writer
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.retention import KeptFor

log = structlog.get_logger()

Result = Literal["nothing", "pruned", "snapshot"]

_STEP_S = 0.01
"""The time that a transaction may take, with the way to the thread and the disk."""
_FEWEST, _MOST = 16, 1024
"""The rows that one transaction deletes."""
_SHARE = 9
"""After a transaction there is a pause of so many times its length."""
_FIRST_S = 60.0
_LONGEST_S = 3600.0
SHORTEST_S = 1.0
"""The longest and the shortest pause before the next look, once nothing is too old."""
_LOOKS = 50
"""The number of looks within the time for which something is kept."""
_SNAPSHOTS = 4
"""The snapshots within the time for which events are kept: so much longer, a quarter, events may be
there."""
_FEW_JOBS = 1000
"""The most live jobs with which a snapshot is taken as soon as it is due. With more, it waits for a
quieter time, at most as long again."""


@dataclass(slots=True)
class Retention:
    """The pace of pruning. `again_s`: when to look again, on the clock of the loop. `rate`: model
    seconds per real second. `rows`: the most rows that the next transaction deletes. `latest_us`:
    the model time of the latest snapshot; None until it is read. `quiet_until`: the number
    of the next batch until which no other snapshot is needed."""

    kept: KeptFor
    rate: float
    again_s: float = 0.0
    rows: int = field(default=_FEWEST)
    latest_us: int | None = None
    quiet_until: int = 0
    _core: ref[Core] | None = None  # not a reference that keeps it alive

    def first_s(self) -> float:
        """Return the pause after a start."""
        return min(_FIRST_S, self._idle_s())

    def _idle_s(self) -> float:
        """Return the pause after a look that has found nothing."""
        known = [us for us in (self.kept.events_us, self.kept.history_us) if us is not None]
        if not known:
            return _LONGEST_S
        real_s = min(known) / SECOND_US / self.rate
        return min(_LONGEST_S, max(SHORTEST_S, real_s / _LOOKS))

    async def work(self, writer: Writer, cluster: ClusterState, unstored: list[Row]) -> Result:
        """Make one transaction: a snapshot, or a step of pruning. The events `unstored` are stored
        before a step, which may be an event, and with them the plan that they have led to. Raises
        StoreError."""
        cluster.now_us = cluster.present_us()
        if self._core is None or self._core() is not cluster.core:
            self._begin_with(cluster.core)
        if self.kept.events_us is not None and self.latest_us is None:
            self.latest_us = await writer.latest_snapshot_us()
        live = len(cluster.core.jobs)
        if self._is_snapshot_due(cluster, live):
            await writer.snapshot(cluster.now_us)
            log.info("snapshot", jobs=live)
            return "snapshot"
        if unstored:
            await writer.commit(cluster.changes_of_passes(unstored))
            unstored.clear()
        step = await writer.prune(self.kept, cluster.now_us, self.rows, cluster.next_batch)
        if step is None:
            return "nothing"
        if step.jobs:
            cluster.pruned(step.jobs)
        log.debug("pruned", what=step.what, rows=step.rows)
        return "pruned"

    def pause_s(self, result: Result, took_s: float) -> float:
        """Return the pause after a transaction that took so long."""
        if result == "nothing":
            return self._idle_s()
        if took_s > _STEP_S:
            self.rows = max(_FEWEST, self.rows // 2)
        elif took_s < _STEP_S / 2:
            self.rows = min(_MOST, 2 * self.rows)
        return _SHARE * took_s

    def taken(self, cluster: ClusterState) -> None:
        """Note that the state was loaded anew after a snapshot. The first batch then renews the
        links to the agents."""
        self._begin_with(cluster.core)
        self.quiet_until = cluster.next_batch + 1

    def _begin_with(self, core: Core) -> None:
        """Forget what was known before the state was loaded anew."""
        self._core, self.latest_us, self.quiet_until = ref(core), None, 0

    def _is_snapshot_due(self, cluster: ClusterState, live: int) -> bool:
        """Return whether to take a snapshot. As long as nothing has come since the latest one,
        another one would be the same."""
        if self.kept.events_us is None or self.latest_us is None:
            return False
        if cluster.next_batch <= self.quiet_until:
            return False
        patience = 1 if live <= _FEW_JOBS else 2
        return cluster.now_us - self.latest_us >= patience * self.kept.events_us // _SNAPSHOTS
