"""Confirmation words: an act that ends something takes two calls, the second with the word that the
first has told."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

KEPT_S = 600.0
"""The time for which a word is good."""
_MOST = 100


class Confirmations:
    """The words that have been told and not been used. `now_s` is a monotonic clock."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._told: OrderedDict[str, tuple[tuple[str, ...], float]] = OrderedDict()

    def word_for(self, subject: tuple[str, ...]) -> str:
        """Return a new word for an act on `subject`."""
        word = f"yes-{secrets.token_hex(4)}"
        self._told[word] = subject, self._now_s() + KEPT_S
        while len(self._told) > _MOST:
            self._told.popitem(last=False)
        return word

    def take(self, word: str, subject: tuple[str, ...]) -> bool:
        """Return whether the word was told for this very subject and is still good. A word that was
        taken is void."""
        told = self._told.pop(word, None)
        return told is not None and told[0] == subject and self._now_s() < told[1]
