"""The agent of the daemon's own machine, between two instants of its life."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from rmsd_daemon.agents.local_agent import LocalAgent
from rmsd_daemon.setup.loading import load
from tests.waiting import DEADLINE_S


async def test_an_agent_that_is_being_started_is_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the daemon would wait for the agent for ever."""
    (tmp_path / "rmsd.toml").touch()
    config = load({"state_dir": str(tmp_path)}, str(tmp_path / "rmsd.toml"))
    start = asyncio.create_subprocess_exec
    begun, stopped = asyncio.Event(), asyncio.Event()
    processes: list[asyncio.subprocess.Process] = []

    async def start_slowly(*_: object, **options: Any) -> asyncio.subprocess.Process:
        sleeper = (sys.executable, "-c", "import time; time.sleep(600)")
        processes.append(await start(*sleeper, **options))
        begun.set()
        await stopped.wait()
        return processes[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_slowly)
    agent = LocalAgent(config)
    running = asyncio.create_task(agent.run())
    await begun.wait()
    await agent.stop()
    stopped.set()
    try:
        await asyncio.wait_for(running, DEADLINE_S)
    finally:
        if processes[0].returncode is None:
            processes[0].kill()
            await processes[0].wait()
    assert processes[0].returncode == -15
