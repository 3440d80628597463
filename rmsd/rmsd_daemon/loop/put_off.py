"""The works after which a pass has failed. They are tried again after a pause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rmsd_core.lifecycle.inputs import Exited, Input
from rmsd_daemon.loop.mailbox import AgentSession, Report, Work


class PutOff:
    """The works that wait for another try. again_s: the time of that try, on the loop's clock.
    waiting: on a paced clock, other works that wait while later ones are done."""

    def __init__(self) -> None:
        self.again_s = 0.0
        self.waiting: Sequence[Work] = ()
        self._works: list[Work] = []

    def __bool__(self) -> bool:
        return bool(self._works)

    def add(self, works: Iterable[Work]) -> None:
        self._works += works

    def take(self) -> list[Work]:
        """Return all works, and keep none."""
        works, self._works = self._works, []
        return works

    def take_due(self, now_s: float) -> list[Work]:
        """Return the works, and keep none, once it is time to try them again."""
        return self.take() if self._works and now_s >= self.again_s else []

    def tells(self, item: Input) -> bool:
        """Return whether a put-off report says how the attempt of an `Exited` ended."""
        reports = (work.input for work in self._works if isinstance(work, Report))
        return isinstance(item, Exited) and any(
            isinstance(told, Exited) and _key(told) == _key(item) for told in reports
        )

    def acknowledgeable(self, session: AgentSession) -> Iterator[int]:
        """Yield the number before each report of the session that is put off or waits:
        acknowledging a later one would acknowledge the report as well."""
        for work in (*self._works, *self.waiting):
            if isinstance(work, Report) and work.session is session:
                yield work.seq - 1


def _key(exited: Exited) -> tuple[int, int, str]:
    return (exited.job_id, exited.attempt, exited.node)
