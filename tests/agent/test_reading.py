"""Output files, read for many at a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rmsd_agent import reading
from rmsd_agent.reading import Reader
from rmsd_agent.users import Users

from .conftest import DEADLINE_S


def test_a_user_reads_any_number_of_files_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_PATIENCE_S", DEADLINE_S)  # a machine may stand still for a while
    path = tmp_path / "out"
    path.write_text("words\n")

    async def read_all() -> list[tuple[bytes, int]]:
        reader = Reader(Users(allow_root=True))

        async def read() -> tuple[bytes, int]:
            async with reader.read_as("", path, 2, 100, over=True) as part:
                return part

        return await asyncio.gather(*(read() for _ in range(100)))

    assert asyncio.run(read_all()) == [(b"rds\n", 6)] * 100
