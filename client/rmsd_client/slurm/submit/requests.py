"""The requests of sbatch, srun and salloc: from their options to the submit of a job."""

from __future__ import annotations

import os

from rmsd_client.console.cli import tell
from rmsd_client.errors import UsageError
from rmsd_client.slurm.command_lines.clusters import check_clusters
from rmsd_client.slurm.command_lines.command_line import IGNORED, REFUSED
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.site import CLUSTER, mode
from rmsd_client.slurm.submit.distributions import distribution_variables
from rmsd_client.submit.directory import absolute_dir, current_dir, own_umask
from rmsd_client.submit.login import login_environment
from rmsd_client.submit.option_values import devices_in
from rmsd_client.submit.options import BY_NAME, NodeRange
from rmsd_client.submit.rlimits import PROPAGATE_ALL, fields_of
from rmsd_client.submit.slurm_requests import converted
from rmsd_client.submit.utf8 import encodable
from rmsd_wire.sizes import parse_mem_mib, slurms_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rmsd_client.slurm.command_lines.command_line import Found, Opt, Table

    Values = dict[str, str]
    """The values of options by their long names; "" for one that has none."""

_MADE_WITHIN_S = 2.0
_GPU_VARIABLES = {
    "gpus": "SLURM_GPUS",
    "gpus-per-node": "SLURM_GPUS_PER_NODE",
    "gpus-per-task": "SLURM_GPUS_PER_TASK",
    "ntasks-per-gpu": "SLURM_NTASKS_PER_GPU",
    "cpus-per-gpu": "SLURM_CPUS_PER_GPU",
    "mem-per-gpu": "SLURM_MEM_PER_GPU",
}
"""The variables that tell a job what GPUs it has asked for, by the options."""
_OF_OTHERS = (
    *("SLURM_JOB_DEPENDENCY", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_NODE"),
    *("SLURM_DISTRIBUTION", "SLURM_DIST_PLANESIZE"),
    *_GPU_VARIABLES.values(),
)
"""The variables that a job inside of another one must not take over."""
_KEPT_LETTERS = "jAxuNta%"
_SPEC_FIELDS = {
    "ntasks": "tasks",
    "cpus-per-task": "cpus_per_task",
    "nodes": "nodes",
    "mem": "mem_mib",
    "mem-per-cpu": "mem_per_cpu_mib",
    "constraint": "constraint",
    "array": "array",
    "comment": "comment",
    "nice": "nice",
    "licenses": "licenses",
    "exclude": "exclude",
    "nodelist": "nodelist",
    "partition": "partition",
    "signal": "warn_signal",
    "mail-type": "mail_types",
    "mail-user": "mail_user",
}
_AS_RSUB = (
    *("ntasks", "cpus-per-task", "nodes", "ntasks-per-node", "mem", "mem-per-cpu", "time"),
    *(
        "array",
        "constraint",
        "comment",
        "nice",
        "licenses",
        "partition",
        "signal",
        "begin",
        "deadline",
        "dependency",
        *("mail-type", "mail-user"),
        *("exclude", "kill-on-invalid-dep", "nodelist"),
        *("gres", "gpus", "gpus-per-node", "gpus-per-task"),
    ),
)
"""The options whose values are read as rsub reads them."""

_ALIASES = {
    "tasks-per-node": "ntasks-per-node",
    "cluster": "clusters",
    "pack-group": "het-group",
}
_MEMORY = ("mem", "mem-per-cpu", "mem-per-gpu")
"""The options that ask for memory: no two of them stand together."""


def values_of(table: Table, found: list[Found], *, code: int = 1) -> Values:
    """Return the values of options, and refuse what has no effect here as the mode of the commands
    says.

    Raises:
        SlurmError: without an option another job would run.
    """
    values: Values = {}
    for option, value in found:
        name = _ALIASES.get(option.long, option.long)
        if not _passed_over(table.program, option, value, code):
            values[name] = value if value is not None else ""
            if name in _MEMORY:
                values[name] = slurms_size(values[name])
    return values


def _passed_over(program: str, option: Opt, value: str | None, code: int) -> bool:
    """Return whether an option has no effect."""
    refused = option.fate == REFUSED
    if option.long == "threads-per-core":
        refused = value != "1"
    if option.long in ("gres", "gpus") and (value or "").lower() in ("none", "0", ""):
        return program != "srun"  # a step without devices sees none of its job's
    is_strict = option.fate == IGNORED and mode() == "strict"
    if not refused and not is_strict:
        return option.fate == IGNORED or option.long == "threads-per-core"
    what = f"--{option.long}{f' ({option.note})' if option.note else ''}"
    if mode() == "lenient":
        tell(f"{program}: warning: {what} has no effect here")
        return True
    why = (
        "has no effect here, which is an error with RMSD_SLURM=strict; remove it"
        if is_strict
        else "is not supported: without it another job would run; RMSD_SLURM=lenient passes over it"
    )
    raise SlurmError(f"{program}: error: {what} {why}", code=code)


def from_variables(prefix: str, names: Mapping[str, str], known: Table) -> Values:
    """Return the values that variables set: `prefix` and a key of `names`."""
    found: list[Found] = []
    for suffix, name in names.items():
        if (text := os.environ.get(prefix + suffix)) is not None and name in known.by_long:
            found.append((known.by_long[name], text))
    return values_of(known, found)


def beside_variables(program: str, variables: Values, chosen: Values) -> Values:
    """Return the variables that count beside options: none that asks for memory, if these do.

    Raises:
        SlurmError: the options ask for memory in two ways.
    """
    asked = [name for name in _MEMORY if name in chosen]
    if len(asked) > 1:
        names = "--mem, --mem-per-cpu, and --mem-per-gpu"
        raise SlurmError(f"{program}: fatal: {names} are mutually exclusive.")
    return {name: text for name, text in variables.items() if not asked or name not in _MEMORY}


class Source:
    """The script to be run: its text, name and arguments, and the file's path for `Command=`."""

    __slots__ = ("args", "command", "name", "script")

    def __init__(self, script: str, name: str, args: list[str], command: str = "") -> None:
        self.script = script
        self.name = name
        self.args = args
        self.command = command


def make_spec(program: str, values: Values, source: Source, pattern: str) -> dict[str, Any]:
    """Return the SubmitSpec of a job. `pattern` is the file for its output, if none is named.

    Raises:
        SlurmError: a value is unusable.
    """
    settings = _settings(program, values)
    _pass_over_no_address(program, settings)
    spec: dict[str, Any] = {
        "name": values.get("job-name", source.name)[:256],
        "script": source.script,
        "args": source.args,
        "env": _environment(program, values),
        "workdir": _directory(program, values),
        "stdout": output_pattern(values.get("output", pattern)),
        "submit_host": os.uname().nodename,
        "submit_dir": current_dir(),
        "requeue": "no-requeue" not in values,
        "umask": own_umask(),
        **_rlimits(program, values),
    }
    if command := _command(source):
        spec["command"] = command
    for name in ("account", "qos", "reservation"):
        if name in values:
            spec[name] = values[name]
    if values.get("input", "/dev/null") not in ("/dev/null", "none"):
        spec["stdin"] = output_pattern(values["input"])
    if values.get("open-mode", "").lower().startswith("a"):
        spec["append"] = True
    if "error" in values:
        spec["stderr"] = output_pattern(values["error"])
    if "time" in settings:
        spec["time_limit_s"] = settings["time"] or 0
    for name, field in _SPEC_FIELDS.items():
        if name in settings:
            spec[field] = settings[name]
    if isinstance(nodes := settings.get("nodes"), NodeRange) and "gpus" not in settings:
        spec["most_nodes"] = nodes.most
    spec |= devices_in(settings)
    spec |= settings.get("deadline", {})
    if spec.get("mem_mib") == 0:
        spec["all_mem"] = True
    if "exclusive" in values:
        if (shared := values["exclusive"].lower()) not in ("", "ok", "user"):
            raise invalid(program, "exclusive", "of its values there is `user` alone")
        spec["exclusive_user" if shared == "user" else "exclusive"] = True
    conditions = _conditions(values, settings)
    if not {"begin_us", "begin_in_s"} & conditions.keys() and _is_made_later(spec):
        conditions["begin_in_s"] = _MADE_WITHIN_S
    if conditions:
        spec["conditions"] = conditions
    if "clusters" in values:
        check_clusters(program, values)
    return spec


_LONGEST_COMMAND = 4096


def _command(source: Source) -> str:
    """Return the script's file with its arguments; "" if there is no file, or it cannot be told."""
    text = " ".join([source.command, *source.args]) if source.command else ""
    return text if text.isprintable() and len(text) <= _LONGEST_COMMAND else ""


def _pass_over_no_address(program: str, settings: dict[str, Any]) -> None:
    """Forget the mails to an address that is none: Slurm takes any text, and scripts have some that
    no shell has expanded."""
    if not (text := settings.get("mail-user", "")):
        return
    from rmsd_wire.mail_types import parse_addresses  # few jobs ask for mail

    try:
        parse_addresses(text)
    except ValueError:
        tell(f"{program}: warning: --mail-user={text} is no address; no mail is sent")
        del settings["mail-user"]
        settings.pop("mail-type", None)


def _is_made_later(spec: Mapping[str, Any]) -> bool:
    """Return whether output goes to a folder that is not there yet. Slurm takes a moment to start a
    job, in which programs make a folder named after its number."""
    folders = {os.path.dirname(os.path.join(spec["workdir"], spec[name]))
               for name in ("stdout", "stderr") if spec.get(name)}  # fmt: skip
    return any("%" in folder or not os.path.isdir(folder) for folder in folders)


def _settings(program: str, values: Values) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for name in _AS_RSUB:
        if name not in values:
            continue
        text = values[name]
        if name == "dependency" and not text.strip():  # an empty value asks for none
            continue
        option = BY_NAME[name]
        if name == "nice":
            text = _nice(program, text)
        try:
            settings[option.dest] = option.parse(text)
        except (ValueError, UsageError) as error:
            raise _unusable(program, name, text, str(error)) from None
    tasks, nodes = settings.get("ntasks"), settings.get("nodes")
    if tasks and nodes and tasks < nodes:
        tell(
            f"{program}: Warning: can't run {tasks} processes on {nodes} nodes, setting nnodes to "
            f"{tasks}"
        )
        settings["nodes"] = tasks
    try:
        return dict(converted(_by_gpu(values, settings)))
    except UsageError as error:
        raise SlurmError(f"{program}: error: {error}", code=255) from None


def _by_gpu(values: Values, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with what options ask for by GPU."""
    if not any(name.endswith("-per-gpu") for name in values):
        return settings
    from rmsd_client.slurm.submit.gpus import counted_by_gpu  # few jobs ask so

    return counted_by_gpu(values, settings)


def gpu_variables(values: Values) -> dict[str, str]:
    """Return the variables of the options for GPUs. Memory is in MiB, as in Slurm."""
    found = {name: values[option] for option, name in _GPU_VARIABLES.items() if option in values}
    if "mem-per-gpu" in values:
        found["SLURM_MEM_PER_GPU"] = str(parse_mem_mib(values["mem-per-gpu"]))
    return found


def _nice(program: str, text: str) -> str:
    """Return the text of a nice value, which has a default."""
    if text.startswith("-") and os.getuid() != 0:
        tell(f"{program}: error: Nice value must be non-negative, value ignored")
        return "0"
    return text or BY_NAME["nice"].optional


def invalid(program: str, name: str, why: str = "") -> SlurmError:
    """Return the error for a value that is none."""
    more = f" ({why})" if why else ""
    return SlurmError(f"{program}: error: Invalid --{name} specification{more}", code=255)


_COUNTS = frozenset(("ntasks", "cpus-per-task", "ntasks-per-node"))
_CHECKED_BY_CONTROLLER = {
    "array": "Invalid job array specification",
    "dependency": "Job dependency problem",
}


def _unusable(program: str, name: str, text: str, why: str) -> SlurmError:
    """Return the error for a value that cannot be read. Some values Slurm's controller reads."""
    if name in _COUNTS:
        return SlurmError(f'{program}: error: Invalid numeric value "{text}" for --{name}.')
    if said := _CHECKED_BY_CONTROLLER.get(name):
        return SlurmError(f"{failure_of(program)}: {said} ({why})")
    return invalid(program, name, why)


def failure_of(program: str) -> str:
    """Return how a program's error begins if the controller refuses a job."""
    if program == "sbatch":
        return "sbatch: error: Batch job submission failed"
    return f"{program}: error: Unable to allocate resources"


def _conditions(values: Values, settings: Mapping[str, Any]) -> dict[str, Any]:
    conditions: dict[str, Any] = {"hold": True} if "hold" in values else {}
    for name in ("begin", "dependency"):
        conditions |= settings.get(name, {})
    if conditions and settings.get("kill-on-invalid-dep"):
        conditions["end_if_never"] = True
    return conditions


def no_partition(program: str, name: str, failed: str = "") -> SlurmError:
    """Return the error for a partition that is not there."""
    return SlurmError(
        f"{program}: error: invalid partition specified: {name}",
        f"{failed or failure_of(program)}: Invalid partition name specified",
    )


def _rlimits(program: str, values: Values) -> dict[str, Any]:
    asked = values.get("propagate")
    try:
        return fields_of(PROPAGATE_ALL if asked == "" else asked)
    except ValueError as error:
        raise invalid(program, "propagate", str(error)) from None


def _directory(program: str, values: Values) -> str:
    try:
        return absolute_dir(values.get("chdir", ""))
    except UsageError as error:
        raise SlurmError(f"{program}: error: {error}") from None


def chosen_names(text: str) -> str:
    """Return the value of --export without the words that other ones make superfluous: Slurm takes
    `NONE,NAME` for `NAME`."""
    words = text.split(",") if text else ["ALL"]
    named = [word for word in words if word.upper() not in ("NONE", "NIL")]
    return ",".join(named) or "NONE"


def _environment(program: str, values: Values) -> dict[str, str]:
    """Return the environment of the job: what --export says, and what Slurm adds at a submit."""
    text = chosen_names(values.get("export", "ALL"))
    if text == "NONE":
        environment = login_environment()
        exported = "NONE"
    else:
        try:
            export: Any = BY_NAME["export"].parse("ALL" if text.upper() == "ALL" else text)
        except ValueError as error:
            raise invalid(program, "export", str(error)) from None
        environment = export.environment(os.environ)
        for name in _OF_OTHERS:
            environment.pop(name, None)
        exported = "" if text.upper() == "ALL" else text
        if not export.everything:
            environment = {**login_environment(), **environment}
    warn: Callable[[str], None] = lambda line: tell(f"{program}: warning: {line}")  # noqa: E731
    slurm = {
        "SLURM_CLUSTER_NAME": CLUSTER,
        "SLURM_PRIO_PROCESS": "0",
        "SLURM_JOB_UID": str(os.getuid()),
        "SLURM_JOB_GID": str(os.getgid()),
        "SLURM_JOB_QOS": values.get("qos", "normal"),
    }
    if exported:
        slurm["SLURM_EXPORT_ENV"] = exported
    if "ntasks-per-node" in values:
        slurm["SLURM_NTASKS_PER_NODE"] = values["ntasks-per-node"]
    if values.get("dependency", "").strip():
        slurm["SLURM_JOB_DEPENDENCY"] = values["dependency"]
    if "open-mode" in values:
        slurm["SLURM_OPEN_MODE"] = values["open-mode"][:1]
    if "distribution" in values:
        slurm |= distribution_variables(program, values)
    slurm |= gpu_variables(values)
    return {**encodable(environment, warn), **slurm}


def output_pattern(text: str) -> str:
    """Return the pattern of an output file in rmsd's letters. `%J` is the job's number, and a
    letter that Slurm does not know stands for itself."""
    if "\\" in text:  # nothing in it is replaced, as in Slurm
        return text.replace("\\", "").replace("%", "%%")
    result, at = "", 0
    while (percent := text.find("%", at)) >= 0:
        result += text[at:percent]
        at = percent + 1
        while text[at : at + 1].isdigit():
            at += 1
        letter, digits = text[at : at + 1], text[percent + 1 : at]
        at += 1
        replacement = {"J": "j", "n": None, "s": None}.get(letter, letter)
        if replacement is None:
            result += "0" if letter == "n" else "batch"
        elif replacement and replacement in _KEPT_LETTERS:
            result += f"%{digits}{replacement}"
        else:
            result += f"%%{digits}{letter}"
    return result + text[at:] if at < len(text) + 1 else result
