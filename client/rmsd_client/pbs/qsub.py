"""`qsub`: submit a batch script."""

from __future__ import annotations

import os
import sys

from rmsd_client.api import Client
from rmsd_client.console.cli import tell
from rmsd_client.errors import ClientError, UsageError
from rmsd_client.pbs.command_line import (
    DIFFERS,
    IGNORED,
    REFUSED,
    SAME,
    PbsOption,
    PbsTable,
    asks_for_help,
    asks_for_version,
)
from rmsd_client.pbs.ending import USAGE, PbsError, refusal, run
from rmsd_client.pbs.job_ids import text_id
from rmsd_client.pbs.requests import Script, make_spec
from rmsd_client.pbs.resources import read_list
from rmsd_client.submit.directives import split_words
from rmsd_client.submit.script import MAX_SCRIPT_BYTES, exec_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from rmsd_client.pbs.command_line import Found
    from rmsd_client.pbs.requests import Values

QSUB = PbsTable(
    "qsub",
    "[script | -- command [arguments]]",
    (
        PbsOption("a", "date_time"),
        PbsOption("A", "account"),
        PbsOption("b", "seconds", IGNORED),
        PbsOption("c", "checkpoint", IGNORED, "there are no checkpoints"),
        PbsOption("C", "prefix"),
        PbsOption("d", "dir", SAME, "of Torque: the folder that the job starts in"),
        PbsOption("D", "dir", REFUSED, "of Torque: there is no other root folder"),
        PbsOption("e", "path"),
        PbsOption("f", "", IGNORED),
        PbsOption("F", "arguments", SAME, "of Torque: the script's arguments"),
        PbsOption("G", "", REFUSED, "no windows are forwarded"),
        PbsOption("h"),
        PbsOption("I", "", DIFFERS, "Enter ~ . leaves, and `rattach` comes back"),
        PbsOption("j", "oe|eo|n"),
        PbsOption("J", "range", SAME, "X-Y[:Z][%max]"),
        PbsOption("k", "keep", IGNORED, "output is written to its place while the job runs"),
        PbsOption("l", "resources"),
        PbsOption("m", "mail_points", DIFFERS, "`a` tells of every failure"),
        PbsOption("M", "users", DIFFERS, "up to four; to what is no address no mail is sent"),
        PbsOption("n", "", SAME, "of Torque: whole nodes"),
        PbsOption("N", "name"),
        PbsOption("o", "path"),
        PbsOption("p", "priority", IGNORED, "the order of the queue is the recipe's"),
        PbsOption("P", "project", IGNORED, "there are no projects"),
        PbsOption("q", "queue", SAME, "a queue is a partition"),
        PbsOption("r", "y|n"),
        PbsOption("R", "files", IGNORED, "output files are kept"),
        PbsOption("S", "path", DIFFERS, "of a script without a first line `#!`"),
        PbsOption("t", "range", SAME, "of Torque: as -J, or one index"),
        PbsOption("T", "script", REFUSED, "of Torque: call it in the script"),
        PbsOption("u", "users", REFUSED, "a job runs as the account that submits it"),
        PbsOption("v", "variables"),
        PbsOption("V"),
        PbsOption("w", "dir", SAME, "of Torque: as -d"),
        PbsOption("W", "attributes", DIFFERS, "see the table of attributes"),
        PbsOption("x", "", IGNORED),
        PbsOption("X", "", REFUSED, "no windows are forwarded"),
        PbsOption("z"),
    ),
)

_WAIT_RETRY_S = 600.0
_PREFIX = "#PBS"


def main() -> int:
    return run("qsub", qsub)


