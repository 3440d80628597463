"""The pieces that running jobs give back, kept so that a copy of all is quickly made."""

from __future__ import annotations

from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation
from rmsd_core.planning.portions import PORTION, Portions


class HeldPieces:
    """The pieces that each job of a release list gives back. They are read when somebody asks: a
    machine on which nobody looks at expected starts pays for the notes alone."""

    __slots__ = ("_pieces", "_unread")

    def __init__(self) -> None:
        self._pieces: dict[Job, Allocation] = {}
        self._unread: dict[Job, None] = {}

    def note(self, job: Job) -> None:
        """Note that the job holds something, or other pieces than before."""
        self._unread[job] = None

    def drop(self, job: Job) -> None:
        """Note that the job holds nothing any more."""
        self._unread.pop(job, None)
        self._pieces.pop(job, None)

    def read(self) -> Portions[None]:
        """Read what has changed, before `copied` has to."""
        while len(self._unread) > PORTION:
            self._read_some(PORTION)
            yield

    def copied(self) -> dict[Job, Allocation]:
        """Return what each job gives back now."""
        self._read_some(len(self._unread))
        return dict(self._pieces)

    def _read_some(self, count: int) -> None:
        for job in list(islice(self._unread, count)):
            del self._unread[job]
            self._pieces[job] = job.releasing()
