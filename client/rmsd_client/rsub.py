"""`rsub`: submit a batch script or a command."""

from __future__ import annotations

import json
import os
import sys

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.console.stdout import StdoutError
from rmsd_client.errors import EXIT_FAILURE, EXIT_SIGNAL, UsageError
from rmsd_client.submit.directives import parse_directives
from rmsd_client.submit.directory import absolute_dir, current_dir
from rmsd_client.submit.export import Export
from rmsd_client.submit.option_values import devices_in
from rmsd_client.submit.options import NodeRange, PerCpu, parse_command_line
from rmsd_client.submit.rlimits import fields_of
from rmsd_client.submit.script import (
    base_name,
    check_script,
    exec_script,
    read_script,
    read_stdin,
    wrap,
)
from rmsd_client.submit.settings import configuration_path, from_configuration, from_environment
from rmsd_client.submit.utf8 import check_utf8, encodable
from rmsd_wire.durations import format_duration
from rmsd_wire.sizes import format_mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.submit.options import Settings, Words

_PROGRAM = "rsub"
_EXPORT_ALL = Export(True, [], {})
_OUTPUT, _ARRAY_OUTPUT = "rms-%j.out", "rms-%A_%a.out"
_NOT_OF_JOBS = frozenset(
    (
        *(
            "test-only",
            "restart",
            "interactive",
            "hangup",
            "wait",
            "parsable",
            "quiet",
            "wrap",
            "json",
            "server",
            "token-file",
        ),
        *("ca-file", "help", "version"),
    )
)
"""The options that say what `rsub` does, and nothing of the job."""
_OF_RESTARTS = frozenset(
    ("restart", "wait", "parsable", "quiet", "json", "server", "token-file", "ca-file")
)
"""The options that `--restart` can be given with."""
_WAIT_RETRY_S = 600.0  # a restart of the daemon takes less time
_SPEC_FIELDS = {  # fields of SubmitSpec, by the settings that are passed on as they are
    "ntasks": "tasks",
    "array": "array",
    "cpus-per-task": "cpus_per_task",
    "nodes": "nodes",
    "mem": "mem_mib",
    "mem-per-cpu": "mem_per_cpu_mib",
    "constraint": "constraint",
    "partition": "partition",
    "account": "account",
    "qos": "qos",
    "reservation": "reservation",
    "nodelist": "nodelist",
    "exclude": "exclude",
    "comment": "comment",
    "licenses": "licenses",
    "nice": "nice",
    "requeue": "requeue",
    "restartable": "restartable",
    "signal": "warn_signal",
    "notify": "notify",
    "mail-type": "mail_types",
    "mail-user": "mail_user",
    "error": "stderr",
    "exclusive": "exclusive",
}


def main() -> int:
    return cli.run(_PROGRAM, rsub)


def rsub(argv: Sequence[str]) -> int:
    """Submit a job. Returns the exit code; with --wait, that of the job."""
    from_line, words = parse_command_line(argv, _remark)
    if "help" in from_line or "version" in from_line:
        from rmsd_client.submit.rsub_help import help_text
        from rmsd_process.installed import installed_version

        print(help_text() if "help" in from_line else installed_version(_PROGRAM))
        return 0
    if "restart" in from_line:
        return _restart(str(from_line["restart"]), from_line, words)
    if "interactive" in from_line:
        return _run_interactive(from_line, words)
    if "hangup" in from_line:
        raise UsageError("--hangup is for the terminal of --interactive, which is not given")
    source = _find_source(from_line, words)
    settings = _all_settings(source, from_line)
    return _submit(_make_spec(source, settings), settings)


