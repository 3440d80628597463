"""The use of GPUs, as the tools of their drivers tell it; each tool here is a script."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rmsd_agent.guarding.gpu_use import GpuLooks, gpu_use, numbers_in
from rmsd_wire.link_calls import GpuUse


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the only tools of the machine."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def tool(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_nvidia(folder: Path) -> None:
    tool(folder, "nvidia-smi", """[ "$2" = --format=csv,noheader,nounits ] || exit 9
echo '0, 87, 20480, 40960'
echo '1, [N/A], 3, [Not Supported]'
echo 'Unable to determine the device handle for GPU 2'""")  # fmt: skip
    assert gpu_use() == {0: GpuUse(0, 87, 20480, 40960), 1: GpuUse(1, None, 3, None)}


def test_amd(folder: Path) -> None:
    tool(folder, "rocm-smi", """echo '{"card0": {"GPU use (%)": "12",
"VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "10960896"},
"card10": {}, "card2": {"GPU use (%)": "0"}, "system": {}}'""")  # fmt: skip
    assert gpu_use() == {0: GpuUse(0, 12, 10, 65520), 1: GpuUse(1, 0), 2: GpuUse(2)}


@pytest.mark.parametrize("text", ["exit 9", "echo failed", "echo '[1]'", "echo '{\"card0\": 1}'"])
def test_a_tool_that_says_something_else(folder: Path, text: str) -> None:
    tool(folder, "nvidia-smi", text)
    tool(folder, "rocm-smi", text)
    assert gpu_use() == {}


def test_no_tool() -> None:
    assert gpu_use() == {}


async def test_all_who_ask_together_share_a_look(folder: Path) -> None:
    tool(folder, "nvidia-smi", f"echo x >> {folder}/looks; echo 0, 1, 2, 3; echo 1, 4, 5, 6")
    looks = GpuLooks()
    told = await asyncio.gather(*(looks.of([one]) for one in (0, 1, 7)))
    assert told == [[GpuUse(0, 1, 2, 3)], [GpuUse(1, 4, 5, 6)], []]
    assert await looks.of([]) == []
    assert (folder / "looks").read_text() == "x\n"


def test_the_gpus_of_an_attempt() -> None:
    assert numbers_in({"RMS_JOB_GPUS": "0,3"}) == [0, 3]
    assert numbers_in({}) == []