def qsub(argv: Sequence[str]) -> int:
    """Submit a job; returns the exit code."""
    if asks_for_version(argv) or asks_for_help(QSUB, argv):
        return 0
    found, words = QSUB.read(argv)
    command = words if "--" in argv and words == list(argv[list(argv).index("--") + 1 :]) else []
    typed = values_of(found)
    if command:
        script = Script(exec_script(command), os.path.basename(command[0]), [])
    elif "I" in typed and not words:
        script = Script("", "STDIN", [])
    else:
        script = _script(words)
    prefix = typed.get("C", os.environ.get("PBS_DPREFIX", _PREFIX))
    values = {} if command else directives_of(script.text, prefix)
    values = {**values, **typed, "l": {**values.get("l", {}), **typed.get("l", {})}}
    if "I" in values:
        from rmsd_client.pbs.interactive import run_session, session_script  # few jobs have one

        # The commands of the script itself do not run, as in PBS.
        text = session_script(command, values)
        return run_session(make_spec(QSUB, values, Script(text, script.name, [])))
    return _submit(make_spec(QSUB, values, script), values)


def values_of(found: Sequence[Found]) -> Values:
    """Return the values of options by letter. Those of -l are resources by name, those of -W are
    texts that are joined; of others the last one counts."""
    values: Values = {}
    for letter, value in found:
        if letter == "l":
            values["l"] = {**values.get("l", {}), **read_list(value)}
        elif letter == "W" and "W" in values:
            values["W"] = f"{values['W']},{value}"
        else:
            values[letter] = value
    return values


def _script(words: Sequence[str]) -> Script:
    if len(words) > 1:
        raise QSUB.misused()
    if not words or words[0] == "-":
        return Script(_text_of(sys.stdin.buffer.read(MAX_SCRIPT_BYTES + 1)), "STDIN", [])
    try:
        with open(words[0], "rb") as file:
            content = file.read(MAX_SCRIPT_BYTES + 1)
    except OSError as error:
        raise PbsError(f"qsub: script file:: {error.strerror}") from None
    return Script(_text_of(content), os.path.basename(words[0]), [])


def _text_of(content: bytes) -> str:
    if len(content) > MAX_SCRIPT_BYTES:
        raise PbsError("qsub: the script is too large")
    if not content.strip():
        raise PbsError("qsub: the script is empty")
    if b"\0" in content:
        raise PbsError("qsub: file must be an ascii script", code=USAGE)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise PbsError("qsub: file must be an ascii script", code=USAGE) from None


def directives_of(script: str, prefix: str = _PREFIX) -> Values:
    """Return the values of the `#PBS` lines before the script's first command.

    Raises:
        PbsError: a line is malformed, or has an option that there is not.
    """
    found: list[Found] = []
    for number, text in _directive_lines(script, prefix):
        try:
            words = split_words(text, f"line {number}: {prefix}")
        except UsageError as error:
            raise PbsError(f"qsub: directive error: {error}", code=USAGE) from None
        some, rest = QSUB.read(words, permute=True)
        if rest:
            raise PbsError(f"qsub: directive error: {rest[0]}", code=USAGE)
        found += some
    return values_of(found)


def _directive_lines(script: str, prefix: str) -> Iterator[tuple[int, str]]:
    if not prefix:
        return
    for number, line in enumerate(script.split("\n"), 1):
        if line.startswith(prefix) and (line[len(prefix) :] or " ")[0].isspace():
            yield number, line[len(prefix) :]
        elif line.strip() and not line.lstrip().startswith(("#", ":")):
            return


def _submit(spec: dict[str, Any], values: Values) -> int:
    with Client() as client:
        try:
            [job] = client.submit([spec])
        except ClientError as error:
            raise refusal("qsub", error) from None
        if "z" not in values:
            print(text_id(job), flush=True)
        if "block=true" not in values.get("W", "").replace(" ", "").lower():
            return 0
        client.retry_for_s = _WAIT_RETRY_S
        try:
            ended = client.wait(job["job_id"])
        except ClientError as error:
            tell(*refusal("qsub", error).lines)
            return 1
    if ended["signal"]:
        return 128 + int(ended["signal"])
    return int(ended["exit_code"] or 0) & 255 or (0 if ended["state"] == "COMPLETED" else 1)
