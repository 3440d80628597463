"""What bytes that are not what they should be do to a decoder."""

from __future__ import annotations

import msgspec

MALFORMED = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What `msgspec` raises for them: of another form, no UTF-8 text, nested without end."""