def spec_of(name: str, script: str, options: Sequence[str]) -> dict[str, Any]:
    """Return the SubmitSpec of a script and of options as on a command line, with all else that
    `rsub` takes into account: directives, environment, configuration, the working directory.

    Raises:
        UsageError: an option or the script is wrong, or the options ask `rsub` for something else
            than a job.
    """
    from_line, words = parse_command_line(options, _remark)
    if words.dashes or words.rest:
        raise UsageError(f"'{(words.rest or ['--'])[0]}' is not an option of rsub")
    if not_of_jobs := sorted(_NOT_OF_JOBS.intersection(from_line)):
        raise UsageError(f"--{not_of_jobs[0]}: this option cannot be used here")
    return spec_from(name, script, from_line)


def spec_from(name: str, script: str, from_line: Settings) -> dict[str, Any]:
    """Return the SubmitSpec of a script and of the settings of a command line, as `spec_of` does.

    Raises:
        UsageError: a setting or the script is wrong.
    """
    source = _Source(name, check_script(script.encode(), "script"), origin="script")
    return _make_spec(source, _all_settings(source, from_line))


def _all_settings(source: _Source, from_line: Settings) -> Settings:
    """Return the settings from everywhere; those of the command line come first."""
    settings = {
        **from_configuration(configuration_path()),
        **(parse_directives(source.script, source.origin, _remark) if source.origin else {}),
        **from_environment(os.environ, _warn),
        **from_line,
    }
    if "ntasks-per-node" in settings or isinstance(settings.get("mem"), PerCpu):
        from rmsd_client.submit.slurm_requests import converted

        settings = converted(settings)
    return settings


def _warn(text: str) -> None:
    cli.warn(_PROGRAM, text)


def _remark(text: str) -> None:
    """Print a warning that changes nothing: for people, not for a program that reads stderr."""
    if sys.stderr.isatty():
        _warn(text)


class _Source:
    """The script to be run. `origin` names it in messages; "" for one that was made here."""

    __slots__ = ("args", "name", "origin", "script")

    def __init__(self, name: str, script: str, args: Sequence[str] = (), origin: str = "") -> None:
        self.name = name
        self.script = script
        self.args = list(args)
        self.origin = origin


def _find_source(settings: Settings, words: Words) -> _Source:
    rest = words.rest
    if "wrap" in settings:
        if rest:
            raise UsageError(f"--wrap stands for a script, but '{rest[0]}' is given too")
        return _Source("wrap", wrap(str(settings["wrap"])))
    if words.dashes:
        if not rest:
            raise UsageError("--: expected a command and its arguments")
        return _Source(base_name(rest[0]), exec_script(rest))
    if not rest:
        return _Source("stdin", read_stdin(), origin="stdin")
    return _Source(base_name(rest[0]), read_script(rest[0]), rest[1:], origin=rest[0])


def _make_spec(source: _Source, settings: Settings) -> dict[str, Any]:
    """Return the SubmitSpec. Values that were not asked for are left to the daemon's defaults."""
    workdir = absolute_dir(str(settings.get("chdir", "")))
    check_utf8(
        ("script's name", source.name),
        ("command", source.script),
        ("directory", workdir),
        *(("argument", arg) for arg in source.args),
    )
    export = settings.get("export", _EXPORT_ALL)
    assert isinstance(export, Export)
    spec: dict[str, Any] = {
        "name": settings.get("job-name", source.name),
        "script": source.script,
        "args": source.args,
        "env": encodable(export.environment(os.environ), _warn),
        "workdir": workdir,
        "stdout": settings.get("output", _ARRAY_OUTPUT if "array" in settings else _OUTPUT),
        "submit_host": os.uname().nodename,
        "submit_dir": current_dir(),
        **fields_of(_given(settings, "propagate")),
    }
    if "time" in settings:
        spec["time_limit_s"] = settings["time"] or 0  # no limit is None here, 0 in a submit
    if isinstance(deadline := settings.get("deadline"), dict):
        spec |= deadline
    if conditions := _conditions(settings):
        spec["conditions"] = conditions
    for name, field in _SPEC_FIELDS.items():
        if name in settings:
            spec[field] = settings[name]
    if isinstance(nodes := settings.get("nodes"), NodeRange) and "gpus" not in settings:
        spec["most_nodes"] = nodes.most
    if spec.get("mem_mib") == 0:
        spec["all_mem"] = True
    return spec | devices_in(settings)


