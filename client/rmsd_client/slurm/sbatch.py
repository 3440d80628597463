"""`sbatch`: submit a batch script."""

from __future__ import annotations

import os
import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ApiError, ClientError, UsageError
from rmsd_client.slurm.command_lines.command_line import help_of
from rmsd_client.slurm.command_lines.ending import SlurmError, reason_of, run
from rmsd_client.slurm.command_lines.job_options import SBATCH, VARIABLES
from rmsd_client.slurm.command_lines.site import CLUSTER, VERSION
from rmsd_client.slurm.submit.het_parts import (
    beside_first,
    joined_spec,
    passed_down,
    read_components,
)
from rmsd_client.slurm.submit.requests import (
    Source,
    beside_variables,
    from_variables,
    values_of,
)
from rmsd_client.slurm.submit.submit_answers import refused, tell_start
from rmsd_client.submit.directives import split_words
from rmsd_client.submit.script import MAX_SCRIPT_BYTES, base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from rmsd_client.slurm.submit.requests import Values

_FAILED = "sbatch: error: Batch job submission failed"
_WAIT_RETRY_S = 600.0
_NO_SCRIPT = (
    "sbatch: error: This does not look like a batch script.  The first",
    "sbatch: error: line must start with #! followed by the path to an interpreter.",
    "sbatch: error: For instance: #!/bin/sh",
)
_DOS = (
    "sbatch: error: Batch script contains DOS line breaks (\\r\\n)",
    "sbatch: error: instead of expected UNIX line breaks (\\n).",
)


def main() -> int:
    return run("sbatch", sbatch, _FAILED)


def sbatch(argv: Sequence[str]) -> int:
    """Submit a job; returns the exit code."""
    components, words = read_components(SBATCH, argv)
    typed = components[0]
    if "help" in typed or "usage" in typed:
        print(help_of(SBATCH, "sbatch [OPTIONS(0)...] script [args(0)...]"))
        return 0
    if "version" in typed:
        print(f"slurm {VERSION}")
        return 0
    named = {name for values in components for name in values}
    source = _source(next((one for one in components if "wrap" in one), typed), words)
    scripted = [] if "wrap" in named else directive_groups(source.script)
    groups = _groups(components, scripted)
    pattern = "slurm-%A_%a.out" if "array" in groups[0] else "slurm-%j.out"
    return _submit(joined_spec("sbatch", groups, source, pattern), groups[0])


def _groups(typed: Sequence[Values], scripted: Sequence[Values]) -> list[Values]:
    """Return the options of each component: those of the script, of variables and of the command
    line, where a later one counts more."""
    count = max(len(typed), len(scripted))
    known = from_variables("SBATCH_", VARIABLES, SBATCH)
    found: list[Values] = []
    for number in range(count):
        own = typed[number] if number < len(typed) else {}
        directives = scripted[number] if number < len(scripted) else {}
        variables = beside_variables("sbatch", beside_first(known, number), {**directives, **own})
        values = {**directives, **variables, **own}
        if "requeue" in own:
            values.pop("no-requeue", None)
        if values.get("array") == "":  # Slurm makes a job that is no array
            del values["array"]
        found.append(values)
    return passed_down(found)


def _source(typed: Values, words: Sequence[str]) -> Source:
    if "wrap" in typed:
        if words:
            raise SlurmError("sbatch: error: Script arguments not permitted with --wrap option")
        script = f"#!/bin/sh\n# This script was created by sbatch --wrap.\n\n{typed['wrap']}\n"
        return Source(script, "wrap", [])
    if not words:
        return Source(_checked(sys.stdin.buffer.read(MAX_SCRIPT_BYTES + 1)), "sbatch", [])
    path = _found(words[0])
    try:
        with open(path, "rb") as file:
            content = file.read(MAX_SCRIPT_BYTES + 1)
    except OSError:
        raise SlurmError(f"sbatch: error: Unable to open file {words[0]}") from None
    return Source(_checked(content), base_name(path), list(words[1:]), os.path.abspath(path))


def _found(word: str) -> str:
    """Return the path of a script: here, or in PATH."""
    if "/" in word or os.path.exists(word):
        return word
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if os.access(path := os.path.join(folder, word), os.R_OK | os.X_OK):
            return path
    return word


def _checked(content: bytes) -> str:
    if not content:
        raise SlurmError("sbatch: error: Batch script is empty!")
    if not content.strip():
        raise SlurmError("sbatch: error: Batch script contains only whitespace!")
    if not content.startswith(b"#!"):
        raise SlurmError(*_NO_SCRIPT)
    if len(content) > MAX_SCRIPT_BYTES:
        raise SlurmError(f"{_FAILED}: Script is too large")
    if b"\0" in content:
        raise SlurmError(
            "sbatch: error: The Slurm controller does not allow scripts that",
            "sbatch: error: contain a NULL character '\\0'.",
        )
    if b"\r\n" in content:
        raise SlurmError(*_DOS)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SlurmError(f"{_FAILED}: the script is not UTF-8 text") from None


def directive_groups(script: str) -> list[Values]:
    """Return the values of the `#SBATCH` lines before the script's first command: those of each
    component of a heterogeneous job, between which a line has `hetjob` alone."""
    groups: list[Values] = [{}]
    for number, line in _directive_lines(script):
        try:
            words = split_words(line, f"line {number}: #SBATCH")
        except UsageError as error:
            raise SlurmError(f"sbatch: error: {error}", code=255) from None
        if words in (["hetjob"], ["packjob"]):
            groups.append({})
            continue
        found, rest = SBATCH.read(words, permute=True)
        if rest:
            raise SlurmError(
                f"sbatch: error: Invalid directive found in batch script: {rest[0]}", code=255
            )
        groups[-1].update(values_of(SBATCH, found))
    return groups


def _directive_lines(script: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(script.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return
        if line.startswith("#SBATCH") and line[7:8].isspace():
            yield number, line[7:]


def _submit(spec: dict[str, Any], values: Values) -> int:
    with Client() as client:
        try:
            if "test-only" in values:
                return tell_start(client, spec, "sbatch")
            [job] = client.submit([spec])
        except ApiError as error:
            failed = "allocation failure" if "test-only" in values else _FAILED
            raise refused(error, "sbatch", failed, values) from None
        number = job["job_id"]
        if "parsable" in values:
            suffix = f";{CLUSTER}" if values.get("clusters", "").lower() == CLUSTER else ""
            print(f"{number}{suffix}")
        elif "quiet" not in values:
            print(f"Submitted batch job {number}")
        sys.stdout.flush()
        if "wait" not in values:
            return 0
        client.retry_for_s = _WAIT_RETRY_S
        try:
            ended = client.wait(number)
        except ClientError as error:
            tell(f"sbatch: error: {reason_of(error)}")
            return 1
    if ended["signal"]:
        return 128 + int(ended["signal"])
    code = int(ended["exit_code"] or 0) & 255
    return code or (0 if ended["state"] == "COMPLETED" else 1)
