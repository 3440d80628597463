"""The way to the terminal of a step that runs: `rattach` and `rsub --interactive` take it."""

from __future__ import annotations

import time

from rmsd_client.calls.output_length import length_of
from rmsd_client.errors import LATER, ApiError, ClientError
from rmsd_client.sessions.session import SessionPlace, TerminalSession
from rmsd_wire.hostlist import HostlistError, expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rmsd_client.api import Client

NOT_FOUND = 404
_PAUSE_S = 0.1
_SHOWN = 4096
"""The bytes of what was printed before that are shown."""


def running_steps(client: Client, job_id: int) -> list[dict[str, Any]]:
    """Return the steps of a job's present attempt that run, as far as the daemon knows."""
    attempt = client.job(job_id)["attempt"]
    steps, _ = client.steps([job_id])
    return [one for one in steps if one["end_us"] is None and one["attempt"] == attempt]


def attach(
    client: Client,
    connect: Callable[[], Client],
    step: dict[str, Any],
    program: str,
    *,
    first: bool = False,
) -> int | str:
    """Be at the terminal of a step, which has a `job_id`, `number` and `nodelist`. The `first` who
    is there sees all that it has shown before, others the last of it. Returns the exit code of its
    first task, `DETACHED`, or `GONE` for the first."""
    try:
        node = expand(step["nodelist"])[0]
    except (HostlistError, IndexError):
        raise ClientError(f"step {step['number']} is on no node that can be named") from None
    place = SessionPlace(step["job_id"], str(step["number"]), node)

    def has_byte(offset: int) -> bool:
        output = client.output(place.job_id, offset=offset, limit=1, node=node, step=place.step,
                               task=place.task)  # fmt: skip
        return bool(output.data)

    while True:
        try:
            offset = max(0, length_of(has_byte, 0) - _SHOWN)
            if first:
                offset = 0
            break
        except ApiError as error:
            # A step is known a moment before its first task begins, or cannot.
            about_to_begin = error.status in (NOT_FOUND, *LATER)
            if not (about_to_begin and _runs(client, step)):
                raise
        time.sleep(_PAUSE_S)
    return TerminalSession(connect, place, program, offset=offset, first=first).run()


def _runs(client: Client, step: dict[str, Any]) -> bool:
    numbers = [one["number"] for one in running_steps(client, step["job_id"])]
    return step["number"] in numbers and client.job(step["job_id"])["state"] == "RUNNING"
