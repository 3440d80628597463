"""The size of a host of emulated nodes, as daemon and agent read it. Standard library only."""

from __future__ import annotations

import re
from typing import NamedTuple

_EMULATE = re.compile(r"([1-9]\d{0,5})(?:x([1-9]\d{0,5}))?", re.ASCII)


class Emulate(NamedTuple):
    """A number of emulated nodes, and the number of cores that each of them has."""

    nodes: int
    cores: int


def parse_emulate(text: str) -> Emulate:
    """Return the numbers of `4` (nodes of one core) or `4x16`.

    Raises:
        ValueError: the text has neither form.
    """
    match = _EMULATE.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is not N or NxCORES, two numbers from 1 to 999999")
    return Emulate(int(match[1]), int(match[2] or 1))
