"""The devices of nodes as text."""

from __future__ import annotations

from rmsd_wire.device_numbers import read_devices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Json = dict[str, Any]


_LIMITS = {
    "cgroup": "a job opens the files of its own devices alone (cgroup)",
    "": "none: a job can open the files of other jobs' devices",
    "unknown": "unknown: the node is not linked now",
}


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in a short form, as `0-2,5`."""
    runs: list[list[int]] = []
    for one in sorted(numbers):
        if runs and one == runs[-1][1] + 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)


def counted(nodes: Sequence[Json]) -> str:
    """Return the devices that are used and those that there are, for a line about several nodes, as
    `gpu:a100 2/8`; "" if there are none."""
    sums: dict[str, list[int]] = {}
    for node in nodes:
        for one in node.get("devices", ()):
            found = sums.setdefault(one["kind"], [0, 0])
            found[0] += len(one["used"])
            found[1] += len(one["numbers"])
    return ",".join(f"{kind} {used}/{count}" for kind, (used, count) in sums.items())


def lines(node: Json) -> list[tuple[str, str]]:
    """Return the lines about the devices of a node."""
    found: list[tuple[str, str]] = []
    for one in node.get("devices", ()):
        numbers, used = one["numbers"], one["used"]
        text = f"{one['kind']}: {len(used)} of {len(numbers)} used"
        text += f" ({ranges(used)} of {ranges(numbers)})" if used and numbers else ""
        if gone := set(used) - set(numbers):
            text += f"; {ranges(gone)} vanished, and jobs hold {'it' if len(gone) == 1 else 'them'}"
        found.append(("Devices" if not found else "", text))
    if found and "device_limit" in node:  # older daemons do not tell it
        limit: str = node["device_limit"]
        found.append(("Dev limit", _LIMITS.get(limit, limit)))
    return found


def gres(node: Json) -> str:
    """Return the devices of a node as Slurm writes them, as `gpu:a100:4`; "" if there are none."""
    there = [one for one in node.get("devices", ()) if one["numbers"]]
    return ",".join(f"{one['kind']}:{len(one['numbers'])}" for one in there)


def gres_used(node: Json) -> str:
    """Return the devices that jobs hold on a node as Slurm writes them."""
    return ",".join(
        f"{one['kind']}:{len(one['used'])}(IDX:{ranges(one['used']) or 'N/A'})"
        for one in node.get("devices", ())
    )


def held(text: str) -> str:
    """Return the devices of a text like RMS_GRES as Slurm writes them, as `gpu:a100:2(IDX:0-1)`."""
    return ",".join(f"{kind}:{len(own)}(IDX:{ranges(own)})" for kind, own in read_devices(text))


def tres(counts: Iterable[tuple[str, int]]) -> str:
    """Return numbers of devices by kind as Slurm's TRES, each with a comma before it: a sum for
    each name, and one for each type."""
    sums: dict[str, int] = {}
    for kind, count in counts:
        for one in dict.fromkeys((kind.partition(":")[0], kind)):
            sums[one] = sums.get(one, 0) + count
    return "".join(f",gres/{kind}={sums[kind]}" for kind in sorted(sums) if sums[kind])


def per_node(job: Json) -> str:
    """Return the devices that a job asks for on each node, as `gres:gpu:2`; "" for none."""
    asked = _asked(job, "gres")
    return ",".join(f"gres:{kind}:{count}" for kind, count in asked)


def job_tres(job: Json) -> str:
    """Return the devices of a job on all of its nodes as TRES, each with a comma before it."""
    return tres(_of_job(job))


def gpus_of(job: Mapping[str, Any]) -> int:
    """Return how many GPUs a job has asked for, on all of its nodes."""
    return sum(count for kind, count in _of_job(job) if kind.partition(":")[0] == "gpu")


def _of_job(job: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the devices of a job on all of its nodes, by kind."""
    nodes, units = job["nodes"] or 1, (job["request"] or [{"units": 1}])[0]["units"]
    counts = [(kind, count * nodes) for kind, count in _asked(job, "gres")]
    return counts + [(kind, count * units) for kind, count in _asked(job, "gres_per_unit")]


def _asked(job: Mapping[str, Any], field: str) -> list[tuple[str, int]]:
    """Return the devices in a field of a job's request, by kind."""
    text = (job["request"] or [{}])[0].get(field) or ""
    parts = [one.rpartition(":") for one in text.split(",") if one]
    return [(kind, int(count)) for kind, _, count in parts if count.isdigit()]
