"""The daemon's answers to submits in Slurm's words: refusals, and when a job would start."""

from __future__ import annotations

import re

from rmsd_client.console.cli import tell
from rmsd_client.errors import EXIT_NEVER_FITS
from rmsd_client.slurm.command_lines.ending import SlurmError, failure_of, reason_of
from rmsd_client.slurm.submit.requests import no_partition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rmsd_client.api import Client
    from rmsd_client.errors import ApiError
    from rmsd_client.slurm.submit.requests import Values

_PASSES_A_LIMIT = (
    "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
)
_NO_SUCH_NODES = "Requested node configuration is not available"
_UNMET = {
    "time_limit_s": "Requested time limit is invalid (missing or exceeds some limit)",
    "constraint": "Invalid feature specification",
    "gres": "Invalid generic resource (gres) specification",
    "nodelist": "Invalid node name specified",
    "licenses": "Invalid license specification",
}
"""Slurm's words for a job that can never run, by the field that alone is the reason."""
_OF_PARTITIONS = {
    "takes no new jobs": "Required partition not available (inactive or drain)",
    " nodes asked for; the partition ": "Node count specification invalid",
}
"""Slurm's words for a job that its partition refuses, by words of the daemon."""
_LIMIT = re.compile(r"\(((?:QOS|Assoc)\w+Limit)\)")


def tell_start(client: Client, spec: dict[str, Any], program: str) -> int:
    """Tell when and where a job would start; nothing is submitted. Raises ApiError."""
    from rmsd_client.show.tested import why_unknown, would_start

    told = client.test_submit(spec)
    if (line := would_start(told)) is None:
        raise SlurmError(f"allocation failure: {why_unknown(told)}")
    tell(f"{program}: {line}")
    return 0


def refused(error: ApiError, program: str, failed: str, values: Values) -> SlurmError:
    """Return the error of a submit that the daemon refused, in Slurm's words."""
    text = str(error)
    if (limit := _LIMIT.search(text)) is not None:
        return SlurmError(f"{program}: error: {limit[1]}", f"{failed}: {_PASSES_A_LIMIT}")
    if error.exit_code == EXIT_NEVER_FITS:
        of_partition = (said for words, said in _OF_PARTITIONS.items() if words in text)
        said = next(of_partition, _UNMET.get(error.field, _NO_SUCH_NODES))
        why = f"{failed}: {said} ({text})"
        if error.field == "mem_mib":
            return SlurmError(f"{program}: error: Memory specification can not be satisfied", why)
        return SlurmError(why)
    if "there is no partition" in text and "partition" in values:
        return no_partition(program, values["partition"], failed)
    if "may not use the partition" in text:
        denied = "User's group not permitted to use this partition"
        return SlurmError(f"{failed}: {denied}", f"{program}: {text}")
    if "conditions.dependencies" in text:
        return SlurmError(f"{failed}: Job dependency problem ({reason_of(error)})")
    if "'account'" in text:
        return SlurmError(f"{failed}: Invalid account or account/partition combination specified")
    if "'licenses'" in text:
        return SlurmError(f"{failed}: Invalid license specification")
    if "'qos'" in text:
        return SlurmError(f"{failed}: Invalid qos specification")
    if "'reservation'" in text or "inside the reservation" in text:
        denied = "Access denied to requested reservation" if " is not for " in text else ""
        return SlurmError(f"{failed}: {denied or 'Requested reservation is invalid'}")
    return failure_of(program, failed, error)
