"""The details of live jobs, by number and by name.

A look for a name among 200,000 jobs took 0.2 s of a processor.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rmsd_daemon.domain.submission import Details


class LiveDetails(dict[int, Details]):
    """The details of live jobs by number. They change by single items and by `pop` alone, so that
    the numbers by name follow."""

    def __init__(self, details: Mapping[int, Details] | None = None) -> None:
        super().__init__()
        # Most names are of one job, or of thousands.
        self._named: dict[str, int | dict[int, None]] = {}
        for number, one in (details or {}).items():
            self[number] = one

    def __setitem__(self, number: int, details: Details) -> None:
        before = self.get(number)
        super().__setitem__(number, details)
        if before is not None:
            if before.name == details.name:
                return
            self._leave(number, before.name)
        named = self._named.get(details.name)
        if named is None:
            self._named[details.name] = number
        elif isinstance(named, int):
            self._named[details.name] = {named: None, number: None}
        else:
            named[number] = None

    def pop(self, number: int, default: None = None) -> Details | None:  # type: ignore[override]
        """Remove the details of a job, and return them; None if there are none."""
        details = super().pop(number, default)
        if details is not None:
            self._leave(number, details.name)
        return details

    def _leave(self, number: int, name: str) -> None:
        named = self._named[name]
        if isinstance(named, dict):
            del named[number]
        if isinstance(named, int) or not named:
            del self._named[name]

    def with_names(self, names: Collection[str]) -> list[Collection[int]]:
        """Return the numbers of the jobs that have one of these names, by name."""
        found = [named for name in names if (named := self._named.get(name)) is not None]
        return [(one,) if isinstance(one, int) else one.keys() for one in found]
