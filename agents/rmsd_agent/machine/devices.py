"""The devices that this machine gives to jobs, such as GPUs: which there are, and where."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import structlog

from rmsd_agent.machine.device_search import find_gpus
from rmsd_wire.gres import Device, parse_devices
from rmsd_wire.node_info import NodeDevices

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

AUTO = "auto"


def grouped(devices: Iterable[Device]) -> tuple[NodeDevices, ...]:
    """Return devices as a node tells of them: by kind, with their numbers in order."""
    numbers: dict[str, list[int]] = {}
    for one in devices:
        numbers.setdefault(one.kind, []).append(one.number)
    return tuple([NodeDevices(kind, tuple(sorted(numbers[kind]))) for kind in sorted(numbers)])


class Devices:
    """The devices of this machine. They are listed once, so that each keeps its number while others
    vanish and come back; a device is there as long as its file is."""

    def __init__(self, devices: Sequence[Device]) -> None:
        self.all = tuple(devices)

    def present(self) -> tuple[NodeDevices, ...]:
        """Return the devices that are there now. A look takes microseconds for each."""
        return grouped(one for one in self.all if not one.path or os.path.exists(one.path))


def devices_of(text: str) -> Devices:
    """Return the devices that an option names; with `auto`, those that are found here.

    Raises:
        GresError: the text is not understood.
    """
    if text != AUTO:
        named = parse_devices(text)
        if missing := [one.path for one in named if one.path and not os.path.exists(one.path)]:
            log.warning("devices-missing", files=missing)
        return Devices(named)
    found = find_gpus()
    for kind, numbers in grouped(found):
        log.info("devices-found", kind=kind, count=len(numbers))
    return Devices(found)
