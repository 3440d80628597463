"""The names that nodes, and what the configuration names, may have. Standard library only."""

from __future__ import annotations

import re

_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
MAX_NODE_NAME = 128
CONFIGURED_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}", re.ASCII)
"""The names of partitions, accounts, QOS and licenses."""

NODE_NAME_RULE = (
    "a node's name has letters, digits, '-', '_' and '.', begins with a letter or a digit, "
    f"and has at most {MAX_NODE_NAME} characters"
)


def is_node_name(text: str) -> bool:
    """Return whether a node may have this name, which is part of host lists and of paths."""
    return len(text) <= MAX_NODE_NAME and _NODE_NAME.fullmatch(text) is not None
