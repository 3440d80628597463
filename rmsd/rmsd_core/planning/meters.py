"""The meters of limits and licenses, which count jobs, and the kinds of jobs with the same ones."""

from __future__ import annotations

from rmsd_core.jobs.gres import Amounts
from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.queue import Queue

KindKey = tuple[str, str, str, Amounts]
"""The QOS, the account, the user and the licenses of jobs."""


class Meter:
    """The jobs of a group that hold processors, with the limits of the group.

    most_running, most_cpus: None: no limit. jobs_reason, cpus_reason: Slurm's words for why a job
    waits. waiting: the keys of those kinds of jobs with this meter of which some are held back.
    joining: how many kinds and sizes with this meter are still to join the queue.
    """

    def __init__(
        self, most_running: int | None, most_cpus: int | None, jobs_reason: str, cpus_reason: str
    ) -> None:
        self.most_running = most_running
        self.most_cpus = most_cpus
        self.jobs_reason = jobs_reason
        self.cpus_reason = cpus_reason
        self.running = self.cpus = self.joining = 0
        self.waiting: dict[KindKey, None] = {}

    def refusal(self, size: int) -> str | None:
        """Return Slurm's word for the limit that one more job of this size would pass; None if it
        would pass none."""
        if self.most_running is not None and self.running >= self.most_running:
            return self.jobs_reason
        if self.most_cpus is not None and self.cpus + size > self.most_cpus:
            return self.cpus_reason
        return None

    def spare(self, size: int) -> int:
        """Return how many more jobs of this size may hold processors."""
        running = NEVER_US if self.most_running is None else self.most_running - self.running
        cpus = NEVER_US if self.most_cpus is None else (self.most_cpus - self.cpus) // size
        return max(0, min(running, cpus))

    def count_joining(self, more: int) -> None:
        """Count so many kinds and sizes more, or fewer, that are still to join the queue."""
        self.joining += more

    def count(self, sign: int, size: int) -> None:
        """Count a job of this size that holds processors now, or (-1) does not any more."""
        self.running += sign
        self.cpus += sign * size


class LicenseMeter:
    """The jobs that have a license. total: how many of it they may have together; used: how many
    they have. waiting, joining: as of a `Meter`."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.running = self.used = self.joining = 0
        self.waiting: dict[KindKey, None] = {}


class LicenseShare:
    """Jobs that have `each` of a license, as a meter of them."""

    def __init__(self, meter: LicenseMeter, each: int) -> None:
        self._meter = meter
        self._each = each
        self.waiting = meter.waiting

    @property
    def joining(self) -> int:
        return self._meter.joining

    def count_joining(self, more: int) -> None:
        self._meter.joining += more

    def refusal(self, size: int) -> str | None:  # noqa: ARG002 (as Meter)
        """Return Slurm's word if too few are left for one more job."""
        return "Licenses" if self._meter.used + self._each > self._meter.total else None

    def spare(self, size: int) -> int:  # noqa: ARG002 (as Meter)
        """Return for how many more jobs there are some."""
        return max(0, (self._meter.total - self._meter.used) // self._each)

    def count(self, sign: int, size: int) -> None:  # noqa: ARG002 (as Meter)
        """Count a job that has them now, or (-1) does not any more."""
        self._meter.running += sign
        self._meter.used += sign * self._each


class JobKind:
    """The jobs of one QOS, account and user with the same licenses: their meters, and their limits
    on the length of a job with Slurm's words for why a longer one waits. key: what the jobs have in
    common. held: those that the meters hold back, by size."""

    def __init__(self, key: KindKey) -> None:
        self.key = key
        self.meters: list[Meter | LicenseShare] = []
        self.longest: list[tuple[int, str]] = []
        self.held: dict[int, Queue] = {}

    def refusal(self, size: int) -> str | None:
        """Return Slurm's word for the limit that one more job of this size would pass."""
        return next(filter(None, (meter.refusal(size) for meter in self.meters)), None)

    def spare(self, size: int) -> int:
        """Return how many more jobs of this size may hold processors."""
        return min((meter.spare(size) for meter in self.meters), default=0)
