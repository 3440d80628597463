"""The scripts of jobs: `scontrol write batch_script` and `sacct -B`."""

from __future__ import annotations

import os
import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import printable, tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.ending import SlurmError, reason_of
from rmsd_client.slurm.words import jobs as of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Job = dict[str, Any]
    Options = dict[str, str]

_RULE = "-" * 80


def write(words: Sequence[str], options: Options) -> int:  # noqa: ARG001 - as other verbs
    """Write the script of a job into a file, `slurm-JOB.sh` by default; `-` is standard output. A
    job that is not there is no failure, as in Slurm."""
    if not words or not "batch_script".startswith(words[0].lower()) or len(words[0]) < 2:
        raise SlurmError(f"invalid write argument:{words[0] if words else ''}")
    if len(words) < 2:
        raise SlurmError("too few arguments for keyword:write batch_script")
    jobs = of.parse_ids(words[1], "scontrol")
    if len(jobs) != 1:
        raise SlurmError(f"scontrol: error: Invalid job id: {words[1]}")
    with Client() as client:
        try:
            script = _whole(client, jobs[0].name)
        except ApiError as error:
            tell(f"job script retrieval failed: {reason_of(error)}")
            return 0
    path = words[2] if len(words) > 2 else f"slurm-{words[1]}.sh"
    if path == "-":
        sys.stdout.write(_shown(script))
        return 0
    try:
        with open(path, "w", encoding="utf-8", opener=_executable) as file:
            file.write(script)
    except OSError as error:
        raise SlurmError(f"failed to open file `{path}`: {error.strerror}") from None
    print(f"batch script for job {words[1]} written to {path}")
    return 0


def _executable(path: str, flags: int) -> int:
    return os.open(path, flags, 0o700)


def _whole(client: Client, name: str) -> str:
    """Return the script of a job. Part of a script is another script: it is no answer."""
    told = client.script(name)
    if not told["is_whole"]:
        raise SlurmError(
            f"job script retrieval failed: the script of job {name} is longer than "
            f"{len(told['script'])} characters, and the daemon shows no longer ones"
        )
    return str(told["script"])


def print_scripts(client: Client, jobs: Iterable[Job]) -> None:
    """Print the scripts of jobs as `sacct -B` does. An emulated job has none."""
    for job in jobs:
        try:
            script = _whole(client, job["job_id"])
        except ApiError as error:
            tell(f"sacct: error: {of.text_id(job)}: {reason_of(error)}")
            continue
        print(f"Batch Script for {of.text_id(job)}\n{_RULE}\n{_shown(script)}")


def _shown(script: str) -> str:
    """Return a script for standard output: as it is for a file, and without control characters for
    a terminal, which another user's script could steer otherwise."""
    if not sys.stdout.isatty():
        return script
    return "\n".join(["\t".join(map(printable, line.split("\t"))) for line in script.split("\n")])
