"""The pool of shepherds by itself."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_agent.pool import Pool
from rmsd_agent.records import StateDir

from .conftest import DEADLINE_S

pytestmark = pytest.mark.live


def test_what_ends_after_the_close_is_no_news() -> None:
    """Idle shepherds leave then, while the event loop is being closed."""

    async def scenario(state: StateDir) -> None:
        shepherds = Pool(state)
        await shepherds.open(cast("Any", SimpleNamespace()))
        assert signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL
        async with asyncio.timeout(DEADLINE_S):
            while not shepherds._idle:  # noqa: ASYNC110 - nobody sets an event for it
                await asyncio.sleep(0.01)
        await shepherds.close()
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL

    with tempfile.TemporaryDirectory(prefix="rmsd-", dir="/tmp") as root:
        state = StateDir(Path(root, "agent"))
        try:
            asyncio.run(scenario(state))
        finally:
            state.close()
