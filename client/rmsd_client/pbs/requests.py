"""The request of qsub: from its options to the submit of a job."""

from __future__ import annotations

import os
import re
import time

from rmsd_client.console.cli import tell
from rmsd_client.errors import UsageError
from rmsd_client.pbs.command_line import DIFFERS, IGNORED, REFUSED, SAME, pass_over
from rmsd_client.pbs.mail import mail_of
from rmsd_client.pbs.resources import request_of
from rmsd_client.submit.conditions import parse_dependency
from rmsd_client.submit.directives import split_words
from rmsd_client.submit.directory import current_dir
from rmsd_client.submit.export import parse_export
from rmsd_client.submit.login import login_environment
from rmsd_client.submit.rlimits import fields_of
from rmsd_client.submit.utf8 import encodable
from rmsd_wire.arrays import ArrayError, parse_array
from rmsd_wire.pbs_names import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rmsd_client.pbs.command_line import PbsTable

    Values = dict[str, Any]

ATTRIBUTES = {
    "block": (SAME, "qsub waits for the job, and ends with its exit code"),
    "depend": (DIFFERS, "after, afterok, afternotok, afterany, and their *array forms of Torque"),
    "group_list": (IGNORED, "a job has its user's groups"),
    "project": (IGNORED, "there are no projects"),
    "pwd": (IGNORED, ""),
    "release_nodes_on_stageout": (IGNORED, ""),
    "run_count": (IGNORED, ""),
    "umask": (IGNORED, "files have the umask of the job's node"),
    "x": (IGNORED, "of Torque"),
    "interactive": (REFUSED, "-I gives a terminal"),
    "sandbox": (REFUSED, "-d names the folder that the job starts in"),
    "stagein": (REFUSED, "copy files in the script"),
    "stageout": (REFUSED, "copy files in the script"),
}
"""The attributes of -W: what becomes of each."""

_MOST_NAME = 236
_ARRAY = re.compile(r"\d+-\d+(:\d+)?(%\d+)?", re.ASCII)
_TORQUE_ARRAY = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*(%\d+)?", re.ASCII)
_DATE = re.compile(
    r"(?:(?:(?:(?P<century>\d\d)?(?P<year>\d\d))?(?P<month>\d\d))?(?P<day>\d\d))?"
    r"(?P<hour>\d\d)(?P<minute>\d\d)(?:\.(?P<second>\d\d))?",
    re.ASCII,
)
_RELATION = re.compile(r"(after|afterok|afternotok|afterany)(?:array)?((?::[^:]+)+)", re.ASCII)
_JOB = re.compile(r"(\d{1,18})(?:\[(\d{0,7})\])?(?:\.[\w.-]+)?", re.ASCII)
_O_VARIABLES = ("HOME", "LANG", "LOGNAME", "MAIL", "PATH", "SHELL", "TZ")


class Script:
    """The script to be run: its text, its file's name and its arguments."""

    __slots__ = ("args", "name", "text")

    def __init__(self, text: str, name: str, args: list[str]) -> None:
        self.text = text
        self.name = name
        self.args = args


def make_spec(table: PbsTable, values: Values, script: Script) -> dict[str, Any]:
    """Return the SubmitSpec of a job.

    Raises:
        PbsError: a value is unusable.
    """
    resources, variables = request_of(values["l"])
    home = login_environment().get("HOME", "/")
    submit_dir = current_dir()
    name = _name(table, values.get("N", script.name), is_typed="N" in values)
    array = _array(table, values)
    spec: dict[str, Any] = {
        "name": name,
        "script": _with_shell(script.text, values.get("S", "")),
        "args": _arguments(table, values, script),
        "env": {**_environment(table, values, submit_dir), **variables},
        "workdir": os.path.join(submit_dir, str(values.get("d", values.get("w", home)))),
        "submit_host": os.uname().nodename,
        "submit_dir": submit_dir,
        "requeue": values.get("r", "y").lower() != "n",
        **_outputs(table, values, submit_dir, bool(array)),
        **resources,
        **fields_of(None),
    }
    if array:
        spec["array"] = array
    if "n" in values:
        spec["exclusive"] = True
    if "A" in values:
        spec["account"] = values["A"]
    if queue := values.get("q", "").partition("@")[0]:
        spec["partition"] = queue
    if conditions := _conditions(table, values):
        spec["conditions"] = conditions
    try:
        return spec | mail_of(values.get("m"), values.get("M"))
    except ValueError as error:
        raise table.misused("illegal -m value", str(error)) from None


