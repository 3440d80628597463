"""The changes of `scontrol update JobId=...`, in rmsd's words."""

from __future__ import annotations

from rmsd_client.options import BY_NAME
from rmsd_client.slurm.ending import SlurmError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PARAMETERS = {
    "timelimit": "time",
    "comment": "comment",
    "jobname": "job-name",
    "name": "job-name",
    "starttime": "begin",
    "eligibletime": "begin",
    "dependency": "dependency",
    "partition": "partition",
    "features": "constraint",
    "deadline": "deadline",
}
"""The parameters that can be changed, and rsub's options for the same."""

IGNORED = ("nice", "priority", "qos", "account", "wckey", "mailuser", "mailtype", "admincomment")
"""The parameters that change nothing here. A priority of 0 holds the job."""


def changes_of(pairs: dict[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Return the fields that change, by rsub's options, and the actions (hold, release).

    Raises:
        SlurmError: a parameter that cannot be changed, or a value that is none.
    """
    changes: dict[str, Any] = {}
    actions: list[str] = []
    for name, text in pairs.items():
        if name == "priority" and text == "0":
            actions.append("hold")
        elif name in IGNORED:
            continue
        elif option := PARAMETERS.get(name):
            try:
                changes[option] = BY_NAME[option].parse(text) if option in BY_NAME else text
            except ValueError:
                raise SlurmError(f"Invalid {name} value: {text}", "Request aborted") from None
        else:
            raise SlurmError(f"Update of this parameter is not supported: {name}={text}",
                             "Request aborted")  # fmt: skip
    return changes, actions
