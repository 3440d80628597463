"""`qhold` and `qrls`: hold jobs that wait, and release them."""

from __future__ import annotations

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError
from rmsd_client.pbs.command_line import (
    DIFFERS,
    PbsOption,
    PbsTable,
    asks_for_help,
    asks_for_version,
)
from rmsd_client.pbs.ending import BAD_STATE, UNAUTHORIZED, UNKNOWN_JOB, refusal, run
from rmsd_client.pbs.job_ids import parse_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OPTIONS = (PbsOption("h", "hold_list", DIFFERS, "there is one kind of hold"),)

QHOLD = PbsTable("qhold", "job_id...", _OPTIONS)
QRLS = PbsTable("qrls", "job_id...", _OPTIONS)


def main_qhold() -> int:
    return run("qhold", lambda argv: _change(QHOLD, "hold", argv))


def main_qrls() -> int:
    return run("qrls", lambda argv: _change(QRLS, "release", argv))


def _change(table: PbsTable, action: str, argv: Sequence[str]) -> int:
    """Hold or release jobs; returns the exit code, that of the last problem."""
    if asks_for_version(argv) or asks_for_help(table, argv):
        return 0
    _, words = table.read(argv, permute=True)
    if not words:
        raise table.misused()
    code = 0
    with Client() as client:
        for one in [parse_id(table.program, word) for word in words]:
            try:
                client.change(one.name, action)
            except ApiError as error:
                code = _refused(table.program, one.text, error)
    return code


def _refused(program: str, text: str, error: ApiError) -> int:
    for status, words, code in (
        (404, "Unknown Job Id", UNKNOWN_JOB),
        (409, "Request invalid for state of job", BAD_STATE),
        (403, "Unauthorized Request ", UNAUTHORIZED),
    ):
        if error.status == status:
            tell(f"{program}: {words} {text}")
            return code
    refused = refusal(program, error)
    tell(*refused.lines)
    return refused.code