def _name(table: PbsTable, text: str, *, is_typed: bool) -> str:
    """Return the job's name. That of the script's file is shortened; PSI/J sends `-N="name"`."""
    name = text.removeprefix("=") if is_typed else text[:_MOST_NAME]
    if not name or len(name) > _MOST_NAME or (is_typed and any(c.isspace() for c in name)):
        raise table.misused("illegal -N value")
    return name


def _with_shell(text: str, shell: str) -> str:
    """Return the script with a first line. As in PBS, a script without one is for the shell of -S,
    or that of the user's login."""
    if text.startswith("#!"):
        return text
    chosen = shell.split(",")[0].partition("@")[0] or login_environment().get("SHELL", "/bin/sh")
    return f"#!{chosen}\n{text}"


def _arguments(table: PbsTable, values: Values, script: Script) -> list[str]:
    if "F" not in values:
        return script.args
    try:
        return split_words(values["F"], "-F")
    except UsageError as error:
        raise table.misused(f"illegal -F value: {error}") from None


def _array(table: PbsTable, values: Values) -> str:
    for letter, pattern in (("J", _ARRAY), ("t", _TORQUE_ARRAY)):
        if letter not in values:
            continue
        if not pattern.fullmatch(values[letter]):
            raise table.misused(f"illegal -{letter} value")
        try:
            parse_array(values[letter])
        except ArrayError as error:
            raise table.misused(f"illegal -{letter} value: {error}") from None
        return str(values[letter])
    return ""


# ---------------------------------------------------------------- output


def _outputs(table: PbsTable, values: Values, submit_dir: str, is_array: bool) -> dict[str, str]:
    """Return the patterns of the output files."""
    join = values.get("j", "n").lower()
    if join not in ("oe", "eo", "n"):
        raise table.misused("illegal -j value")
    out, err = (
        output_pattern(values.get(letter, ""), kind, submit_dir, is_array)
        for letter, kind in (("o", "o"), ("e", "e"))
    )
    if join == "n":
        return {"stdout": out, "stderr": err}
    return {"stdout": out if join == "oe" else err}


def output_pattern(text: str, kind: str, submit_dir: str, is_array: bool) -> str:
    """Return the pattern of an output file in rmsd's letters.

    `kind`: o or e. Without a path the file is NAME.oNUMBER in the folder of the submit. In a
    folder that is named it is NUMBER.SERVER.OU or .ER, as in OpenPBS.
    """
    host, colon, path = text.partition(":")
    if colon and "/" not in host:
        text = path
    path = os.path.join(submit_dir, text)
    pattern = path.replace("%", "%%")
    if not text:
        return os.path.join(pattern, f"%x.{kind}%A.%a" if is_array else f"%x.{kind}%j")
    if text.endswith("/") or os.path.isdir(path):
        number = f"%A[%a].{SERVER}" if is_array else f"%j.{SERVER}"
        return os.path.join(pattern, f"{number}.{'OU' if kind == 'o' else 'ER'}")
    number = f"%A[%a].{SERVER}" if is_array else f"%j.{SERVER}"
    for name, letters in (
        ("^array_index^", "%a"),
        ("$PBS_JOBID", number),
        ("$PBS_JOBNAME", "%x"),
    ):
        pattern = pattern.replace(name, letters)
    return pattern


# ---------------------------------------------------------------- environment


