"""The vectors of the steps of a rack, in blocks.

A job that takes nodes for a day changes all steps of that day, of which a rack has a thousand when
as many jobs run there. So what a whole block has more is noted with the block.
"""

from __future__ import annotations

from bisect import bisect_right

MOST_VECTORS = 32
"""The vectors in a block; more are halved. A change walks over two blocks, and looks at all."""


class VectorBlocks:
    """Vectors that follow one another, and to many of which another one can be added at once.

    A vector is that in `_vectors` and what its block has `_more`. `_firsts`: by block, the number
    of its first vector; no block is empty.
    """

    __slots__ = ("_firsts", "_more", "_vectors")

    def __init__(self, first: int) -> None:
        self._vectors = [first]
        self._firsts, self._more = [0], [0]

    def copy(self) -> VectorBlocks:
        twin = VectorBlocks(0)
        twin._vectors = self._vectors[:]
        twin._firsts, twin._more = self._firsts[:], self._more[:]
        return twin

    def __len__(self) -> int:
        return len(self._vectors)

    def __getitem__(self, at: int) -> int:
        more = self._more[bisect_right(self._firsts, at) - 1]
        return self._vectors[at] + more if more else self._vectors[at]

    def add(self, first: int, last: int, given: int) -> int:
        """Add `given` to the vectors from one to before another. Return how many additions that
        took."""
        vectors, firsts = self._vectors, self._firsts
        block, added = bisect_right(firsts, first) - 1, 0
        while first < last:
            end = firsts[block + 1] if block + 1 < len(firsts) else len(vectors)
            if first == firsts[block] and end <= last:
                self._more[block] += given
                added += 1
            else:
                end = min(end, last)
                vectors[first:end] = [one + given for one in vectors[first:end]]
                added += end - first
            first, block = end, block + 1
        return added

    def append(self, given: int) -> None:
        """Let another vector follow the last one, of which it is the sum with `given`."""
        self.repeat(len(self._vectors) - 1)
        self._vectors[-1] += given

    def repeat(self, at: int) -> None:
        """Let a vector be followed by one that is equal to it."""
        vectors, firsts = self._vectors, self._firsts
        vectors.insert(at + 1, vectors[at])
        block = bisect_right(firsts, at) - 1
        for later in range(block + 1, len(firsts)):
            firsts[later] += 1
        end = firsts[block + 1] if block + 1 < len(firsts) else len(vectors)
        if end - firsts[block] > MOST_VECTORS:
            firsts.insert(block + 1, (firsts[block] + end) // 2)
            self._more.insert(block + 1, self._more[block])

    def drop(self, at: int) -> None:
        """Drop a vector that is not the only one."""
        firsts = self._firsts
        del self._vectors[at]
        block = bisect_right(firsts, at) - 1
        for later in range(block + 1, len(firsts)):
            firsts[later] -= 1
        end = firsts[block + 1] if block + 1 < len(firsts) else len(self._vectors)
        if firsts[block] == end:
            del firsts[block], self._more[block]

    def drop_before(self, at: int) -> None:
        """Drop the vectors before this one."""
        block = bisect_right(self._firsts, at) - 1
        del self._vectors[:at], self._more[:block]
        self._firsts = [0] + [first - at for first in self._firsts[block + 1 :]]
