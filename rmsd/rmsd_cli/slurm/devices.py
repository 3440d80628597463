"""The devices of nodes: `Gres=` of slurm.conf with the files of gres.conf, as an agent's --gres."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rmsd_cli.slurm.reading import Fields, SlurmFileError
from rmsd_wire.gres import GresError, parse_devices
from rmsd_wire.hostlist import HostlistError, expand

_AMOUNT = re.compile(r"\d+[KMGTP]", re.ASCII | re.IGNORECASE)
_SOCKETS = re.compile(r"\([^)]*\)")
MOST_NODES = 1_000_000
"""The nodes of all lines together: a node counts for each line that names it."""

DeviceFiles = Mapping[tuple[str, str], str]
"""The files of devices, by node ("" for all) and kind; as `/dev/nvidia[0-3]`."""


def device_files(lines: Iterable[Fields]) -> DeviceFiles:
    """Return the files that the lines of a gres.conf name.

    Raises:
        SlurmFileError: they name too many nodes together.
    """
    found: dict[tuple[str, str], str] = {}
    count = 0
    for fields in lines:
        if "file" not in fields or "name" not in fields:
            continue
        kind = fields["name"].text
        if "type" in fields:
            kind += f":{fields['type'].text}"
        nodes = _nodes(fields)
        count += len(nodes)
        if count > MOST_NODES:
            where = f"{fields['name'].place}: more than {MOST_NODES} nodes"
            raise SlurmFileError(f"{where}, with those before them")
        for node in nodes:
            known = found.get((node, kind))
            text = fields["file"].text
            found[node, kind] = f"{known},{text}" if known else text
    return found


def _nodes(fields: Fields) -> list[str]:
    try:
        return expand(fields["nodename"].text, MOST_NODES) if "nodename" in fields else [""]
    except HostlistError:
        return []


def devices_of(text: str, node: str, files: DeviceFiles) -> tuple[str, bool]:
    """Return the devices of `Gres=` for an agent, and whether they are all: what is not consumed,
    and amounts such as a bandwidth, are left out."""
    found = []
    every = True
    for one in _SOCKETS.sub("", text).split(","):
        words = one.split(":")
        if not one:
            continue
        if "no_consume" in words or _AMOUNT.fullmatch(words[-1]):
            every = False
            continue
        kind = ":".join(words[:-1] if words[-1].isdigit() else words)
        file = files.get((node, kind)) or files.get(("", kind))
        found.append(f"{kind}={file}" if file and "," not in file else one)
    devices = ",".join(found)
    try:
        parse_devices(devices)
    except GresError:
        return "", False
    return devices, every
