"""The limits of long lists in one answer."""

from __future__ import annotations

DEFAULT_LIMIT = 1000
MAX_LIMIT = 10_000
"""How many elements of a long list one answer has, if its request does not say, and at most."""
