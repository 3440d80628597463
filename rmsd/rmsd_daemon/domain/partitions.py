"""The partitions that a submit goes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rmsd_core.jobs.request import Component
from rmsd_core.machine.partitions import limit_passed
from rmsd_core.model_time import duration_s
from rmsd_core.vocabulary import MAIN_PARTITION
from rmsd_daemon.domain.errors import DaemonError, Forbidden, Malformed, NeverFits
from rmsd_daemon.setup.partitions import PartitionSettings, default_of
from rmsd_wire.durations import format_duration

_MOST_NAMED = 16
"""The most partitions that a job may name."""


@dataclass(slots=True, eq=False)
class Partitions:
    """The partitions in force; none if the cluster is not divided. `is_listed` returns whether an
    account is on a list of names and `@groups`."""

    is_listed: Callable[[str, Sequence[str]], bool]
    in_force: tuple[PartitionSettings, ...] = ()

    def named(self, text: str, user: str) -> list[PartitionSettings]:
        """Return the partitions that a submit names and the user may use now, in its order; the
        default if it names none; none if the cluster has none.

        Raises:
            DaemonError: one of them is not there, or the user may use none of them now.
        """
        names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
        if not self.in_force:
            if unknown := [name for name in names if name != MAIN_PARTITION]:
                raise Malformed(
                    f"'partition': there is no partition '{unknown[0]}'; this cluster has the one "
                    f"partition {MAIN_PARTITION}"
                )
            return []
        if len(names) > _MOST_NAMED:
            raise Malformed(f"'partition' names {len(names)}, more than {_MOST_NAMED}")
        by_name = {one.name: one for one in self.in_force}
        for name in names:
            if name not in by_name:
                raise Malformed(
                    f"'partition': there is no partition '{name}'; there are {', '.join(by_name)}"
                )
        if not names:
            if (default := default_of(self.in_force)) is None:
                raise Malformed(
                    "'partition' is not given, and no partition is the default; there are "
                    f"{', '.join(by_name)}"
                )
            names = [default.name]
        wanted = [by_name[name] for name in names]
        return _without_refusing(wanted, lambda one: self._why_not(one, user))

    def may_use(self, partition: PartitionSettings, user: str) -> bool:
        """Return whether the user is among those for whom the partition is."""
        return not partition.users or self.is_listed(user, partition.users)

    def _why_not(self, partition: PartitionSettings, user: str) -> DaemonError | None:
        if not self.may_use(partition, user):
            return Forbidden(f"'partition': {user} may not use the partition '{partition.name}'")
        if not partition.core.takes_submits:
            return NeverFits(
                f"the partition '{partition.name}' takes no new jobs: its state is "
                f"{partition.core.state}"
            )
        return None


UNDIVIDED = Partitions(lambda user, listed: user in listed)
"""The partitions of a cluster that is not divided."""


def _without_refusing(
    partitions: list[PartitionSettings],
    why_not: Callable[[PartitionSettings], DaemonError | None],
) -> list[PartitionSettings]:
    """Return the partitions that do not refuse. Raises the error of the first if all do."""
    errors = {one.name: why_not(one) for one in partitions}
    taking = [one for one in partitions if errors[one.name] is None]
    if not taking:
        raise next(error for error in errors.values() if error is not None)
    return taking


def within_limits(
    partitions: list[PartitionSettings], component: Component, estimate_us: int
) -> list[PartitionSettings]:
    """Return the partitions whose limits the job keeps.

    Raises:
        NeverFits: it keeps those of none.
    """

    def why_not(one: PartitionSettings) -> DaemonError | None:
        passed = limit_passed(one.core, component, estimate_us)
        if passed is None:
            return None
        field = "time_limit_s" if passed == "PartitionTimeLimit" else ""
        return NeverFits(_limit(passed, one, component, estimate_us), field=field)

    return _without_refusing(partitions, why_not)


def _limit(
    passed: str, partition: PartitionSettings, component: Component, estimate_us: int
) -> str:
    core = partition.core
    if passed == "PartitionTimeLimit":
        asked = f"a limit of {format_duration(duration_s(estimate_us))}"
        assert core.max_time_us is not None
        most = format_duration(duration_s(core.max_time_us))
    elif core.max_nodes is not None and component.least_nodes > core.max_nodes:
        asked, most = f"{component.least_nodes} nodes", str(core.max_nodes)
    else:
        asked, most = f"{component.size} processors", str(core.max_cpus)
    return f"{asked} asked for; the partition '{partition.name}' allows at most {most} ({passed})"
