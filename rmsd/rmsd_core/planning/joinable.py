"""The waiting jobs that may start beside other jobs of their user, on nodes that these keep for the
user (`--exclusive=user`): what a look at such nodes asks, without a walk over the queue."""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import islice

from rmsd_core.jobs.gres import Amounts
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Request

Alike = tuple[Request, str, str, str, Amounts]
"""The request, the advance reservation, the account, the QOS and the licenses of jobs. If the
shortest of the jobs that have them in common finds no place, or is refused, so are all."""

MOST_ALIKE = 256
"""The different requests of a user that are looked at after the nodes of the user have changed: the
first ones that came. A user may have any number of them; those of the others start by the plan."""

_Entry = tuple[int, int, Job]
"""(limit, arrival number, job)"""


class Joinable:
    """The jobs in the queue that share their nodes with jobs of their user alone, by user and by
    what they have in common, the shortest first.

    due: for each user what is to be looked at, since it came or since the nodes of the user have
        changed; the user who has waited longest comes first.
    """

    __slots__ = ("_entries", "_of_user", "due")

    def __init__(self) -> None:
        self._of_user: dict[str, dict[Alike, list[_Entry]]] = {}
        self._entries: dict[Job, tuple[Alike, _Entry]] = {}
        self.due: dict[str, dict[Alike, None]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, job: Job) -> None:
        """Note that the job waits in the queue."""
        alike = job.request, job.reservation, job.account, job.qos, job.licenses
        entry = job.estimate_us, job.seq, job
        self._entries[job] = alike, entry
        insort(self._of_user.setdefault(job.user, {}).setdefault(alike, []), entry)
        self.due.setdefault(job.user, {})[alike] = None

    def remove(self, job: Job) -> None:
        """Note that the job does not wait in the queue any more."""
        alike, entry = self._entries.pop(job)
        of_user = self._of_user[job.user]
        jobs = of_user[alike]
        del jobs[bisect_left(jobs, entry)]
        if not jobs:
            del of_user[alike]
        if not of_user:
            del self._of_user[job.user]
            self.due.pop(job.user, None)

    def has(self, user: str) -> bool:
        """Return whether jobs of the user wait."""
        return user in self._of_user

    def look_again(self, user: str) -> None:
        """Have the jobs of a user be looked at, since the nodes of the user have changed."""
        if (of_user := self._of_user.get(user)) is not None:
            due = self.due.setdefault(user, {})
            due.update(dict.fromkeys(islice(of_user, MOST_ALIKE)))

    def look_at_all(self) -> None:
        """Have the jobs of all users be looked at, since the machine has changed."""
        for user in self._of_user:
            self.look_again(user)

    def shortest(self, user: str, alike: Alike) -> Job | None:
        """Return the job of these that ends first by its limit if it starts now; None: none
        waits."""
        jobs = self._of_user.get(user, {}).get(alike)
        return jobs[0][2] if jobs else None
