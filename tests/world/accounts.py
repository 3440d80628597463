"""Accounts, QOS with their limits, and licenses in stories: some clusters have them.

The stories of clusters without them stay what they were: all chance in here has sources of its own.
"""

from __future__ import annotations

import getpass
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rmsd_core.jobs.accounts import JobLimits, License
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Preempt
from rmsd_daemon.setup.accounts import AccountSettings, QosSettings
from rmsd_daemon.setup.config import Config
from tests.world.strangers import USER as STRANGER

if TYPE_CHECKING:
    from tests.world.cluster import Machine

_LIMITED = 0.4
_ACCOUNTS = ("", "top", "left", "right")
_PREEMPTING = 0.4
_MODES: tuple[Preempt, ...] = ("requeue", "requeue", "cancel", "off")
_EXEMPT_US = (0, 10 * SECOND_US)
_LICENSES = ("", "", "cad", "cad:2", "sim,cad")


def limited(config: Config, machines: Sequence[Machine], rng: random.Random) -> Config:
    """Return the configuration, of some stories with licenses, and accounts and QOS that have
    limits. Each of these leaves room for the largest job."""
    if rng.random() >= _LIMITED:
        return config
    largest = max(machine.nodes * machine.cores for machine in machines)

    def limits() -> JobLimits:
        running, user_running = (rng.choice([None, None, 1, 2, 3]) for _ in range(2))
        cpus, user_cpus = (rng.choice([None, None, largest, largest + 1]) for _ in range(2))
        return JobLimits(running, cpus, user_running, user_cpus)

    everybody = (getpass.getuser(), STRANGER)
    accounts = (
        AccountSettings("top", everybody, limits=limits()),
        AccountSettings("left", everybody, parent="top", limits=limits()),
        AccountSettings("right", everybody, everybody, "top", limits()),
    )
    qos = [QosSettings("normal", limits=limits()), QosSettings("night", limits=limits())]
    licenses = (License("cad", rng.choice([2, 3])), License("sim", 1))
    by_tier = any(one.core.preempt != "off" for one in config.partitions)
    if rng.random() < _PREEMPTING and not by_tier:
        qos = _preempting(*qos, rng=rng)
    return replace(config, accounts=accounts, qos=tuple(qos), licenses=licenses)


def _preempting(
    normal: QosSettings, night: QosSettings, *, rng: random.Random
) -> list[QosSettings]:
    """Return these QOS, of which `normal` preempts `night`, and `urgent`, which preempts `normal`
    and has its limits."""
    night = replace(night, preempt=rng.choice(_MODES), preempt_exempt_us=rng.choice(_EXEMPT_US))
    normal = replace(normal, preempt=rng.choice(_MODES), preempts=("night",))
    return [normal, night, replace(normal, name="urgent", preempts=("normal",))]


def named(config: Config, rng: random.Random) -> dict[str, str]:
    """Return the account, the QOS and the licenses that a submit names."""
    if not config.accounts:
        return {}
    return {
        "account": rng.choice(_ACCOUNTS),
        "qos": rng.choice(["", *(one.name for one in config.qos)]),
        "licenses": rng.choice(_LICENSES),
    }
