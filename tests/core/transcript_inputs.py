"""The values that the lines of a transcript give to the inputs of a core."""

from __future__ import annotations

from typing import Any, cast

from rmsd_core.jobs.accounts import AccountPolicy, JobLimits, Policies, QosPolicy
from rmsd_core.jobs.array import Array, Counterpart, Indices
from rmsd_core.jobs.conditions import Conditions, Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import UNFOLDING, WAITING, Ineligible, Phase
from rmsd_core.jobs.ranks import Interval
from rmsd_core.lifecycle.inputs import (
    AddReservation,
    AskReboot,
    CancelReboot,
    NodeUp,
    RebootFailed,
    SetPolicies,
)
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.nodes import NextState
from rmsd_core.machine.partitions import Partition, PartitionState
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import HeldBy, Preempt, Relation
from rmsd_wire.arrays import parse_indices


def first_phase(conditions: Conditions, array: Array[Job] | None) -> Phase:
    if conditions.stand:
        return Ineligible(conditions)
    return WAITING if array is None else UNFOLDING


def array_of(more: dict[str, str]) -> Array[Job] | None:
    """Read `array=0-4 limit=2`, with `corresponds=10` to an array of the same indices."""
    if "array" not in more:
        return None
    indices = Indices(parse_indices(more["array"]))
    limit = int(more["limit"]) if "limit" in more else None
    if "corresponds" not in more:
        return Array(indices, limit)
    met, never = intervals_of(more.get("met", "")), intervals_of(more.get("never", ""))
    ends = "ends-if-never" in more
    return Array(indices, limit, Counterpart(int(more["corresponds"]), indices, met, never, ends))


def intervals_of(text: str) -> tuple[Interval, ...]:
    """Read `0-2,5`."""
    return tuple((first, last + 1) for first, last, _ in parse_indices(text)) if text else ()


class Values(dict[str, str]):
    """The values of `name=value`, which remember the names that were looked for."""

    def __init__(self, words: list[str]) -> None:
        super().__init__(word.partition("=")[::2] for word in words)
        self._looked_for: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self._looked_for.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self._looked_for.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._looked_for.add(name)
        return super().get(name, default)

    def pop(self, name: str, default: Any = None) -> Any:
        self._looked_for.add(name)
        return super().pop(name, default)

    def check(self) -> None:
        """Raise ValueError if the line has a word that nothing came of."""
        if unknown := sorted(self.keys() - self._looked_for):
            raise ValueError(f"{', '.join(unknown)}: nothing comes of it here")


def values_of(words: list[str]) -> Values:
    """Return the values of `name=value`; a name alone has none."""
    return Values(words)


def node_of(word: str) -> NodeUp:
    """Read `n1:4`, `n1:4:1000` with memory, `n1:4:1000:fast,emulated` with features, `n1:4:::full`
    if its agent can start no job for this reason, `n1:4::::b1` if it is on the boot b1."""
    name, cores, mem_mib, features, unable, boot_id = [*word.split(":"), "", "", "", ""][:6]
    has = tuple(features.split(",")) if features else ("real",)
    return NodeUp(name, int(cores), int(mem_mib or 0), has, unable=unable, boot_id=boot_id)


def qos_of(word: str) -> QosPolicy:
    """Read `night:max_running=2:max_cpus_per_user=4`, `low:preempt=cancel:exempt=60`,
    `high:preempts=low,night`, and `long:priority=500`."""
    name, *rest = word.split(":")
    more = values_of(rest)
    preempts = tuple(filter(None, more.pop("preempts", "").split(",")))
    preempt = cast("Preempt", more.pop("preempt", "requeue"))
    exempt_us = micros(float(more.pop("exempt", 0)))
    points = int(more.pop("priority", 0))
    limits = JobLimits(**{key: int(most) for key, most in more.items()})
    return QosPolicy(name, limits, preempts, preempt, preempt_exempt_us=exempt_us, priority=points)


def account_of(word: str) -> AccountPolicy:
    """Read `physics:shares=3` and `lab:parent=physics`."""
    name, *rest = word.split(":")
    more = values_of(rest)
    policy = AccountPolicy(name, more.get("parent"), shares=int(more.get("shares", 1)))
    more.check()
    return policy


def policies_of(kind: str, words: list[str]) -> SetPolicies:
    """Return the input that sets these QOS, or these accounts."""
    if kind == "qos":
        return SetPolicies(Policies(qos=tuple(map(qos_of, words))))
    return SetPolicies(Policies(tuple(map(account_of, words))))


def partition_of(word: str) -> Partition:
    """Read `short:n1,n2`, `short:n1,n2:time=60:nodes=1:cpus=4:tier=2:state=down`, and
    `low:n1:preempt=requeue:exempt=60:priority=500`; `*` are all nodes."""
    name, nodes, *rest = word.split(":")
    more = values_of(rest)
    partition = Partition(
        name,
        None if nodes == "*" else tuple(nodes.split(",")),
        cast("PartitionState", more.get("state", "up")),
        micros(float(more["time"])) if "time" in more else None,
        int(more["nodes"]) if "nodes" in more else None,
        int(more["cpus"]) if "cpus" in more else None,
        int(more.get("tier", 1)),
        cast("Preempt", more.get("preempt", "off")),
        preempt_exempt_us=micros(float(more.get("exempt", 0))),
        priority=int(more.get("priority", 0)),
    )
    more.check()
    return partition


def conditions_of(more: dict[str, str]) -> Conditions:
    """Read `held=user begin=100 after=afterok:1,after:2+60 any ends-if-never`."""
    dependencies = []
    for text in filter(None, more.get("after", "").split(",")):
        relation, _, rest = text.partition(":")
        job_id, _, delay_s = rest.partition("+")
        delay_us = micros(float(delay_s or 0))
        dependencies.append(Dependency(Relation(relation), int(job_id or 0), delay_us))
    return Conditions(
        HeldBy(more["held"]) if "held" in more else None,
        micros(float(more["begin"])) if "begin" in more else None,
        tuple(dependencies),
        any_of="any" in more,
        ends_if_never="ends-if-never" in more,
    )


def micros(time_s: float) -> int:
    return round(time_s * SECOND_US)


def reserve_of(name: str, more: dict[str, str]) -> AddReservation:
    """Read `start=100 end=200 nodes=n1,n2 users=ann groups=course maint ignore-jobs every=600
    until=5000`, or `cores=4` for nodes."""

    def names(key: str) -> tuple[str, ...]:
        return tuple(more[key].split(",")) if key in more else ()

    reservation = AdvanceReservation(
        name,
        micros(float(more["start"])),
        micros(float(more["end"])),
        names("nodes"),
        int(more.get("cores", 0)),
        names("users"),
        is_maintenance="maint" in more,
        groups=names("groups"),
        every_us=micros(float(more.get("every", 0))),
        until_us=micros(float(more.get("until", 0))),
    )
    return AddReservation(reservation, ignores_jobs="ignore-jobs" in more)


def reboot_of(
    kind: str, node: str, more: dict[str, str]
) -> AskReboot | CancelReboot | RebootFailed:
    """Read `ask-reboot n1 asap next=down`, `cancel-reboot n1`, `reboot-failed n1 boot=b1`."""
    if kind == "cancel-reboot":
        return CancelReboot(node, "root")
    if kind == "reboot-failed":
        return RebootFailed(node, more["boot"], more.get("why", "reboot timed out"))
    next_state = cast("NextState", more.get("next", ""))
    reason = more.get("reason", "new kernel")
    return AskReboot(node, reason, "root", "asap" in more, next_state)
