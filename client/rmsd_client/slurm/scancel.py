"""`scancel`: cancel jobs, or send them a signal."""

from __future__ import annotations

import contextlib
import os

from rmsd_client.api import MOST_AT_ONCE, Client
from rmsd_client.console.cli import printable, tell
from rmsd_client.errors import ApiError
from rmsd_client.slurm.command_lines.clusters import check_clusters
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    YES,
    Opt,
    Table,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import (
    ALREADY_OVER,
    INVALID_JOB,
    PERMISSION_DENIED,
    SlurmError,
    reason_of,
    run,
)
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.hosts import is_on, named_nodes
from rmsd_client.slurm.words.part_views import check_whole
from rmsd_client.submit.options import BY_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Job = dict[str, Any]
    Options = dict[str, str]

SCANCEL = Table(
    "scancel",
    (
        Opt("A", "account", YES),
        Opt("b", "batch", NO),
        Opt("c", "ctld", NO, IGNORED),
        Opt("", "cron", NO, IGNORED),
        Opt("f", "full", NO),
        Opt("", "help", NO),
        Opt("H", "hurry", NO, IGNORED),
        Opt("i", "interactive", NO),
        Opt("M", "clusters", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("", "me", NO),
        Opt("n", "name", YES),
        Opt("", "jobname", YES),
        Opt("w", "nodelist", YES),
        Opt("p", "partition", YES),
        Opt("q", "qos", YES),
        Opt("Q", "quiet", NO),
        Opt("R", "reservation", YES),
        Opt("", "sibling", MAYBE, IGNORED),
        Opt("s", "signal", YES),
        Opt("t", "state", YES),
        Opt("", "usage", NO),
        Opt("u", "user", YES),
        Opt("v", "verbose", NO),
        Opt("V", "version", NO),
        Opt("", "wckey", YES, DIFFERS, "no job has any"),
    ),
)

VARIABLES = {
    "SCANCEL_ACCOUNT": "account", "SCANCEL_BATCH": "batch", "SCANCEL_FULL": "full",
    "SCANCEL_INTERACTIVE": "interactive", "SCANCEL_NAME": "name",
    "SCANCEL_PARTITION": "partition", "SCANCEL_QOS": "qos", "SCANCEL_STATE": "state",
    "SCANCEL_USER": "user", "SCANCEL_VERBOSE": "verbose", "SCANCEL_WCKEY": "wckey",
}  # fmt: skip

_SELECTIVE = ("account", "me", "name", "nodelist", "partition", "qos", "reservation", "state",
              "user", "wckey")  # fmt: skip


_ACCESS_DENIED, _NOT_OWN_STEP, _NO_STEP, _NO_CHANGE_NOW = 210, 218, 225, 228
"""Exit codes: Slurm's numbers of these errors, 2002, 2010, 2017 and 2020, modulo 256."""


def main() -> int:
    return run("scancel", scancel, "scancel: error: slurm_kill_job2() failed")


def scancel(argv: Sequence[str]) -> int:
    """Cancel jobs; returns the exit code."""
    found, words = SCANCEL.read(argv, permute=True)
    options: Options = {
        name: os.environ[variable] for variable, name in VARIABLES.items() if variable in os.environ
    }
    for option, value in found:
        options["name" if option.long == "jobname" else option.long] = value or ""
    if "help" in options or "usage" in options:
        print(help_of(SCANCEL, "scancel [OPTIONS] [job_id[_array_id][.step_id]]"))
        return 0
    if "version" in options:
        print(f"slurm {VERSION}")
        return 0
    check_clusters("scancel", options)
    if "quiet" in options:
        options.pop("verbose", None)
    if "signal" in options:
        _signal_number(options["signal"])  # a wrong one is an error, whatever jobs there are
    wanted = [one for word in words for one in _ids(word)]
    if "user" in options:
        options["user"] = of.users_of(options["user"], "scancel")
    if "state" in options and not options["state"].strip(","):
        raise of.no_state("scancel", options["state"])
    if not words and not any(name in options for name in _SELECTIVE):
        raise SlurmError("scancel: error: No job identification provided")
    if "nodelist" in options:
        named_nodes("scancel", options["nodelist"])  # a wrong list is an error without jobs, too
    steps = [one for one in wanted if one.step]
    with Client() as client:
        code = max((_end_step(client, one, options) for one in steps), default=0)
        if len(steps) < len(wanted) or not words:
            named = [one for one in wanted if not one.step]
            code = max(code, _end_jobs(client, named, options))
    return code


def _end_jobs(client: Client, wanted: Sequence[of.Wanted], options: Options) -> int:
    """Cancel jobs or send them a signal: those that are named, else all that the options select."""
    selective = any(name in options for name in _SELECTIVE)
    signals = "signal" in options or "batch" in options
    if not (selective or signals or "verbose" in options or "interactive" in options):
        return _cancel(client, [one.name for one in wanted])
    jobs = of.find(client, wanted, brief=True) if wanted else client.jobs(brief=True)
    chosen = [job for job in jobs if not of.is_over(job) and _fits(client, job, options)]
    code = 0
    if selective or signals or "interactive" in options:
        code = _not_there(wanted, jobs, options)
    elif "verbose" in options:
        _tell_gone(wanted, jobs)
    if "interactive" in options:
        chosen = [job for job in chosen if _confirmed(job)]
    for job in chosen if "verbose" in options else ():
        tell(f"scancel: Terminating job {of.text_id(job)}")
    if signals:
        return _signal(client, chosen, options) or code
    return _cancel_selected(client, chosen) or code


def _end_step(client: Client, wanted: of.Wanted, options: Options) -> int:
    """Send a signal to a step, KILL if none is named; its job goes on. Returns the exit code."""
    signal = _signal_number(options.get("signal", "KILL"))
    found = of.find(client, [wanted], brief=True)
    if all(of.is_over(job) for job in found):
        return _no_job_of_step(client, wanted, options, is_seen=bool(found))
    code = 0
    for job in found:
        if job["state"] == "PENDING" or of.is_over(job) or not _fits(client, job, options):
            continue  # a job that waits has no steps, which is no error in Slurm
        name = f"{of.text_id(job)}.{wanted.step}"
        if "interactive" in options and not _confirmed(job, f"step_id={name}"):
            continue
        if "verbose" in options:
            tell(f"scancel: Signal {signal} to step {name}")
        try:
            client.signal_step(job["job_id"], int(wanted.step), signal)
        except ApiError as error:
            is_missing = error.status == 404
            if is_missing and "signal" in options:
                continue  # a step that is over takes no signal any more; Slurm is silent, too
            _tell_of_step(str(job["job_id"]), reason_of(error))
            code = max(code, _NO_STEP if is_missing else 1)
    return code


def _no_job_of_step(client: Client, wanted: of.Wanted, options: Options, *, is_seen: bool) -> int:
    """Tell that the job of a step is over, not there, or not the caller's; returns the exit
    code."""
    if not is_seen and of.is_not_seen(client, wanted.name):
        _tell_of_step(wanted.name, "Invalid user id")
        return _NOT_OWN_STEP
    if "quiet" not in options:
        _tell_of_step(f"{wanted.name}.{wanted.step}", INVALID_JOB)
    return 1


def _tell_of_step(name: str, why: str) -> None:
    """Tell why a signal has not reached a step. As in Slurm, the name of a step of a job that runs
    is the job's number alone."""
    tell(f"scancel: error: Kill job error on job step id {name}: {why}")


def _ids(word: str) -> list[of.Wanted]:
    try:
        found = of.parse_ids(word, "scancel")
    except SlurmError:
        found = []
    check_whole("scancel", found)
    numbers = [one.step for one in found if one.step]
    if not found or not all(one.isascii() and one.isdigit() and len(one) < 10 for one in numbers):
        raise SlurmError(f"scancel: error: Invalid job id {word}")
    return found


def _fits(client: Client, job: Job, options: Options) -> bool:
    if "me" in options and job["user"] != of.me(client):
        return False
    states = of.parse_states(options["state"], "scancel") if "state" in options else None
    if states is not None and job["state"] not in states:
        return False
    for chosen, value in (
        (options.get("user"), job["user"]),
        (options.get("name"), job["name"]),
        (options.get("partition"), of.partition(job)),
        (options.get("account"), of.account(job)),
        (options.get("qos"), of.qos(job)),
        (options.get("wckey"), ""),
        (options.get("reservation"), of.reservation(job)),
    ):
        if chosen is not None and (not chosen or value not in chosen.split(",")):
            return False
    if "nodelist" in options:
        return is_on(job, named_nodes("scancel", options["nodelist"]))
    return True


def _not_there(wanted: Sequence[of.Wanted], jobs: Sequence[Job], options: Options) -> int:
    """Tell which of the jobs are over or not there, which is an error where Slurm looks at jobs
    before it ends them; returns the exit code."""
    live = [job for job in jobs if not of.is_over(job)]
    gone = [one.name for one in wanted if not any(one.is_job(job) for job in live)]
    for name in gone if "quiet" not in options else ():
        tell(f"scancel: error: Kill job error on job id {name}: {INVALID_JOB}")
    return 1 if gone else 0


def _tell_gone(wanted: Sequence[of.Wanted], jobs: Sequence[Job]) -> None:
    """Tell which of the jobs are over or not there, which is no error."""
    for one in wanted:
        found = [job for job in jobs if one.is_job(job)]
        if all(of.is_over(job) for job in found):
            why = ALREADY_OVER if found else INVALID_JOB
            tell(
                f"scancel: Terminating job {one.name}",
                f"scancel: error: Kill job error on job id {one.name}: {why}",
            )


def _confirmed(job: Job, subject: str = "") -> bool:
    subject = subject or f"job_id={of.text_id(job)}"
    question = f"Cancel {subject} name={job['name']} partition={of.partition(job)}"
    print(f"{printable(question)} [y/n]? ", end="", flush=True)
    try:
        return input().strip().lower().startswith("y")
    except EOFError:
        return False


def _cancel_selected(client: Client, jobs: Sequence[Job]) -> int:
    """Cancel jobs, those that wait first. The row of an array stands for the tasks that wait."""
    jobs = sorted(jobs, key=lambda job: (job["state"] != "PENDING", -job["job_id"]))
    waiting = [job["job_id"] for job in jobs if job.get("array_task_str")]
    if waiting:
        with contextlib.suppress(ApiError):
            client.cancel_named(waiting=waiting)
    return _cancel(client, [str(j["job_id"]) for j in jobs if j["job_id"] not in waiting])


def _cancel(client: Client, names: Sequence[str]) -> int:
    """Cancel jobs all at once, so that none starts on what another one leaves. One that has just
    ended is no error, and neither is one that is not there."""
    names = list(dict.fromkeys(names))
    for at in range(0, len(names), MOST_AT_ONCE):
        some = names[at : at + MOST_AT_ONCE]
        try:
            if len(some) == 1 and "[" not in some[0]:
                client.cancel(some[0])  # a job may do this with its own token
            else:
                client.cancel_named(some)
        except ApiError as error:
            if len(some) > 1:
                codes = [_cancel(client, [name]) for name in some]
                return max(codes, default=0)
            return _refused(client, some[0], error)
    return 0


def _refused(client: Client, name: str, error: ApiError) -> int:
    """Tell why a job is not cancelled; returns the exit code. A job that is over or that is not
    there is no error."""
    unseen = error.status == 404 and of.is_not_seen(client, name)
    if error.status in (404, 409) and not unseen:
        return 0
    why = PERMISSION_DENIED if unseen else reason_of(error)
    tell(f"scancel: error: Kill job error on job id {name}: {why}")
    return _ACCESS_DENIED if why == PERMISSION_DENIED else 1


def _signal_number(name: str) -> int:
    try:
        found = BY_NAME["signal"].parse(f"{name}@0")
    except ValueError:
        raise SlurmError(f"Unknown job signal: {name}") from None
    assert isinstance(found, dict)
    return int(found["number"])


def _signal(client: Client, jobs: Sequence[Job], options: Options) -> int:
    """Send a signal to the steps of jobs, with --batch to their scripts, with --full to both. As in
    Slurm, KILL ends a job, and what waits is cancelled only if no signal is named."""
    name = options.get("signal", "TERM" if "batch" in options else "KILL")
    number = _signal_number(name)
    if number == 9 and "batch" not in options:
        return _cancel_selected(client, jobs)
    whom = "script" if "batch" in options else "all" if "full" in options else "steps"
    code = 0
    for job in jobs:
        if job["state"] == "PENDING":
            why = "Job can not be altered now, try again later"
            tell(f"scancel: error: Kill job error on job id {of.text_id(job)}: {why}")
            code = _NO_CHANGE_NOW
            continue
        try:
            client.signal_job(job["job_id"], number, whom)
        except ApiError as error:
            code = _refused(client, of.text_id(job), error) or code
    return code
