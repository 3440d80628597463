"""The search for GPUs on this machine: by the tools of their drivers, else by their files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import structlog

from rmsd_wire.gres import Device

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_TOOL_S = 30.0
"""The longest that a tool may take: a driver that has to wake its GPUs takes some seconds."""
_MAKERS = ("nvidia", "tesla", "geforce", "quadro", "amd", "instinct", "radeon", "graphics")
_MEMORY = re.compile(r"\d+g[ib]?b?|hbm\d\w*|pcie|sxm\d*", re.ASCII)
_NVIDIA_QUERY = ("nvidia-smi", "--query-gpu=index,pci.bus_id,name", "--format=csv,noheader")
_AMD_QUERY = ("rocm-smi", "--showproductname", "--json")


class System(NamedTuple):
    """The directories in which the kernel shows its devices."""

    dev: Path = Path("/dev")
    proc: Path = Path("/proc")
    sys: Path = Path("/sys")


THIS_SYSTEM = System()


class _Gpu(NamedTuple):
    """A GPU that was found. `path`: its file; "" if it has none of its own."""

    number: int
    model: str
    path: str


def find_gpus(system: System = THIS_SYSTEM) -> list[Device]:
    """Return the GPUs of this machine: NVIDIA's or, if there are none, AMD's. They have types if
    the models of all are known."""
    found = _nvidia(system) or _amd(system)
    types = [type_of(gpu.model) for gpu in found]
    kinds = [f"gpu:{one}" for one in types] if all(types) else ["gpu"] * len(found)
    return [Device(kind, gpu.number, gpu.path) for kind, gpu in zip(kinds, found, strict=True)]


def type_of(model: str) -> str:
    """Return the short name of a model: `a100` of "NVIDIA A100-SXM4-40GB", `rtx_3090` of "NVIDIA
    GeForce RTX 3090"; "" if nothing is left."""
    words = [word for word in re.split(r"[\s/]+", model.lower()) if word not in _MAKERS]
    kept: list[str] = []
    for word in words:
        head = word.partition("-")[0]
        if _MEMORY.fullmatch(head):
            break
        kept.append(re.sub(r"[^a-z0-9]", "", head))
        if head != word:
            break
    name = "_".join(filter(None, kept))[:32]
    return "" if name.isdigit() else name


def _nvidia(system: System) -> list[_Gpu]:
    """Return NVIDIA's GPUs with the numbers that the driver's tool gives them. Without the tool, a
    GPU has the number of its file."""
    known = _nvidia_models(system)
    found: list[_Gpu] = []
    for line in output_of(_NVIDIA_QUERY).splitlines():
        index, bus, model = [*(part.strip() for part in line.split(",", 2)), "", ""][:3]
        if index.isdigit():
            minors = [at for at, (_, known_bus) in known.items() if _same_bus(known_bus, bus)]
            path = system.dev / f"nvidia{minors[0] if minors else index}"
            found.append(_Gpu(int(index), model, str(path) if path.exists() else ""))
    if found:
        return found
    files = {path.name.removeprefix("nvidia"): path for path in system.dev.glob("nvidia[0-9]*")}
    numbers = sorted(int(number) for number in files if number.isdigit())
    return [_Gpu(at, known.get(at, ("", ""))[0], str(files[str(at)])) for at in numbers]


def _same_bus(one: str, other: str) -> bool:
    """Return whether two texts name a place on the bus: nvidia-smi writes a domain of 8 digits, and
    the kernel one of 4."""
    return bool(other.strip()) and one.strip().lower()[-10:] == other.strip().lower()[-10:]


def _nvidia_models(system: System) -> dict[int, tuple[str, str]]:
    """Return the model and the place on the bus of each GPU, by the number of its file, as far as
    the driver tells."""
    found: dict[int, tuple[str, str]] = {}
    for path in sorted(system.proc.glob("driver/nvidia/gpus/*/information")):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        told = {key.strip(): value.strip() for key, _, value in (x.partition(":") for x in lines)}
        minor = told.get("Device Minor", "")
        if minor.isdigit():
            found[int(minor)] = told.get("Model", ""), path.parent.name
    return found


def _amd(system: System) -> list[_Gpu]:
    """Return AMD's GPUs, numbered in the order of the kernel's list, as ROCm numbers them."""
    paths: list[str] = []
    nodes = system.sys.glob("class/kfd/kfd/topology/nodes/[0-9]*")
    for node in sorted(nodes, key=lambda node: (len(node.name), node.name)):
        try:
            text = (node / "properties").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        told = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
        if told.get("simd_count", "0").strip() not in ("", "0"):  # else it is a processor
            path = system.dev / "dri" / f"renderD{told.get('drm_render_minor', '').strip()}"
            paths.append(str(path) if path.exists() else "")
    if not paths:
        return []
    models = _amd_models(len(paths))
    return [_Gpu(at, models[at], path) for at, path in enumerate(paths)]


def _amd_models(count: int) -> list[str]:
    """Return the names of the GPUs; "" for each if ROCm's tool does not tell of as many."""
    try:
        told = json.loads(output_of(_AMD_QUERY) or "{}")
        cards = sorted((int(key.removeprefix("card")), card) for key, card in told.items()
                       if key.startswith("card"))  # fmt: skip
        models = [
            str(next((card[key] for key in card if key.lower() == "card series"), ""))
            for _, card in cards
        ]
    except (ValueError, TypeError, AttributeError) as error:
        log.warning("devices-untold", tool=_AMD_QUERY[0], error=str(error))
        models = []
    return models if len(models) == count else [""] * count


def output_of(command: Sequence[str], within_s: float = _TOOL_S) -> str:
    """Return what a tool prints; "" if there is no such tool, or it fails."""
    path = shutil.which(command[0])
    if path is None:
        return ""
    try:
        tool = subprocess.Popen(
            [path, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        log.warning("devices-untold", tool=command[0], error=str(error))
        return ""
    try:
        output, _ = tool.communicate(timeout=within_s)
    except subprocess.TimeoutExpired:
        tool.kill()  # The tool is not waited for: a driver that hangs does not let it go.
        log.warning("devices-untold", tool=command[0], error=f"no answer within {within_s:g} s")
        return ""
    if tool.returncode:
        log.warning("devices-untold", tool=command[0], error=f"exit code {tool.returncode}")
        return ""
    return output.decode("utf-8", "replace")
