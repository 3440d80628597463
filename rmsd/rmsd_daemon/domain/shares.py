"""The shares of users: how many live jobs each has, and how much memory their texts take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from rmsd_core.jobs.job import Job
from rmsd_daemon.domain.accounts import ANY_ACCOUNT, AccountRules, Counted, JobGroup, beside
from rmsd_daemon.domain.errors import TooManyJobs
from rmsd_daemon.domain.submission import Details, NewJob

TEXT_BYTES = 256 << 20
"""The most bytes that the texts of one user's live jobs may take in the daemon's memory. A job's
texts are mostly some 200 bytes, so 100,000 jobs have 20 MB. At the limit of each field a job has
25,000 characters or 80 kB, and 100,000 of these jobs would have 8 GB."""


_Key = TypeVar("_Key", JobGroup, Counted)


def _add(counts: Counter[_Key], key: _Key, count: int) -> None:
    """Add to a count, and keep none of nothing."""
    counts[key] += count
    if counts[key] <= 0:
        del counts[key]


def jobs_in(job: Job) -> int:
    """Return for how many live jobs of its user a job counts: an array for the tasks that are none
    of their own."""
    return 1 if job.array is None else job.array.waiting


class Shares:
    """The live jobs of users and those being submitted. The cost of an operation does not depend on
    the number of jobs.

    groups: how many there are of each group. counted: how many there are of what has a limit, by
    the rules for accounts and QOS in force when `_counted_by` was noted.
    """

    def __init__(
        self, jobs: Iterable[tuple[str, Details, int]], accounts: AccountRules = ANY_ACCOUNT
    ) -> None:
        """Count live jobs; `jobs` has users with the details of their jobs, and for how many jobs
        each counts. `accounts` has the limits of accounts and QOS."""
        self._accounts = accounts
        self._jobs: Counter[str] = Counter()
        self.groups: Counter[JobGroup] = Counter()
        self.counted: Counter[Counted] = Counter()
        self._counted_by = accounts.changes
        self._text_bytes: Counter[str] = Counter()
        self.add(jobs)

    def add(self, jobs: Iterable[tuple[str, Details, int]]) -> None:
        """Count more live jobs, without a look at limits; `jobs` is as for a new object."""
        groups: Counter[tuple[str, str, str]] = Counter()
        for user, details, count in jobs:
            groups[details.qos, details.account, user] += count
            self._text_bytes[user] += details.text_bytes
        for qos, account, user in groups:  # few, of however many jobs
            count = groups[qos, account, user]
            self._jobs[user] += count
            self._count(JobGroup(qos, account, user), count)

    def _count(self, group: JobGroup, count: int) -> None:
        """Count so many more jobs of a group, or fewer."""
        _add(self.groups, group, count)
        for counted in self._accounts.counters_of(group):
            _add(self.counted, counted, count)

    def _count_anew(self) -> None:
        """Count the groups by other rules, if they were replaced."""
        if self._counted_by == self._accounts.changes:
            return
        self._counted_by = self._accounts.changes
        groups, self.groups = self.groups, Counter()
        self.counted = Counter()
        for group, count in groups.items():
            self._count(group, count)

    def take(self, jobs: Sequence[NewJob], most_jobs: int) -> None:
        """Count new jobs, all of them or none.

        Raises:
            TooManyJobs: a user would have more than `most_jobs`, or too much text in them, or an
                account or a QOS more than its limit.
        """
        more = self.check(jobs, most_jobs)
        self._jobs.update(more._jobs)
        self.groups.update(more.groups)
        self.counted.update(more.counted)
        self._text_bytes.update(more._text_bytes)

    def check(self, jobs: Sequence[NewJob], most_jobs: int) -> Shares:
        """Check whether new jobs may be taken, and return the shares that they would add.

        Raises:
            TooManyJobs: as `take`.
        """
        self._count_anew()
        added = ((new.job.user, new.details, new.details.count) for new in jobs)
        more = Shares(added, self._accounts)
        self._accounts.check_submitted(self.counted, more.counted)
        for user, count in more._jobs.items():
            if (has := self._jobs[user]) + count > most_jobs:
                raise TooManyJobs(
                    f"{user} has {has} jobs waiting or running, and may have {most_jobs}"
                    f"{beside(count)}; submit again when some are over"
                )
            if (has := self._text_bytes[user]) + more._text_bytes[user] > TEXT_BYTES:
                raise TooManyJobs(
                    f"names, comments, paths, notices and dependencies of the jobs of {user} that "
                    f"wait or run take {has} bytes, and may take {TEXT_BYTES}; submit again when "
                    "some are over, or with shorter texts and fewer dependencies"
                )
        return more

    def check_text(self, user: str, before: Details, after: Details) -> None:
        """Check that a user may have other details of a job.

        Raises:
            TooManyJobs: all texts of the user's jobs would take too much memory.
        """
        has = self._text_bytes[user]
        if after.text_bytes > before.text_bytes and (
            has - before.text_bytes + after.text_bytes > TEXT_BYTES
        ):
            raise TooManyJobs(
                f"names, comments, paths, notices and dependencies of the jobs of {user} that wait "
                f"or run take {has} bytes, and may take {TEXT_BYTES}"
            )

    def replace(self, user: str, before: Details, after: Details) -> None:
        """Count other details of a job."""
        self._text_bytes[user] += after.text_bytes - before.text_bytes

    def give_back(self, job: Job, count: int, details: Details | None = None) -> None:
        """Count `count` jobs no longer, since they are over, and the texts of one."""
        self._count_anew()
        user = job.user
        self._jobs[user] -= count
        self._count(JobGroup(job.qos, job.account, user), -count)
        if details is not None:
            self._text_bytes[user] -= details.text_bytes
        if self._jobs[user] <= 0:  # keep no entry for users without jobs
            del self._jobs[user], self._text_bytes[user]
