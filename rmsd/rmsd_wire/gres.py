"""Generic resources as users write them: `gpu:2`, `gpu:a100:2,fpga:1`."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
_MOST_KINDS = 16
_MOST_BYTES = 1024
MOST_DEVICES = 1024
"""The most devices of a kind on a node."""
_MOST_ASKED = 1 << 20


class GresError(ValueError):
    """The text names no generic resources; the message says what is not understood."""


def parse_gres(text: str, most: int = _MOST_ASKED) -> tuple[tuple[str, int], ...]:
    """Return the number of devices by kind, in the order of the kinds. A number that is left out is
    one; kinds with none are left out. `none` and "" are no devices.

    Raises:
        GresError: the text is not understood, or names something twice.
    """
    if len(text) > _MOST_BYTES:
        raise GresError(f"more than {_MOST_BYTES} characters")
    if text.strip().lower() in ("", "none"):
        return ()
    found: dict[str, int] = {}
    for one in text.split(","):
        kind, count = _kind(one.strip(), most)
        if kind in found:
            raise GresError(f"'{kind}' is named twice")
        found[kind] = count
    asked = tuple(sorted((kind, count) for kind, count in found.items() if count))
    if len(asked) > _MOST_KINDS:
        raise GresError(f"more than {_MOST_KINDS} kinds")
    for kind, _ in asked:
        if ":" in kind and kind.partition(":")[0] in found:
            raise GresError(f"'{kind}' is named with a type and without one; say the type of each")
    return asked


def _kind(text: str, most: int) -> tuple[str, int]:
    for prefix in ("gres:", "gres/"):
        text = text.removeprefix(prefix)
    name, *rest = text.split(":")
    count = 1
    if rest and rest[-1].isascii() and rest[-1].isdigit():
        count = int(rest.pop()[:12])
        if count > most:
            raise GresError(f"'{text}': at most {most} can be asked for")
    if not _NAME.fullmatch(name) or len(rest) > 1 or not all(map(_TYPE.fullmatch, rest)):
        raise GresError(f"'{text}' is not understood; expected NAME, NAME:COUNT or NAME:TYPE:COUNT")
    return ":".join([name, *rest]), count