def _environment(table: PbsTable, values: Values, submit_dir: str) -> dict[str, str]:
    """Return the environment of the job: that of a login, what -V and -v say, and what PBS adds at
    a submit."""
    environment = login_environment()
    try:
        if "V" in values:
            environment |= parse_export("ALL").environment(os.environ)
        if "v" in values:
            environment |= parse_export(values["v"]).environment(os.environ)
    except ValueError as error:
        raise table.misused(f"illegal -v value: {error}") from None
    told = {f"PBS_O_{name}": os.environ[name] for name in _O_VARIABLES if name in os.environ}
    told |= {
        "PBS_ENVIRONMENT": "PBS_BATCH",
        "PBS_O_HOST": os.uname().nodename,
        "PBS_O_QUEUE": values.get("q", "").partition("@")[0],
        "PBS_O_SYSTEM": os.uname().sysname,
        "PBS_O_WORKDIR": submit_dir,
    }
    return encodable({**environment, **told}, lambda line: tell(f"qsub: warning: {line}"))


# ---------------------------------------------------------------- conditions


def _conditions(table: PbsTable, values: Values) -> dict[str, Any]:
    conditions: dict[str, Any] = {"hold": True} if "h" in values else {}
    if "a" in values:
        conditions["begin_us"] = begin_us(table, values["a"])
    for name, value in attributes_of(table, values.get("W", "")).items():
        if name == "depend":
            conditions |= dependencies(table, value)
    return conditions


def attributes_of(table: PbsTable, text: str) -> dict[str, str]:
    """Return the attributes of -W. A part without a `=` continues the attribute before it:
    `depend=afterok:1,afterany:2` is one."""
    found: dict[str, str] = {}
    last = ""
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = item.partition("=")
        if not equals and last:
            found[last] += f",{item}"
            continue
        if not equals or name not in ATTRIBUTES:
            raise table.misused("illegal -W value")
        found[name] = value
        last = name
    return {
        name: value
        for name, value in found.items()
        if not pass_over("qsub", f"-W {name}", *ATTRIBUTES[name])
    }


def dependencies(table: PbsTable, text: str) -> dict[str, Any]:
    """Return the conditions of `afterok:12.rmsd:13,afterany:14[]`. As in PBS, a job whose
    dependencies can never be fulfilled is deleted."""
    words = []
    for item in text.split(","):
        match = _RELATION.fullmatch(item.strip())
        if match is None:
            raise table.misused("illegal -W value", f"depend={text}: '{item}' is not supported")
        relation, jobs = match.groups()
        numbers = [_dependency_name(table, text, job) for job in jobs[1:].split(":")]
        words.append(":".join([relation, *numbers]))
    try:
        return {**parse_dependency(",".join(words)), "end_if_never": True}
    except ValueError as error:
        raise table.misused("illegal -W value", str(error)) from None


def _dependency_name(table: PbsTable, text: str, job: str) -> str:
    match = _JOB.fullmatch(job)
    if match is None:
        raise table.misused("illegal -W value", f"depend={text}: '{job}' is not a job")
    number, index = match.groups()
    return f"{number}_{index}" if index else str(number)


def begin_us(table: PbsTable, text: str, now_s: float | None = None) -> int:
    """Return the instant of `[[[[CC]YY]MM]DD]hhmm[.SS]`. What is left out is the next such time."""
    match = _DATE.fullmatch(text)
    if match is None:
        raise table.misused("illegal -a value")
    given = {name: int(value) for name, value in match.groupdict().items() if value is not None}
    if given["hour"] > 23 or given["minute"] > 59 or not 1 <= given.get("month", 1) <= 12:
        raise table.misused("illegal -a value")
    now_s = time.time() if now_s is None else now_s
    now = time.localtime(now_s)
    year = now.tm_year
    if "year" in given:
        year = given.get("century", now.tm_year // 100) * 100 + given["year"]
    date = [year, given.get("month", now.tm_mon), given.get("day", now.tm_mday)]
    clock = (given["hour"], given["minute"], given.get("second", 0))
    begin_s = _epoch_s(date, clock)
    left_out = next((i for i, name in enumerate(("day", "month", "year")) if name not in given), 3)
    if begin_s <= now_s and left_out < 3:
        date[2 - left_out] += 1
        begin_s = _epoch_s(date, clock)
    return round(begin_s) * 1_000_000


def _epoch_s(date: list[int], clock: tuple[int, int, int]) -> float:
    """Return the local time as seconds of the epoch; a month may have too many days, and a year too
    many months."""
    return time.mktime((date[0], date[1], date[2], *clock, 0, 0, -1))
