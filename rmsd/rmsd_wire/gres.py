"""Generic resources as users write them (`gpu:2`, `gpu:a100:2,fpga:1`), and as administrators say
what a node has (`gpu:a100=/dev/nvidia[0-3]`). Standard library only."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from rmsd_wire.hostlist import HostlistError, expand

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*", re.ASCII)
MOST_KINDS = 16
"""The most kinds of devices in a request, or on a node."""
_NVIDIA = re.compile(r"/dev/nvidia(\d{1,4})", re.ASCII)
_MOST_NAME = 64
_MOST_BYTES = 1024
MOST_DEVICES = 1024
"""The most devices of a name on a node."""
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
    if len(asked) > MOST_KINDS:
        raise GresError(f"more than {MOST_KINDS} kinds")
    for kind, _ in asked:
        if ":" in kind and kind.partition(":")[0] in found:
            name = kind.partition(":")[0]
            raise GresError(
                f"'{kind}' is named with a type and '{name}' without one, in one option or in "
                "several, as --gres and --gpus; say the type of each"
            )
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


class Device(NamedTuple):
    """A device as an administrator names it. `number`: its own among the devices of its name.
    `path`: its file; "" if it has none."""

    kind: str
    number: int
    path: str = ""


def parse_devices(text: str) -> tuple[Device, ...]:
    """Return the devices that a text names, as `gpu:a100:4,fpga:1` or with their files, as
    `gpu:a100=/dev/nvidia[0-3]`. `none` and "" are no devices.

    A device has the number in the name of its file if that is NVIDIA's (`/dev/nvidia3`); else the
    devices of a name are numbered from 0 in their order.

    Raises:
        GresError: the text is not understood, or names a kind or a number twice.
    """
    if len(text) > _MOST_BYTES:
        raise GresError(f"more than {_MOST_BYTES} characters")
    if text.strip().lower() in ("", "none"):
        return ()
    found: dict[tuple[str, int], Device] = {}
    kinds: set[str] = set()
    for one in re.split(r",(?![^\[]*\])", text):
        kind, paths = _kind_and_paths(one.strip())
        if kind in kinds:
            raise GresError(f"'{kind}' is named twice")
        kinds.add(kind)
        name = kind.partition(":")[0]
        for path in paths:
            number = _number_of(path, sum(known == name for known, _ in found))
            if (name, number) in found:
                raise GresError(f"two devices of '{name}' have the number {number}")
            found[name, number] = Device(kind, number, path)
    check_kinds(kinds, [*found])
    return tuple(found.values())


def check_kinds(kinds: set[str], devices: list[tuple[str, int]]) -> None:
    """Check that a node can have these kinds, and these devices by their names and numbers.

    Raises:
        GresError: a kind is none, or there are too many; the message says what.
    """
    for kind in kinds:
        name, *rest = kind.split(":")
        if len(kind) > _MOST_NAME or len(rest) > 1 or not _NAME.fullmatch(name):
            raise GresError(f"'{kind[:_MOST_NAME]}' is no kind of devices")
        if not all(map(_TYPE.fullmatch, rest)) or (rest and rest[0].isdigit()):
            raise GresError(f"'{rest[0]}' is no type of devices")
        if rest and name in kinds:
            raise GresError(f"'{name}' is named with a type and without one")
    if len(kinds) > MOST_KINDS:
        raise GresError(f"more than {MOST_KINDS} kinds of devices on a node")
    for name, count in Counter([name for name, _ in devices]).items():
        if count > MOST_DEVICES:
            raise GresError(f"more than {MOST_DEVICES} devices '{name}' on a node")
    if twice := len(devices) - len(set(devices)):
        raise GresError(f"{twice} devices have the numbers of others")


def _kind_and_paths(text: str) -> tuple[str, list[str]]:
    """Return a kind, and the file of each of its devices."""
    named, equals, files = text.partition("=")
    kind, count = _kind(named, MOST_DEVICES)
    if not equals:
        return kind, [""] * count
    try:
        paths = expand(files, MOST_DEVICES)
    except HostlistError as error:
        raise GresError(f"'{text}': {error}") from None
    if not paths or not all(path.startswith("/dev/") and ".." not in path for path in paths):
        raise GresError(f"'{text}': expected files of devices after '=', as /dev/nvidia[0-3]")
    if named.split(":")[-1].isdigit() and count != len(paths):
        raise GresError(f"'{text}': {count} devices, and files of {len(paths)}")
    return kind, paths


def _number_of(path: str, place: int) -> int:
    match = _NVIDIA.fullmatch(path)
    return int(match[1]) if match else place
