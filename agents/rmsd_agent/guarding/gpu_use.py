"""The use of this machine's GPUs now, as the tools of their drivers tell it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Mapping

from rmsd_agent.machine.device_search import output_of
from rmsd_wire.link_calls import MOST_GPUS, GpuUse

_NVIDIA = ("nvidia-smi", "--query-gpu=index,utilization.gpu,memory.used,memory.total",
           "--format=csv,noheader,nounits")  # fmt: skip
_AMD = ("rocm-smi", "--showuse", "--showmeminfo", "vram", "--json")
_TOOL_S = 5.0
"""The longest that a tool may take. The daemon waits 10 s for the answer of a node."""
_FRESH_S = 0.5
_REST_TIMES = 4
"""The rest after a look, as a multiple of its duration: a tool may wake all GPUs, or hang."""
_MIB = 1 << 20


class GpuLooks:
    """The looks at what GPUs are used for: one at a time, shared by those who ask together."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._looked_s = -_FRESH_S
        self._took_s = 0.0
        self._known: dict[int, GpuUse] = {}

    async def of(self, numbers: Collection[int]) -> list[GpuUse]:
        """Return what is known of these GPUs now, by number; none if no tool tells it."""
        if not numbers:
            return []
        async with self._one:
            if time.monotonic() - self._looked_s >= _FRESH_S + _REST_TIMES * self._took_s:
                began_s = time.monotonic()
                self._known = await asyncio.to_thread(gpu_use)
                self._looked_s = time.monotonic()
                self._took_s = self._looked_s - began_s
        return [self._known[one] for one in sorted(numbers)[:MOST_GPUS] if one in self._known]


def numbers_in(env: Mapping[str, str]) -> list[int]:
    """Return the GPUs of an attempt, by its environment."""
    return [int(one) for one in env.get("RMS_JOB_GPUS", "").split(",") if one.isdigit()]


def gpu_use() -> dict[int, GpuUse]:
    """Return the use of NVIDIA's GPUs or, if there are none, of AMD's, by number."""
    return _nvidia() or _amd()


def _nvidia() -> dict[int, GpuUse]:
    found: dict[int, GpuUse] = {}
    for line in output_of(_NVIDIA, _TOOL_S).splitlines():
        number, *rest = (_whole(part) for part in line.split(","))
        if number is not None and len(rest) == 3:  # else the line says something else
            found[number] = GpuUse(number, *rest)
    return found


def _amd() -> dict[int, GpuUse]:
    try:
        told = json.loads(output_of(_AMD, _TOOL_S) or "{}")
        cards = {name: card for name, card in told.items() if name.startswith("card")}
    except (ValueError, AttributeError):
        return {}
    found: dict[int, GpuUse] = {}
    ranked = sorted(cards.items(), key=lambda card: (len(card[0]), card[0]))
    for number, (_, card) in enumerate(ranked):
        if isinstance(card, dict):
            held, size = (_mib(card.get(f"VRAM Total{kind} Memory (B)")) for kind in (" Used", ""))
            found[number] = GpuUse(number, _whole(card.get("GPU use (%)")), held, size)
    return found


def _whole(text: object) -> int | None:
    """Return a number, None where a tool says that it does not know."""
    digits = str(text).strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def _mib(text: object) -> int | None:
    count = _whole(text)
    return None if count is None else count // _MIB
