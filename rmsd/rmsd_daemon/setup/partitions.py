"""The partitions of the configuration: `[partitions.NAME]` tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from rmsd_core.machine.partitions import Partition, PartitionState
from rmsd_core.model_time import duration_us
from rmsd_daemon.setup.named_tables import Readers, check_name, read_table
from rmsd_daemon.setup.preempt_keys import preempt_keys, preempt_times_us
from rmsd_wire.hostlist import HostlistError, expand

ALL_NODES = "ALL"
_MOST = 256
"""The most partitions. Each pass looks at the first job of each."""
_STATES = get_args(PartitionState)


@dataclass(frozen=True, slots=True)
class PartitionSettings:
    """A partition as configured.

    core: what the scheduler goes by. nodes: the host list as written. is_default: jobs that name
    none go there. default_time_s, default_mem_mib: of jobs that ask for none; None: the cluster's.
    users: the accounts and `@groups` that may use it; empty: all may.
    """

    core: Partition
    nodes: str
    is_default: bool = False
    default_time_s: float | None = None
    default_mem_mib: int | None = None
    users: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.core.name


def parse_partitions(value: object, readers: Readers) -> tuple[PartitionSettings, ...]:
    """Read the partitions, a table of tables.

    Raises:
        ValueError, TypeError: a name, a key or a value is not usable; the message says which.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is not a table; write [partitions.NAME]")
    if len(value) > _MOST:
        raise ValueError(f"there are {len(value)} partitions, more than {_MOST}")
    partitions = tuple([_partition(name, table, readers) for name, table in value.items()])
    defaults = [one.name for one in partitions if one.is_default]
    if len(defaults) > 1:
        raise ValueError(f"{' and '.join(defaults)} are both the default; only one can be")
    if len(partitions) == 1:
        return (_with_default(partitions[0]),)
    return partitions


def _with_default(only: PartitionSettings) -> PartitionSettings:
    """Return the only partition as the default: there is no other that jobs could go to."""
    return PartitionSettings(
        only.core, only.nodes, True, only.default_time_s, only.default_mem_mib, only.users
    )


def _partition(name: str, table: object, readers: Readers) -> PartitionSettings:
    check_name(name)
    keys = {
        "nodes": _text,
        "default": readers["bool"],
        "state": _state,
        "max_time": readers["duration"],
        "default_time": readers["duration"],
        "max_nodes": readers["count"],
        "max_cpus": readers["count"],
        "default_mem": readers["size"],
        "users": readers["names"],
        "tier": _tier,
        "priority": readers["points"],
        **preempt_keys(readers),
    }
    found = read_table(name, table, "partitions", keys)
    nodes = found.get("nodes", ALL_NODES)
    max_time_s = found.get("max_time")
    default_time_s = found.get("default_time")
    if max_time_s is not None and default_time_s is not None and default_time_s > max_time_s:
        raise ValueError(f"{name}: default_time is longer than max_time")
    core = Partition(
        name,
        _names(name, nodes),
        found.get("state", "up"),
        None if max_time_s is None else duration_us(max_time_s),
        found.get("max_nodes"),
        found.get("max_cpus"),
        found.get("tier", 1),
        found.get("preempt", "off"),
        *preempt_times_us(found),
        priority=found.get("priority", 0),
    )
    return PartitionSettings(
        core,
        nodes,
        found.get("default", False),
        default_time_s if default_time_s is not None else max_time_s,
        found.get("default_mem"),
        found.get("users", ()),
    )


def _names(name: str, nodes: str) -> tuple[str, ...] | None:
    if nodes == ALL_NODES:
        return None
    try:
        return tuple(dict.fromkeys(expand(nodes)))
    except HostlistError as error:
        raise ValueError(f"{name}.nodes: {error}") from None


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f'{value!r} is not a host list, as "n[01-16]", or "{ALL_NODES}"')
    return value.strip()


def _state(value: object) -> PartitionState:
    if value not in _STATES:
        raise ValueError(f"{value!r} is not one of {', '.join(_STATES)}")
    return cast("PartitionState", value)


def _tier(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 65535:
        raise ValueError(f"{value!r} is not a whole number from 1 to 65535")
    return value


def default_of(partitions: Sequence[PartitionSettings]) -> PartitionSettings | None:
    return next((one for one in partitions if one.is_default), None)
