"""The tool that tries other schedulers: `rmsd what-if`, in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from rmsd_mcp import bounded
from rmsd_mcp.caller import ToolCaller, caller_of

MOST_S = 120.0
"""The time that the simulations may take."""
_MOST_ERROR = 1000
_MOST_WAITING = 20

Recipe = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^-]")]


async def what_if(
    ctx: Context[ToolCaller],
    recipes: Annotated[
        list[Recipe],
        Field(min_length=1, max_length=4, description="schedulers, as easy++ or conservative"),
    ],
    since: Annotated[
        str, Field(max_length=40, description="how far to look back, as 7d, 12h or a date")
    ] = "1d",
) -> dict[str, Any]:
    """Simulate the recent past and the present queue under other schedulers, beside what happened.
    Waits in seconds; utilization from 0 to 1. Takes up to two minutes and changes nothing."""
    words = ["what-if", "--json", f"--since={since}", *(f"--recipe={one}" for one in recipes)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "rmsd_cli.main", *words, *caller_of(ctx).options()),
        stdin=asyncio.subprocess.DEVNULL,  # this server's own input is the client's
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MOST_S):
            output, errors = await process.communicate()
    except TimeoutError:
        raise ToolError(
            f"the simulations take more than {MOST_S:.0f} s; give a shorter `since`, or fewer "
            "recipes"
        ) from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    if process.returncode:
        said = bounded.line(errors.decode("utf-8", "replace").strip(), _MOST_ERROR)
        raise ToolError(said or f"rmsd what-if ended with the code {process.returncode}")
    return _shown(json.loads(output))


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    fields = ("recipe", "wait_s", "bounded_slowdown", "utilization", "queue")
    return {
        "recipe_in_force": bounded.line(told["in_force"]),
        "since": told["since_time"],
        "jobs": bounded.value(told["jobs"]),
        "happened": bounded.value(told["happened"]),
        "recipes": [{name: bounded.value(one[name]) for name in fields} for one in told["recipes"]],
        "waiting": bounded.value(told["waiting"][:_MOST_WAITING]),
        "waiting_count": len(told["waiting"]),
    }
