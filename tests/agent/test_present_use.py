"""The looks at what attempts use now, which those who ask share."""

from __future__ import annotations

import asyncio
import os

import pytest

from rmsd_agent.guarding import present_use as looks
from rmsd_wire.link_calls import PresentUse


async def test_all_who_ask_together_share_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look reads all of /proc, in a thread of the few that there are for everything."""
    looked: list[PresentUse] = []
    look = looks.present_use

    def counted(roots: set[int], shepherds: set[int]) -> PresentUse:
        looked.append(look(roots, shepherds))
        return looked[-1]

    monkeypatch.setattr(looks, "present_use", counted)
    monkeypatch.setattr(looks, "FRESH_S", float("inf"))
    shared = looks.SharedLooks()
    here = {os.getppid()}
    uses = await asyncio.gather(
        *(shared.of((job_id, 1, "n"), here, set()) for job_id in (1, 2) for _ in range(50))
    )
    assert len(looked) == 2
    assert {use.processes for use in uses} == {use.processes for use in looked}
    assert min(use.processes for use in uses) >= 1
