"""The pool of shepherds by itself."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_agent.state.state_dir import StateDir
from rmsd_agent.units.pool import Pool
from tests.waiting import until

pytestmark = pytest.mark.live


async def test_what_ends_after_the_close_is_no_news() -> None:
    """Idle shepherds leave then, while the event loop is being closed."""
    with tempfile.TemporaryDirectory(prefix="rmsd-", dir="/tmp") as root:
        state = StateDir(Path(root, "agent"))
        try:
            shepherds = Pool(state)
            await shepherds.open(cast("Any", SimpleNamespace()))
            assert signal.getsignal(signal.SIGCHLD) is not signal.SIG_DFL
            await until(lambda: shepherds._idle)
            await shepherds.close()
            assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
        finally:
            state.close()
