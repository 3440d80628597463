"""The limits of long lists in one answer."""

from __future__ import annotations

DEFAULT_LIMIT = 1000
MAX_LIMIT = 10_000
"""The number of elements of a long list in one answer: by default, and at most."""