def _conditions(settings: Settings) -> dict[str, Any]:
    """Return the ConditionsSpec; an empty one if the job may start at once."""
    conditions: dict[str, Any] = {"hold": True} if settings.get("hold") else {}
    for name in ("begin", "dependency"):
        fields = settings.get(name)
        if isinstance(fields, dict):
            conditions |= fields
    if conditions and settings.get("kill-on-invalid-dep"):
        conditions["end_if_never"] = True
    return conditions


def _given(settings: Settings, name: str) -> str | None:
    value = settings.get(name)
    return None if value is None else str(value)


def _connected(settings: Settings) -> Client:
    """Return a client of the daemon that the options name."""
    return Client(
        _given(settings, "server"),
        _given(settings, "token-file"),
        _given(settings, "ca-file"),
        notice=cli.notice(_PROGRAM),
    )


def _submit(spec: dict[str, Any], settings: Settings) -> int:
    with _connected(settings) as client:
        if settings.get("test-only"):
            return _test(client, spec, settings)
        [job] = client.submit([spec])
        if spec.get("mail_types") and not job.get("mail_types"):
            _remark("--mail-type: this site sends no mail")
        if spec.get("nice") and not job.get("nice"):  # older daemons do not tell it
            _remark("--nice: it has no effect now, since this cluster's order has no points")
        try:
            _print_submitted(job, settings)
            return _code_of(client, job["job_id"], settings)
        except StdoutError:
            cli.notice(_PROGRAM)(
                f"job {job['job_id']} was submitted, but this could not be printed"
            )
            raise
        except KeyboardInterrupt:
            cli.notice(_PROGRAM)(f"job {job['job_id']} goes on; 'rdel {job['job_id']}' ends it")
            raise


def _restart(name: str, settings: Settings, words: Words) -> int:
    """Have a job that is over run again. Returns the exit code; with --wait, that of the job."""
    others = [f"--{one}" for one in sorted(set(settings) - _OF_RESTARTS)]
    if others := [*others, *words.rest, *(["--"] if words.dashes else [])]:
        raise UsageError(
            f"--restart runs a job as it was submitted: '{others[0]}' cannot be given with it"
        )
    names = cli.job_names([name])
    if len(names) > 1 or "[" in name:
        raise UsageError(f"--restart: '{name}' is more than one job")
    with _connected(settings) as client:
        job = client.change(names[0], "restart")
        if settings.get("json"):
            print(json.dumps({"schema": "rmsd.submitted/1", "jobs": [job]}))
        else:
            print(job["job_id"] if settings.get("parsable") else f"Restarted job {job['job_id']}")
        sys.stdout.flush()
        return _code_of(client, job["job_id"], settings)


def _run_interactive(from_line: Settings, words: Words) -> int:
    """Submit a job with a terminal, and be at it. Returns the exit code of the job; 0 if its user
    leaves before."""
    from rmsd_client.sessions.interactive import attend, terminal_script

    if words.rest and not words.dashes:
        raise UsageError(f"--interactive runs a command: say -- {words.rest[0]}, not a script")
    for name in ("array", "wrap", "wait", "test-only", "parsable", "json", "output", "error"):
        if name in from_line:
            raise UsageError(f"--interactive: --{name} cannot be given with it")
    command = words.rest or [os.environ.get("SHELL") or "/bin/sh"]
    from_all = {"job-name": "interactive", **_all_settings(_Source("", ""), from_line)}
    hangup_s = from_all.get("hangup")
    assert hangup_s is None or isinstance(hangup_s, float)
    source = _Source("interactive", terminal_script(command, hangup_s))
    settings = {**from_all, "output": os.devnull, "requeue": False, "restartable": False}
    settings.pop("error", None)
    with _connected(settings) as client:
        [job] = client.submit([_make_spec(source, settings)])
        ended = attend(client, lambda: _connected(settings), job["job_id"])
    if ended is None:
        return 0
    _complain_of_end(ended)
    return exit_code_of(ended)


