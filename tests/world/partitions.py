"""Partitions in stories: some clusters are divided, and their administrator changes them.

The stories of clusters that are not divided stay what they were: all chance in here has sources of
its own.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rmsd_core.machine.partitions import Partition, PartitionState
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Preempt
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.partitions import ALL_NODES, PartitionSettings

if TYPE_CHECKING:
    from tests.world.cluster import Cluster, Machine

_DIVIDED = 0.3
_NAMED = ("", "", "all", "some", "some,all", "all,some")
_STATES: tuple[PartitionState, ...] = ("up", "up", "down", "drain", "inactive")
_PREEMPTS: tuple[Preempt, ...] = ("off", "requeue", "requeue", "cancel")
_LONGEST_S = 60.0


ALL_AND_SOME = (
    PartitionSettings(Partition("all"), ALL_NODES, is_default=True),
    PartitionSettings(Partition("some", tier=2), ALL_NODES),
)
"""The partitions of scripts: both have all nodes."""


def divided(config: Config, machines: Sequence[Machine], rng: random.Random) -> Config:
    """Return the configuration, of some stories with two partitions: `all`, and `some`, which has
    the nodes of the largest machine, so that it can hold any job."""
    if rng.random() >= _DIVIDED or config.capacity == "counted":
        return config
    number = max(range(len(machines)), key=lambda at: machines[at].nodes * machines[at].cores)
    names = tuple([f"agent{number}-e{node}" for node in range(1, machines[number].nodes + 1)])
    some = Partition("some", names, tier=rng.choice([1, 1, 2]))
    preempt = rng.choice(_PREEMPTS)
    if preempt != "off":
        some = some._replace(tier=2)
    exempt_us = rng.choice([0, 10 * SECOND_US])
    everywhere = Partition("all", preempt=preempt, preempt_exempt_us=exempt_us)
    both = (
        PartitionSettings(everywhere, ALL_NODES, is_default=True),
        PartitionSettings(some, ",".join(names)),
    )
    return replace(config, partitions=both)


def named(config: Config, rng: random.Random) -> str:
    """Return what a submit names."""
    return rng.choice(_NAMED) if config.partitions else ""


async def administer(cluster: Cluster, config: Config, for_s: float, rng: random.Random) -> None:
    """Change the states of the partitions now and then; in the end all are up."""
    while for_s > 0 and config.partitions:
        pause_s = min(for_s, rng.random() * _LONGEST_S / 4)
        await asyncio.sleep(pause_s)
        for_s -= pause_s
        _set_states(cluster, config, [rng.choice(_STATES) for _ in config.partitions])
    heals_s = (1.0 for _ in iter(lambda: _set_states(cluster, config, _all_up(config)), True))
    for pause_s in heals_s:
        await asyncio.sleep(pause_s)


def _all_up(config: Config) -> list[PartitionState]:
    return ["up" for _ in config.partitions]


def _set_states(cluster: Cluster, config: Config, states: Sequence[PartitionState]) -> bool:
    """Have the daemon take the partitions with these states, as SIGHUP does; return whether it is
    there."""
    if not config.partitions:
        return True
    if cluster.scheduler is None:
        return False
    pairs = zip(config.partitions, states, strict=True)
    cluster.scheduler.set_partitions([one.core._replace(state=state) for one, state in pairs])
    return True


def reload(cluster: Cluster, state: PartitionState) -> None:
    """Give the last partition another state: in the configuration, which the next daemon reads, and
    in the daemon that runs, as SIGHUP does."""
    *others, last = cluster.config.partitions
    last = replace(last, core=last.core._replace(state=state))
    cluster.config = replace(cluster.config, partitions=(*others, last))
    assert cluster.scheduler is not None
    cluster.scheduler.set_partitions([one.core for one in cluster.config.partitions])
