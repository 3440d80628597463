"""The changes of `scontrol update JobId=...`, in rmsd's words."""

from __future__ import annotations

from rmsd_client.console.cli import tell
from rmsd_client.errors import UsageError
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.site import mode
from rmsd_client.submit.job_updates import longer_by_s, update_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rmsd_client.api import Client

    Json = dict[str, Any]

PARAMETERS = {
    "timelimit": "time",
    "comment": "comment",
    "jobname": "job-name",
    "name": "job-name",
    "numtasks": "ntasks",
    "cpuspertask": "cpus-per-task",
    "numnodes": "nodes",
    "minnodes": "nodes",
    "minmemorynode": "mem",
    "minmemorycpu": "mem-per-cpu",
    "starttime": "begin",
    "eligibletime": "begin",
    "deadline": "deadline",
    "dependency": "dependency",
    "partition": "partition",
    "features": "constraint",
    "nodelist": "nodelist",
    "reqnodelist": "nodelist",
    "excnodelist": "exclude",
    "requeue": "requeue",
    "nice": "nice",
    "reservationname": "reservation",
    "reservation": "reservation",
}
"""The parameters that can be changed, and the options of `rjob update` for the same."""

IGNORED = ("priority", "wckey", "admincomment")
"""The parameters that change nothing here, which is told. A priority of 0 holds the job."""

_WORDS = {
    "requeue": {"0": "no", "1": "yes"},
    "dependency": {"": "none", "(null)": "none"},
    "constraint": {"": "none"},
    "nodelist": {"": "none", "(null)": "none"},
    "exclude": {"": "none", "(null)": "none"},
    "reservation": {"": "none"},
    "deadline": {"": "none", "0": "none"},
}
"""Values that have another word in `rjob update`, by its options."""


class SlurmUpdate:
    """The changes of a job: by the options of `rjob update`, or by an action (hold)."""

    __slots__ = ("actions", "asked", "more_s")

    def __init__(self, asked: Json, actions: list[str], more_s: float | None) -> None:
        self.asked = asked
        self.actions = actions
        self.more_s = more_s

    def carry_out(self, client: Client, name: str) -> None:
        """Change a job. Raises ApiError."""
        for action in self.actions:
            client.change(name, action)
        asked = self.asked
        if self.more_s is not None:
            time_limit_s = client.job(name)["time_limit_s"]
            asked = {
                **asked,
                "time_limit_s": time_limit_s and max(60.0, time_limit_s + self.more_s),
            }
        if asked:
            client.update(name, asked)


def update_of_pairs(pairs: Mapping[str, str]) -> SlurmUpdate:
    """Return the update of pairs such as `TimeLimit=30` and `TimeLimit+=10`.

    Raises:
        SlurmError: a parameter that cannot be changed, or a value that is none.
    """
    texts: dict[str, str | None] = {}
    actions: list[str] = []
    more_s = None
    for key, text in pairs.items():
        name, sign = key.rstrip("+-").lower(), key[-1:] if key[-1:] in "+-" else ""
        option = PARAMETERS.get(name)
        if option == "time" and not sign and text[:1] in ("+", "-"):
            sign, text = text[0], text[1:]
        if name == "priority" and text == "0":
            actions.append("hold")
        elif name in IGNORED and mode() != "strict":
            tell(f"scontrol: warning: {key}={text} has no effect here")
        elif option is None or (sign and option != "time"):
            lines = f"Update of this parameter is not supported: {key}={text}", "Request aborted"
            raise SlurmError(*lines)
        elif sign:
            more_s = _more_s(sign, text)
        else:
            value = text.partition("-")[0] if option == "nodes" else text
            texts[option] = _WORDS.get(option, {}).get(value, value)
    try:
        asked = update_of("update", texts) if texts else {}
    except UsageError as error:
        raise SlurmError(f"Invalid value: {error}", "Request aborted") from None
    return SlurmUpdate(asked, actions, more_s)


def _more_s(sign: str, text: str) -> float:
    try:
        seconds = longer_by_s(f"+{text}")
    except UsageError:
        seconds = None
    if seconds is None:
        raise SlurmError("Invalid TimeLimit value", "Request aborted")
    return -seconds if sign == "-" else seconds
