"""The verbs of `scontrol` that change jobs: hold, release, requeue and the like."""

from __future__ import annotations

from rmsd_client.api import Client
from rmsd_client.console.cli import task_names, tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.ending import (
    ALREADY_OVER,
    PERMISSION_DENIED,
    SlurmError,
    reason_of,
)
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.part_views import check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Options = dict[str, str]

_OF_PROCESSES = ("requeue", "requeuehold", "suspend", "resume")
"""The verbs that are about the processes of a job: Slurm has other words for their errors."""


def each(
    words: Sequence[str],
    act: Callable[[Client, str], None],
    options: Options,
    failed: str = "",
    verb: str = "",
) -> int:
    """Do something to each job of the words, and each task of an array; returns the exit code.
    `failed`: how a second line begins that says why."""
    if not words:
        raise SlurmError(f"too few arguments for keyword:{verb}")
    code = 0
    with Client() as client:
        for word in words:
            text = word.partition("=")[2] if "=" in word else word
            wanted = of.parse_ids(text, "scontrol")
            check_whole("scontrol", wanted)
            for name in task_names([one.name for one in wanted]):
                try:
                    act(client, name)
                except ApiError as error:
                    code = 1
                    if "quiet" not in options:
                        unseen = error.status == 404 and of.is_not_seen(client, name)
                        why = _denied(verb) if unseen else _why(error, verb)
                        tell(f"{why} for job {name}", *([f"{failed}: {why}"] if failed else []))
    return code


def _denied(verb: str) -> str:
    """Return what Slurm says of another user's job."""
    if verb in _OF_PROCESSES:
        return PERMISSION_DENIED
    return "Invalid user id"


def _why(error: ApiError, verb: str) -> str:
    """Return why a job could not be changed, in Slurm's words where it has some. It has other ones
    for a job that is over if the `verb` is of processes."""
    text = str(error)
    if error.status != 409:
        return reason_of(error)
    if "which cannot be changed" in text:
        return text
    if "--no-requeue" in text:
        return "Requested operation is presently disabled"
    if " is PENDING" in text:
        return "Job is pending execution"
    if "operator" in text:
        return PERMISSION_DENIED
    if " is RUNNING" in text or " is CONFIGURING" in text or " runs: only " in text:
        return "Job is no longer pending execution"
    if verb in _OF_PROCESSES:
        return ALREADY_OVER
    return "Job has already finished"


def _change(
    action: str, verb: str = "", *, hold: bool = False
) -> Callable[[Sequence[str], Options], int]:
    def act(client: Client, name: str) -> None:
        client.change(name, action, hold=hold)

    failed = "slurm_suspend error" if action in ("hold", "release") else ""
    return lambda words, options: each(words, act, options, failed, verb or action)


def _requeue(words: Sequence[str], options: Options) -> int:
    return _run_again(words, options, "requeue", hold=False)


def _requeue_held(words: Sequence[str], options: Options) -> int:
    state = [word.partition("=")[2] for word in words if word.lower().startswith("state=")]
    if state:
        raise SlurmError(
            f"scontrol: error: State={state[-1]} is not supported here: a job that is requeued "
            "and held is PENDING"
        )
    return _run_again(words, options, "requeuehold", hold=True)


def _run_again(words: Sequence[str], options: Options, verb: str, *, hold: bool) -> int:
    import signal

    # A job that has itself requeued is ended, and this process with it: it answers before that.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

    # Options such as `incomplete` stand before the ids.
    act = _change("run-again", verb, hold=hold)
    return act([one for one in words if one[:1].isdigit()] or words, options)


VERBS: dict[str, Callable[[Sequence[str], Options], int]] = {
    "hold": _change("hold"),
    "uhold": _change("hold"),
    "holdu": _change("hold"),
    "release": _change("release"),
    "requeue": _requeue,
    "requeuehold": _requeue_held,
    "suspend": _change("suspend"),
    "resume": _change("resume"),
}
