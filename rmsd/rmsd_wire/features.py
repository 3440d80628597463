"""The features of nodes as administrators write them (`bigmem,ib`)."""

from __future__ import annotations

import re

from rmsd_core.vocabulary import FEATURE_PATTERN

MOST_FEATURES = 32
"""The most features of a node, beside its kind."""
_FEATURE = re.compile(FEATURE_PATTERN, re.ASCII)
KINDS = ("real", "emulated")
"""The features that nodes have by themselves."""


def parse_features(text: str) -> tuple[str, ...]:
    """Return the features, each once; `none` and "" are no features.

    Raises:
        ValueError: one of them is none, or there are too many.
    """
    if text.strip().lower() in ("", "none"):
        return ()
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in found:
        if not _FEATURE.fullmatch(name):
            raise ValueError(
                f"'{name[:80]}' is not a feature: up to 64 letters, digits and _.:=+/-"
            )
        if name in KINDS:
            raise ValueError(f"'{name}' is a feature that nodes have by themselves")
    if len(found) > MOST_FEATURES:
        raise ValueError(f"{len(found)} features; a node has at most {MOST_FEATURES}")
    return found
