"""The soft resource limits that a unit takes over from the submitter of its job."""

from __future__ import annotations

import errno
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_STOPS_EXEC = {
    errno.EAGAIN: ("NPROC",),
    errno.ENOMEM: ("AS", "DATA", "STACK", "MEMLOCK"),
    errno.EMFILE: ("NOFILE",),
}
"""The limits that can make execve(2) fail with an error."""


class Rlimits:
    """Soft limits of this process, from `take_over` to the exec or to `give_back`. Each ends at the
    hard limit, which stays as it is."""

    def __init__(self, soft: Mapping[str, int | None]) -> None:
        self._soft = soft
        self._before: dict[str, tuple[int, int]] = {}

    def take_over(self) -> None:
        """Set the limits. Afterwards this process may have no memory for anything but its exec."""
        wanted: list[tuple[int, int, int]] = []
        for name, soft in self._soft.items():
            kind = getattr(resource, f"RLIMIT_{name}", None)
            if kind is not None:
                self._before[name] = resource.getrlimit(kind)
                hard = self._before[name][1]
                wanted.append((kind, _within(hard, soft), hard))
        for kind, soft_here, hard in wanted:
            resource.setrlimit(kind, (soft_here, hard))

    def give_back(self) -> None:
        """Undo `take_over`, after an exec that failed."""
        for name, before in self._before.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), before)

    def cause(self, error: int | None) -> str:
        """Return the name, as RLIMIT_AS, of a limit that was lowered and can make an exec fail with
        this error; "" if there is none."""
        for name in _STOPS_EXEC.get(error or 0, ()):
            if name in self._before and self._is_lower(name):
                return f"RLIMIT_{name}"
        return ""

    def _is_lower(self, name: str) -> bool:
        before, hard = self._before[name]
        now = _within(hard, self._soft[name])
        return now != resource.RLIM_INFINITY and (before == resource.RLIM_INFINITY or now < before)


def _within(hard: int, soft: int | None) -> int:
    if soft is None:
        return hard
    return soft if hard == resource.RLIM_INFINITY else min(soft, hard)
