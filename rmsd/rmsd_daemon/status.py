"""How the daemon is, in one answer."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version

from rmsd_daemon.auth import Caller, user_name
from rmsd_daemon.clock import clock_message
from rmsd_daemon.config import Config
from rmsd_daemon.scheduler import Scheduler
from rmsd_daemon.views import node_views
from rmsd_wire.api import StatusReply, You

_STARTED_S = time.monotonic()


def status(scheduler: Scheduler, config: Config, caller: Caller) -> StatusReply:
    """As `caller` is told."""
    core = scheduler.core
    nodes = node_views(core, scheduler.node_rows)
    stored = [job for job in core.jobs.values() if job.id in scheduler.details]
    return StatusReply(
        version=version("rmsd"),
        pid=os.getpid(),
        user=user_name(os.getuid()),
        state_dir=str(config.state_dir),
        listen=config.listen,
        socket=str(config.socket) if config.socket else None,
        operators=list(config.operators),
        admins=list(config.admins),
        you=You(caller.user, caller.role.value, caller.via),
        recipe=config.recipe,
        capacity=config.capacity,
        clock=clock_message(scheduler.clock),
        uptime_s=time.monotonic() - _STARTED_S,
        jobs=dict(Counter(job.state.value for job in stored)),
        awaited=scheduler.awaited,
        nodes=dict(Counter(node.state for node in nodes)),
        cores=sum(node.cores for node in nodes if node.state not in ("down", "suspect")),
        cores_used=sum(node.cores_used for node in nodes),
        passes=scheduler.passes.count,
        pass_ms=_percentiles(sorted(scheduler.passes.recent_ms)),
        commits=scheduler.commits.count,
        commit_ms=_percentiles(sorted(scheduler.commits.recent_ms)),
    )


def _percentiles(ascending: Sequence[float]) -> dict[str, float]:
    if not ascending:
        return {}
    last = len(ascending) - 1
    at = {"p50": last // 2, "p99": round(last * 0.99), "max": last}
    return {name: round(ascending[i], 3) for name, i in at.items()}
