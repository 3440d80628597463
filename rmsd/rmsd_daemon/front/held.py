"""Memory that requests hold, counted for each caller and for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from rmsd_daemon.domain.errors import TooMany, Unavailable

_RETRY_S = 1.0


class HeldBytes:
    """Bytes that requests hold: of each caller up to `most`, of all callers up to `in_all`.

    A caller who holds nothing is served whatever the others hold. `what` completes the sentence
    "CALLER has N bytes ...".
    """

    def __init__(self, most: int, what: str, in_all: int | None = None) -> None:
        self._most = most
        self._what = what
        self._in_all = in_all
        self._bytes: Counter[str] = Counter()

    @property
    def in_all(self) -> int:
        """Return the number of bytes that all callers hold now."""
        return self._bytes.total()

    def of(self, caller: str) -> int:
        """Return the bytes that the caller holds now."""
        return self._bytes[caller]

    @contextmanager
    def held(self, caller: str, length: int, *, forced: bool = False) -> Iterator[None]:
        """Count `length` bytes of the caller; `forced` counts them even beyond the limits.

        Raises:
            TooMany: the caller would hold too much.
            Unavailable: all callers together would.
        """
        if not forced:
            self.check(caller, length)
        self._bytes[caller] += length
        try:
            yield
        finally:
            self._bytes[caller] -= length
            if not self._bytes[caller]:
                del self._bytes[caller]

    def check(self, caller: str, more: int) -> None:
        """Raise DaemonError if the caller may not hold `more` bytes now."""
        if not (has := self.of(caller)):
            return
        if has + more > self._most:
            detail = f"{caller} has {has} bytes {self._what}; try again when that is done"
            raise TooMany(detail, _RETRY_S)
        together = self.in_all
        if self._in_all is not None and together + more > self._in_all:
            detail = f"all callers have {together} bytes {self._what}; try again later"
            raise Unavailable(detail, _RETRY_S)
