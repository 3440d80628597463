"""The variables that tell a task which devices it sees on its node."""

from __future__ import annotations

from rmsd_wire.device_numbers import write_devices
from rmsd_wire.job_environment import GPU_VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Device = tuple[str, int]
"""A device of a node: its kind, as `gpu:a100`, and its number."""


def of_kind(devices: Iterable[Device], asked: str) -> list[Device]:
    """Return the devices of a name, as `gpu`, or of a kind, as `gpu:a100`."""
    return [one for one in devices if one[0] == asked or one[0].startswith(f"{asked}:")]


def device_environment(devices: Iterable[Device]) -> dict[str, str]:
    """Return the variables that tell a task the devices of its step: these and no others."""
    by_kind: dict[str, list[int]] = {}
    for kind, number in sorted(devices):
        by_kind.setdefault(kind, []).append(number)
    gpus = sorted(number for _, number in of_kind(devices_of_kinds(by_kind.items()), "gpu"))
    listed = ",".join(map(str, gpus))
    told = write_devices(by_kind.items())
    return {"RMS_GRES": told, "RMS_STEP_GPUS": listed, **dict.fromkeys(GPU_VARIABLES, listed)}


def devices_of_kinds(held: Iterable[tuple[str, Collection[int]]]) -> list[Device]:
    """Return each device of these kinds, whose numbers are given."""
    return [(kind, number) for kind, numbers in held for number in numbers]


def without_own_devices(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the devices of the job on this node: a task on another node
    has the numbers of that one. What the caller has chosen otherwise is passed on."""
    of_job = environ.get("RMS_JOB_GPUS")
    return {k: v for k, v in environ.items() if k not in GPU_VARIABLES or v != of_job}
