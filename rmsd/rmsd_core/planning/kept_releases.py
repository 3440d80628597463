"""The releases of running jobs, gathered for the shadows of heads and kept while jobs begin and
end."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rmsd_core.machine.capacity import Capacity, Release, Releases

_MOST_CHANGES = 4096
"""The most changes that are noted while nobody asks; after more, all is gathered again."""


class KeptReleases:
    """The gathered releases of a planner. To gather them is a look at all running jobs, of which
    there may be tens of thousands; so a pass looks only at those that began or ceased to hold
    something since the last look."""

    __slots__ = ("_capacity", "_changes", "_gathered", "_layout")

    def __init__(self, capacity: Capacity) -> None:
        self._capacity = capacity
        self._gathered: Releases | None = None
        self._layout = 0
        # The releases that came (True) or went (False), in order.
        self._changes: list[tuple[Release, bool]] = []

    @property
    def is_gathered(self) -> bool:
        return self._gathered is not None

    def note(self, release: Release, *, is_held: bool) -> None:
        """Note that a job begins to hold what it gives back with this release, or ceases to."""
        if self._gathered is None:
            return
        self._changes.append((release, is_held))
        if len(self._changes) > _MOST_CHANGES:
            self.drop()

    def drop(self) -> None:
        """Have all gathered again when somebody asks."""
        self._gathered = None
        self._changes.clear()

    def current(self, releases: Callable[[], Iterable[Release]]) -> Iterable[Release]:
        """Return the gathered releases as of now. `releases` returns all of them, in order."""
        gathered, layout = self._gathered, self._capacity.layout
        if gathered is None or layout != self._layout:
            every = releases()
            gathered = self._capacity.kept_along(every)
            self._gathered, self._layout = gathered, layout
            if gathered is None:
                return every
        else:
            gathered.expect(len(self._changes))
            for release, is_held in self._changes:
                change = gathered.begin if is_held else gathered.end
                change(release)
        self._changes.clear()
        return gathered