def _code_of(client: Client, job_id: int, settings: Settings) -> int:
    """Return 0 at once; with --wait, the exit code of the job when it is over."""
    if not settings.get("wait"):
        return 0
    client.retry_for_s = _WAIT_RETRY_S
    ended = client.wait(job_id)
    if ended.get("array_tasks") is not None:
        from rmsd_client.show.failed_tasks import name_a_failed_task  # costs milliseconds

        name_a_failed_task(client, ended)
    _complain_of_end(ended)
    return exit_code_of(ended)


def _test(client: Client, spec: dict[str, Any], settings: Settings) -> int:
    """Print when and where the job would start; nothing is submitted."""
    from rmsd_client.show.tested import why_unknown, would_start  # few submits need it

    told = client.test_submit(spec)
    line = would_start(told)
    if settings.get("json"):
        print(json.dumps(told))
    elif line is not None:
        print(line)
    if line is None:
        cli.complain(_PROGRAM, why_unknown(told))
    return 0 if line is not None else EXIT_FAILURE


def _print_submitted(job: dict[str, Any], settings: Settings) -> None:
    if settings.get("json"):
        print(json.dumps({"schema": "rmsd.submitted/1", "jobs": [job]}))
    elif settings.get("parsable"):
        print(job["job_id"])
    else:
        print(f"Submitted batch job {job['job_id']}")
    sys.stdout.flush()
    if sys.stderr.isatty() and not settings.get("quiet"):
        print(f"{_PROGRAM}: {cli.printable(_effective(job))}", file=sys.stderr)


def _effective(job: dict[str, Any]) -> str:
    """Return the job's resources in words, defaults included."""
    parts = [f"limit {format_duration(job['time_limit_s'])}", cli.plural(job["tasks"], "task")]
    parts.append(cli.plural(job["cpus"], "cpu"))
    if job["nodes"]:
        parts.append(cli.plural(job["nodes"], "node"))
    if job.get("exclusive"):
        parts.append("whole nodes")
    elif job.get("all_mem"):
        parts.append("all memory of its nodes")
    elif by_cpu := job.get("mem_per_cpu_mib"):
        parts.append(f"{format_mem(by_cpu)} for each cpu")
    else:
        parts.append(f"{format_mem(job['mem_mib'])} a node" if job["mem_mib"] else "any memory")
    parts += [f"{job['gres']} a node"] if job.get("gres") else []
    parts += [f"{job['gres_per_task']} a task"] if job.get("gres_per_task") else []
    tasks = job.get("array_tasks")
    of_array = "" if tasks is None else f"array of {cli.plural(tasks, 'task')}, each with "
    return f"{of_array}{', '.join(parts)}, output to {job['stdout']}"


def _complain_of_end(job: dict[str, Any]) -> None:
    """Print on stderr what the job's output does not show, such as why it could not be started."""
    if job["message"] or job.get("cause") in ("limit", "user"):
        from rmsd_client.show.job_text import (  # costs milliseconds, and only errors need it
            how_it_ended,
        )

        cli.complain(_PROGRAM, f"job {job['job_id']}: {how_it_ended(job)}")


def exit_code_of(job: dict[str, Any]) -> int:
    """Return the job's own exit code, or 128 + the signal that ended it; never 0 unless it
    COMPLETED."""
    if job["state"] == "COMPLETED":
        return 0
    if job["signal"]:
        return (EXIT_SIGNAL + int(job["signal"])) & 255 or EXIT_FAILURE
    return int(job["exit_code"] or 0) & 255 or EXIT_FAILURE  # exit codes are one byte
