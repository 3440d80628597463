"""The part of the queue that is shown: filters, order and page, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rmsd_client.api import Client
from rmsd_client.console.cli import job_names
from rmsd_client.errors import UsageError
from rmsd_client.show.job_pages import JobPage, job_page
from rmsd_core.vocabulary import CODES, TERMINAL_STATES, JobState

Json = dict[str, Any]

PAGE = 200
"""Jobs on a page. A page is all that is ever read of a queue, however long that is."""
_WAITING = CODES[JobState.PENDING]
_RUNNING = ",".join(
    code for state, code in CODES.items() if state not in (*TERMINAL_STATES, JobState.PENDING)
)
STATES = {
    "running and waiting": (_RUNNING, _WAITING),
    "waiting": (_WAITING,),
    "running": (_RUNNING,),
    "all": ("all",),
}
"""The choices of states. Each of the lists of a choice is read by itself, so that a thousand jobs
that wait do not hide those that run."""
ORDERS: dict[str, Callable[[Json], Any]] = {
    "number": lambda job: -int(job["job_id"]),
    "user": lambda job: str(job["user"]),
    "name": lambda job: str(job["name"]),
    "cpus": lambda job: -int(job["cpus"]),
    "time": lambda job: -float(job["elapsed_s"] or 0),
}
_FIELDS = ("user", "name", "partition")


@dataclass(frozen=True, slots=True)
class JobFilter:
    """The jobs that are looked for. Empty texts mean any."""

    ids: str = ""
    user: str = ""
    name: str = ""
    partition: str = ""

    def __str__(self) -> str:
        named = {"job": self.ids, **{one: getattr(self, one) for one in _FIELDS}}
        return " ".join(f"{one}:{text}" for one, text in named.items() if text)


def parse_filter(text: str) -> JobFilter:
    """Return the filter of words such as `anna`... `user:anna name:fit partition:batch 12`. A word
    that is a number is a job; another one without a colon is the name of jobs.

    Raises:
        UsageError: a field is not known, or is given twice.
    """
    found: dict[str, str] = {}
    for word in text.split():
        name, colon, value = word.partition(":")
        if colon and name not in _FIELDS:
            raise UsageError(f"'{name}:' is not known; there is {', '.join(_FIELDS)}")
        if not colon:
            name, value = ("ids", word) if word[0].isdigit() else ("name", word)
        if name in found:
            raise UsageError(f"there can be one {_WORDS.get(name, name)}, not '{value}' as well")
        found[name] = ",".join(job_names([value])) if name == "ids" else value
    return JobFilter(**found)


_WORDS = {"ids": "number of a job"}


@dataclass(frozen=True, slots=True)
class QueueView:
    """A choice of what to show. `pages`: where the lists of the page begin, for this page and each
    newer one; a list with the number 0 has no more jobs."""

    states: str = "running and waiting"
    order: str = "number"
    is_mine: bool = False
    filter: JobFilter = field(default_factory=JobFilter)
    pages: tuple[tuple[int | None, ...], ...] = ()

    def changed(self, **changes: Any) -> QueueView:
        """Return the first page of another choice."""
        return replace(self, **{"pages": (), **changes})

    def older(self, snapshot: QueuePage) -> QueueView:
        """Return the page behind that of `snapshot`; the same one if there is none."""
        if not any(snapshot.older):
            return self
        return replace(self, pages=(*self.pages, tuple(one or 0 for one in snapshot.older)))

    def newer(self) -> QueueView:
        return replace(self, pages=self.pages[:-1])


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A page as it was read. `older`: where older jobs begin, for each list of the page."""

    status: Json
    jobs: list[Json]
    older: tuple[int | None, ...]


def read(client: Client, view: QueueView) -> QueuePage:
    """Read a page of the queue, and the state of the daemon. Raises ClientError."""
    status = client.status()
    wanted = view.filter
    lists = ("all",) if wanted.ids else STATES[view.states]
    user = status["you"]["user"] if view.is_mine else wanted.user or None
    found: list[JobPage] = []
    for number, states in enumerate(lists):
        before = view.pages[-1][number] if view.pages else None
        if before == 0:
            found.append(JobPage([], None))
            continue
        found.append(
            job_page(
                client,
                limit=PAGE // len(lists),
                before=before,
                ids=wanted.ids or None,
                states=states,
                user=user,
                name=wanted.name or None,
                partition=wanted.partition or None,
            )
        )
    order = ORDERS[view.order]
    jobs = [
        job
        for page in found
        for job in sorted(page.jobs, key=lambda job: (order(job), -int(job["job_id"])))
    ]
    return QueuePage(status, jobs, tuple(page.before for page in found))
