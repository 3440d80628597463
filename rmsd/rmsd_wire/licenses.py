"""Licenses as users write them (`matlab:2,ansys`). Standard library only."""

from __future__ import annotations

from rmsd_wire.names import CONFIGURED_NAME

MOST = 1 << 20
"""The most licenses of a name."""
_MOST_NAMES = 16
_MOST_BYTES = 2048


class LicenseError(ValueError):
    """The text names no licenses; the message says what is not understood."""


def parse_licenses(text: str) -> tuple[tuple[str, int], ...]:
    """Return the number of licenses by name, in the order of the names. A number that is left out
    is one; names with none are left out. `none` and "" are no licenses.

    Raises:
        LicenseError: the text is not understood, or names a license twice.
    """
    if len(text) > _MOST_BYTES:
        raise LicenseError(f"more than {_MOST_BYTES} characters")
    if text.strip().lower() in ("", "none"):
        return ()
    found: dict[str, int] = {}
    for one in text.split(","):
        name, colon, digits = one.strip().partition(":")
        is_count = digits.isascii() and digits.isdigit() if colon else True
        if not is_count or not CONFIGURED_NAME.fullmatch(name):
            raise LicenseError(f"'{one.strip()}' is not understood; expected NAME or NAME:COUNT")
        count = int(digits[:12]) if colon else 1
        if count > MOST:
            raise LicenseError(f"'{one.strip()}': at most {MOST} can be asked for")
        if name in found:
            raise LicenseError(f"'{name}' is named twice")
        found[name] = count
    asked = tuple(sorted((name, count) for name, count in found.items() if count))
    if len(asked) > _MOST_NAMES:
        raise LicenseError(f"more than {_MOST_NAMES} names")
    return asked
