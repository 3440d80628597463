"""The end of child processes."""

from __future__ import annotations

import asyncio
import contextlib


async def end(process: asyncio.subprocess.Process, grace_s: float) -> None:
    """End a process that is still there: by SIGTERM, and after the grace by SIGKILL."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), grace_s)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
