"""The errors that a decoder raises for malformed bytes."""

from __future__ import annotations

import msgspec

MALFORMED = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""The errors of `msgspec` for malformed bytes: of another form, no UTF-8 text, nested too
deeply."""
