"""The state of the daemon, in one answer."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rmsd_core.planning.portions import Portions
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Accounts, Caller, Role, user_name
from rmsd_daemon.domain.kept import KeptInSlices
from rmsd_daemon.domain.troubles import LeftOut, Trouble
from rmsd_daemon.loop.job_counters import JobCounters
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.views import drained_for_failures, node_state, unable_nodes
from rmsd_daemon.setup.clock import clock_message
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.reloading import Configuration
from rmsd_daemon.store.damage import DamageLog
from rmsd_process.running_version import RUNNING_VERSION
from rmsd_wire.api.status import (
    CountedView,
    DamageView,
    LeftOutView,
    SettingsView,
    StatusReply,
    TroubleView,
    You,
)

_STARTED_S = time.monotonic()
_AWAY = ("down", "suspect", "rebooting")
_MOST_NAMED = 20
"""The most nodes that a status names, of those that cannot launch jobs."""
_ARRAYS_AT_ONCE = 1000
_NODES_AT_ONCE = 200
"""The arrays, and nodes, that are counted at a stretch (some 1 ms). Other jobs are counted as they
change."""


class Status:
    """Returns the state of the daemon; arrays and nodes are counted on demand, in a bounded share
    of the time."""

    def __init__(
        self,
        scheduler: Scheduler,
        config: Config,
        accounts: Accounts,
        refused_reloads: Callable[[], list[str]],
        configuration: Configuration,
    ) -> None:
        self._scheduler = scheduler
        self._accounts = accounts
        self._config = config
        self._refused_reloads = refused_reloads
        self._configuration = configuration
        self._counts = KeptInSlices(self._count)

    async def counts(self) -> Counts:
        """Return the counts of now, or of a little earlier."""
        return await self._counts.get()

    async def __call__(self, caller: Caller) -> StatusReply:
        """Return the state of the daemon as `caller` may see it."""
        counts = await self.counts()
        scheduler, config = self._scheduler, self._config
        troubles, told_all = scheduler.troubles, caller.role.covers(Role.OPERATOR)
        return StatusReply(
            version=RUNNING_VERSION,
            pid=os.getpid(),
            user=user_name(os.getuid()),
            state_dir=str(config.state_dir),
            listen=config.listen,
            socket=str(config.socket) if config.socket else None,
            operators=list(self._accounts.operators),
            admins=list(self._accounts.admins),
            you=You(
                caller.user, caller.role.value, caller.via, caller.expires_us, caller.is_renewable
            ),
            recipe=config.recipe,
            capacity=config.capacity,
            clock=clock_message(scheduler.clock),
            uptime_s=time.monotonic() - _STARTED_S,
            jobs=counts.jobs,
            awaited=scheduler.awaited,
            failing=[_trouble(one) for one in troubles.failing],
            damage=_damage(scheduler.store.damage, told_all),
            pages=scheduler.store.pages.state,
            left_out_count=troubles.left_out_count,
            left_out=[_left_out(one) for one in troubles.left_out] if told_all else [],
            cannot_launch=counts.cannot_launch,
            unable=counts.unable[:_MOST_NAMED],
            unknown_accounts=self._accounts.unknown,
            reload_refused=self._refused_reloads() if told_all else [],
            awaits_restart=self._configuration.awaits_restart if told_all else [],
            settings=settings_view(config, scheduler.recipe),
            counted=_counted(scheduler.job_counters),
            last_job_id=scheduler.cluster.next_id - 1,
            nodes=counts.nodes,
            cores=counts.cores,
            cores_used=counts.cores_used,
            passes=scheduler.passes.count,
            pass_ms=_percentiles(sorted(scheduler.passes.recent_ms)),
            commits=scheduler.commits.count,
            commit_ms=_percentiles(sorted(scheduler.commits.recent_ms)),
        )

    def _count(self) -> Portions[Counts]:
        core, details = self._scheduler.core, self._scheduler.details
        jobs = Counter(self._scheduler.cluster.index.counts)
        for at, job in enumerate(list(core.arrays()), 1):
            if job.id in details and job.array is not None:
                jobs[JobState.PENDING.value] += job.array.waiting - 1
            if not at % _ARRAYS_AT_ONCE:
                yield
        nodes = list(core.nodes.values())
        states, cores, cores_used, mem_used_mib = Counter[str](), 0, 0, 0
        for at in range(0, len(nodes), _NODES_AT_ONCE):
            for node in nodes[at : at + _NODES_AT_ONCE]:
                usage = core.used_on(node.name)
                state = node_state(node, usage)
                states[state] += 1
                if state not in _AWAY:
                    cores += node.cores
                    cores_used += usage.cores
                    mem_used_mib += usage.mem_mib
            yield
        return Counts(
            jobs=dict(+jobs),
            nodes=dict(states),
            cores=cores,
            cores_used=cores_used,
            mem_used_mib=mem_used_mib,
            cannot_launch=drained_for_failures(nodes)[:_MOST_NAMED],
            unable=unable_nodes(nodes),
        )


class Counts(NamedTuple):
    """The present jobs and nodes by state, and what the nodes that are up have and give."""

    jobs: dict[str, int]
    nodes: dict[str, int]
    cores: int
    cores_used: int
    mem_used_mib: int
    cannot_launch: list[str]
    unable: list[str]


def settings_view(config: Config, recipe: Recipe) -> SettingsView:
    """Return the settings that hold for all jobs."""
    return SettingsView(
        order=recipe.order,
        backfills=not recipe.in_turn,
        kill_grace_s=config.kill_grace_s,
        overrun_s=config.overrun_s,
        default_mem_mib=config.default_mem_mib,
        bind_processors=config.bind_processors,
        propagate_limits=list(config.propagate_limits),
        max_jobs_per_user=config.max_jobs_per_user,
        default_time_s=config.default_time_limit_s,
        has_accounts=bool(config.accounts),
    )


def _counted(counters: JobCounters) -> CountedView:
    return CountedView(
        submitted=counters.submitted,
        started=counters.started,
        backfilled=counters.backfilled,
        ended=dict(counters.ended),
    )


def _trouble(trouble: Trouble) -> TroubleView:
    return TroubleView(
        what=trouble.what,
        since_us=trouble.since_us,
        times=trouble.times,
        error=trouble.error,
        again_in_s=round(max(0.0, trouble.again_s - time.monotonic()), 3),
    )


def _left_out(one: LeftOut) -> LeftOutView:
    return LeftOutView(at_us=one.at_us, what=one.what, error=one.error)


def _damage(damage: DamageLog, told_all: bool) -> DamageView | None:
    if not damage.times:
        return None
    return DamageView(
        times=damage.times,
        since_us=damage.since_us,
        error=damage.error,
        kept_as=damage.kept_as,
        lost_jobs=damage.lost_jobs if told_all else [],
    )


def _percentiles(ascending: Sequence[float]) -> dict[str, float]:
    if not ascending:
        return {}
    last = len(ascending) - 1
    at = {"p50": last // 2, "p99": round(last * 0.99), "max": last}
    return {name: round(ascending[i], 3) for name, i in at.items()}
