"""`qdel`: delete jobs."""

from __future__ import annotations

from rmsd_client.api import MOST_AT_ONCE, Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.pbs.command_line import (
    IGNORED,
    PbsOption,
    PbsTable,
    asks_for_help,
    asks_for_version,
)
from rmsd_client.pbs.ending import JOB_FINISHED, UNAUTHORIZED, UNKNOWN_JOB, refusal, run
from rmsd_client.pbs.job_ids import JobId, parse_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

QDEL = PbsTable(
    "qdel",
    "job_id...",
    (
        PbsOption("m", "message", IGNORED, "of Torque: no mail is sent"),
        PbsOption("p", "", IGNORED, "of Torque: no job has to be purged"),
        PbsOption("W", "attribute", IGNORED, "a deleted job ends, also without `force`"),
        PbsOption("x", "", IGNORED, "the history is kept"),
    ),
)


def main() -> int:
    return run("qdel", qdel)


def qdel(argv: Sequence[str]) -> int:
    """Delete jobs; returns the exit code, that of the last problem."""
    if asks_for_version(argv) or asks_for_help(QDEL, argv):
        return 0
    _, words = QDEL.read(argv, permute=True)
    if not words:
        raise QDEL.misused()
    ids = [parse_id("qdel", word) for word in words]
    code = 0
    with Client() as client:
        for at in range(0, len(ids), MOST_AT_ONCE):
            code = _delete(client, ids[at : at + MOST_AT_ONCE]) or code
    return code


def _delete(client: Client, ids: Sequence[JobId]) -> int:
    """Delete jobs all at once, so that none starts on what another one leaves."""
    try:
        deleted = client.cancel_named(list(dict.fromkeys(one.name for one in ids)))
    except ApiError as error:
        if len(ids) > 1:
            codes = [_delete(client, [one]) for one in ids]
            return next((code for code in reversed(codes) if code), 0)
        return _refused(ids[0], error)
    over = [one for one in ids if one.job_id not in deleted]
    for one in over:
        tell(f"qdel: Job has finished {one.text}")
    return JOB_FINISHED if over else 0


def _refused(one: JobId, error: ApiError) -> int:
    if error.status == 404:
        tell(f"qdel: Unknown Job Id {one.text}")
        return UNKNOWN_JOB
    if error.status == 409:
        tell(f"qdel: Job has finished {one.text}")
        return JOB_FINISHED
    if error.status == 403:
        tell(f"qdel: Unauthorized Request  {one.text}")
        return UNAUTHORIZED
    refused = refusal("qdel", error)
    tell(*refused.lines)
    return refused.code
