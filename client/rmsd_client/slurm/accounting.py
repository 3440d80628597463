"""`sacctmgr`, `sshare`, `sprio` and `sdiag`: accounts, QOS and shares as Slurm shows them."""

from __future__ import annotations

import sys
import time

from rmsd_client.api import Client
from rmsd_client.show.priorities import priorities_by_id
from rmsd_client.slurm.command_lines.clusters import check_clusters
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    REFUSED,
    YES,
    Found,
    Opt,
    Table,
    check_supported,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import SlurmError, run
from rmsd_client.slurm.command_lines.site import CLUSTER, VERSION
from rmsd_client.slurm.fields.entity_rows import SHARE_TITLES, print_entities
from rmsd_client.slurm.fields.formats import ShownField, line_of, parse_letters
from rmsd_client.slurm.show import associations
from rmsd_client.slurm.words import jobs as of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

_COMMON = (
    Opt("h", "help", NO),
    Opt("", "usage", NO),
    Opt("V", "version", NO),
    Opt("v", "verbose", NO, IGNORED),
)

SACCTMGR = Table(
    "sacctmgr",
    (
        *_COMMON,
        Opt("i", "immediate", NO, IGNORED),
        Opt("n", "noheader", NO),
        Opt("o", "oneliner", NO, IGNORED),
        Opt("p", "parsable", NO),
        Opt("P", "parsable2", NO),
        Opt("Q", "quiet", NO, IGNORED),
        Opt("r", "readonly", NO, IGNORED),
        Opt("s", "associations", NO),
        Opt("", "json", MAYBE, REFUSED, "sacctmgr -P is for programs"),
        Opt("", "yaml", MAYBE, REFUSED, "sacctmgr -P is for programs"),
    ),
)

SSHARE = Table(
    "sshare",
    (
        *(option for option in _COMMON if option.long != "help"),
        Opt("", "help", NO),
        Opt("A", "accounts", YES),
        Opt("a", "all", NO),
        Opt("o", "format", YES),
        Opt("l", "long", NO),
        Opt("M", "clusters", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("m", "partition", NO, IGNORED),
        Opt("h", "noheader", NO),
        Opt("n", "noheader2", NO),
        Opt("p", "parsable", NO),
        Opt("P", "parsable2", NO),
        Opt("u", "users", YES),
        Opt("U", "Users", NO),
    ),
)

SPRIO = Table(
    "sprio",
    (
        *(option for option in _COMMON if option.long != "help"),
        Opt("", "help", NO),
        Opt("o", "format", YES),
        Opt("j", "jobs", YES),
        Opt("l", "long", NO, IGNORED),
        Opt("M", "cluster", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("", "clusters", YES, DIFFERS, "as --cluster"),
        *(Opt("", name, NO, IGNORED) for name in ("federation", "local", "sibling")),
        Opt("h", "noheader", NO),
        Opt("n", "norm", NO, IGNORED),
        Opt("p", "partition", YES),
        Opt("S", "sort", YES, IGNORED),
        Opt("u", "user", YES),
        Opt("w", "weights", NO, IGNORED),
    ),
)

SDIAG = Table(
    "sdiag",
    (
        *_COMMON,
        Opt("a", "all", NO, IGNORED),
        Opt("r", "reset", NO, IGNORED),
        Opt("i", "sort-by-id", NO, IGNORED),
        Opt("t", "sort-by-time", NO, IGNORED),
        Opt("T", "sort-by-time2", NO, IGNORED),
        Opt("M", "cluster", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("", "json", MAYBE, REFUSED, "rmsd status --json is for programs"),
    ),
)

ENTITIES: dict[str, tuple[str, ...]] = {
    "user": ("User", "DefaultAccount", "AdminLevel"),
    "association": (
        "Cluster",
        "Account",
        "User",
        "Partition",
        "Share",
        "GrpJobs",
        "GrpTRES",
        "GrpSubmit",
        "MaxJobs",
        "MaxTRES",
        "MaxSubmit",
        "MaxWall",
        "QOS",
    ),
    "account": ("Account", "Descr", "Org"),
    "cluster": ("Cluster", "ControlHost", "ControlPort", "RPC", "Share", "QOS"),
    "qos": (
        "Name",
        "Priority",
        "GraceTime",
        "Preempt",
        "PreemptMode",
        "Flags",
        "GrpTRES",
        "GrpJobs",
        "GrpSubmit",
        "MaxWall",
        "MaxTRESPU",
        "MaxJobsPU",
        "MaxSubmitPU",
    ),
    "tres": ("Type", "Name", "ID"),
    "configuration": (),
    "wckey": ("WCKey", "Cluster", "User"),
    "reservation": ("Cluster", "Name", "TRES"),
    "event": ("Cluster", "NodeName", "State"),
    "problem": ("Cluster", "Account", "User"),
    "runawayjobs": ("ID", "Name", "Partition"),
    "federation": ("Federation", "Cluster"),
    "resource": ("Name", "Server", "Type"),
    "stats": (),
    "transaction": ("Time", "Action", "Actor"),
}
"""The entities of `sacctmgr list`, with the fields that are shown by default. There are users,
accounts, associations, QOS, a cluster and TRES."""

_NO_ENTITY = (
    "No valid entity in list command",
    'Input line must include "Account", "Association", "Cluster", "Configuration",',
    '"Event", "Federation", "Problem", "QOS", "Resource", "Reservation",',
    '"RunAwayJobs", "Stats", "Transaction", "TRES", "User", or "WCKey"',
)

_TRES = (("cpu", "", "1"), ("mem", "", "2"), ("energy", "", "3"), ("node", "", "4"),
         ("billing", "", "5"))  # fmt: skip


def _begun(table: Table, found: list[Found], usage: str) -> bool:
    """Print the help or the version, if that is asked for. Refuse other clusters than this."""
    names = {option.long for option, _ in found}
    check_supported(table, found)
    check_clusters(table.program, {option.long: value or "" for option, value in found})
    if "version" in names:
        print(f"slurm {VERSION}")
    elif names & {"help", "usage"}:
        print(help_of(table, usage))
    return bool(names & {"version", "help", "usage"})


# ---------------------------------------------------------------- sacctmgr


def main_sacctmgr() -> int:
    return run("sacctmgr", sacctmgr, "sacctmgr: error: slurmdbd")


def sacctmgr(argv: Sequence[str]) -> int:
    """List what there is of accounting; the daemon's configuration alone changes it."""
    found, words = SACCTMGR.read(argv, permute=True)
    if _begun(SACCTMGR, found, "sacctmgr [OPTIONS] [COMMAND]"):
        return 0
    names = {option.long for option, _ in found}
    if words[:1] == ["version"]:
        print(f"slurm {VERSION}")
        return 0
    verb = words[0].lower() if words else ""
    if verb not in ("show", "list"):
        known = ("add", "create", "modify", "delete", "remove", "update", "archive", "load", "dump")
        if verb in known:
            raise SlurmError(
                " Accounts and QOS are in the configuration of the daemon, and users are those of "
                "the system."
            )
        raise SlurmError(f'sacctmgr: error: invalid keyword: "{verb}"' if verb
                         else "sacctmgr: error: no command")  # fmt: skip
    entity = words[1].lower() if len(words) > 1 else ""
    kind = next((name for name in ENTITIES if len(entity) > 1 and
                 (name.startswith(entity) or f"{name}s".startswith(entity))), "")  # fmt: skip
    if not kind:
        raise SlurmError(*_NO_ENTITY)
    if kind in ("configuration", "stats"):
        print(f"ClusterName             = {CLUSTER}\nSLURM_VERSION           = {VERSION}")
        return 0
    columns = list(ENTITIES[kind])
    with_associations = "associations" in names or any("assoc" in w.lower() for w in words[2:])
    if kind == "user" and with_associations:
        columns += ["Cluster", "Account", "Partition", "Share", "QOS"]
    for word in words[2:]:
        key, _, value = word.partition("=")
        if key.lower() in ("format", "fields"):
            columns = [one.strip() for one in value.split(",") if one.strip()]
    rows = _entities(kind, words[2:], with_associations=with_associations)
    print_entities(columns, rows, names)
    return 0


def _entities(kind: str, words: Sequence[str], *, with_associations: bool) -> list[dict[str, str]]:
    """Return the rows of an entity."""
    if kind == "cluster":
        return [{"cluster": CLUSTER, "controlhost": "127.0.0.1", "controlport": "6817",
                 "rpc": "9728", "share": "1", "qos": "normal"}]  # fmt: skip
    if kind == "tres":
        return [{"type": one, "name": name, "id": number} for one, name, number in _TRES]
    if kind not in associations.KINDS:
        return []
    with Client() as client:
        return associations.rows(client, kind, words, with_associations=with_associations)


# ---------------------------------------------------------------- sshare, sprio, sdiag

_SHARE_FIELDS = {
    "account": -20, "user": 10, "rawshares": 10, "normshares": 11, "rawusage": 11,
    "normusage": 11, "effectvusage": 13, "fairshare": 10, "levelfs": 10, "partition": 12,
    "cluster": 10, "tresrunmins": 30, "grptresmins": 30,
}  # fmt: skip
_SHARE_DEFAULT = "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
_SHARE_LONG = (
    "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,"
    "GrpTRESMins,TRESRunMins"
)


def main_sshare() -> int:
    return run("sshare", sshare, "sshare: error: slurmdbd")


def sshare(argv: Sequence[str]) -> int:
    """Show the shares of users. There are none unless the order of the queue is `priority`."""
    found, words = SSHARE.read(argv, permute=True)
    if words:
        raise SlurmError(
            "sshare: error: Unknown arguments:", *(f"sshare: error:  {w}" for w in words)
        )
    if _begun(SSHARE, found, "sshare [OPTIONS...]"):
        return 0
    options = {option.long: value or "" for option, value in found}
    columns = []
    default = _SHARE_LONG if "long" in options else _SHARE_DEFAULT
    for word in filter(None, options.get("format", default).split(",")):
        name, percent, width = word.partition("%")
        if name.lower() not in _SHARE_FIELDS:
            raise SlurmError(f'sshare: error: Invalid field requested: "{name}"')
        columns.append(word if percent and width else f"{name}%{_SHARE_FIELDS[name.lower()]}")
    names = set(options)
    if "noheader2" in names:
        names.add("noheader")
    users = [name for name in options.get("users", "").split(",") if name]
    with Client() as client:
        rows = associations.shares(
            client, users, of_all="all" in options, only_users="Users" in options
        )
    chosen = associations.of_accounts(rows, options.get("accounts"))
    print_entities(columns, chosen, names, SHARE_TITLES)
    return 0


_PRIORITY_FIELDS = (
    ShownField("i", "", "JOBID", of.text_id),
    ShownField("r", "", "PARTITION", of.partition),
    ShownField("u", "", "USER", lambda job: str(job["user"])),
    ShownField("Y", "", "PRIORITY", lambda job: _points(job, "total", "1")),
    ShownField("y", "", "PRIORITY", "0.00000000"),
    ShownField("S", "", "SITE", "0"),
    ShownField("A", "", "AGE", lambda job: _points(job, "age")),
    ShownField("a", "", "AGE", "0.0000000"),
    ShownField("F", "", "FAIRSHARE", lambda job: _points(job, "share")),
    ShownField("f", "", "FAIRSHARE", "0.0000000"),
    ShownField("J", "", "JOBSIZE", lambda job: _points(job, "size")),
    ShownField("P", "", "PARTITION", lambda job: _points(job, "partition")),
    ShownField("Q", "", "QOS", lambda job: _points(job, "qos")),
    ShownField("N", "", "NICE", of.nice),
    ShownField("o", "", "ACCOUNT", of.account),
)
_PRIORITY_DEFAULT = "%.15i %9r %.10Y %.10S"
_PARTS_DEFAULT = _PRIORITY_DEFAULT + " %.10A %.10F %.10J %.10P %.10Q"


def _points(job: Json, part: str, otherwise: str = "0") -> str:
    """Return a part of a job's priority in whole points."""
    priority = job.get("priority")
    return otherwise if priority is None else f"{priority[part]:.0f}"


def main_sprio() -> int:
    return run("sprio", sprio, "slurm_load_jobs error")


def sprio(argv: Sequence[str]) -> int:
    """Show the waiting jobs with their priorities. These are equal unless the recipe orders the
    queue by a sum of points."""
    found, words = SPRIO.read(argv, permute=True)
    if _begun(SPRIO, found, "sprio [OPTIONS]"):
        return 0
    options = {option.long: value or "" for option, value in found}
    ids = ",".join(filter(None, [options.get("jobs", ""), *words]))
    wanted = of.parse_ids(ids, "sprio") if ids else None
    with Client() as client:
        priorities = priorities_by_id(client)
        jobs = client.jobs(states="PD", brief=True, apart=priorities is not None)
    if priorities is not None:
        own = priorities
        jobs = [{**job, "priority": own[id_]} for job in jobs if (id_ := job["job_id"]) in own]
    default = _PRIORITY_DEFAULT if priorities is None else _PARTS_DEFAULT
    chosen = [
        job for job in jobs
        if (wanted is None or any(one.is_job(job) for one in wanted))
        and ("user" not in options or job["user"] in options["user"].split(","))
        and ("partition" not in options or of.partition(job) in options["partition"].split(","))
    ]  # fmt: skip
    if wanted is not None and not chosen:
        print("Unable to find jobs matching user/id(s) specified")
        return 0
    fields = {field.letter: field for field in _PRIORITY_FIELDS}
    problem = "sprio: error: Invalid job format specification"
    parts = parse_letters(options.get("format", default), fields, problem)
    lines = [] if "noheader" in options else [line_of(parts, None)]
    lines += [line_of(parts, job) for job in chosen]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


_NOT_COUNTED: Json = {"submitted": 0, "started": 0, "backfilled": 0, "ended": {}}
"""The counts of an older daemon, which does not tell any."""


def _date(at_s: float) -> str:
    return time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(at_s))


def main_sdiag() -> int:
    return run("sdiag", sdiag, "slurm_get_statistics")


def sdiag(argv: Sequence[str]) -> int:
    """Show how the daemon is, and what has happened to jobs since its start."""
    found, _ = SDIAG.read(argv, permute=True)
    if _begun(SDIAG, found, "sdiag [-aritT]"):
        return 0
    with Client() as client:
        status = client.status()
    jobs: Json = status["jobs"]
    counted = status.get("counted") or _NOT_COUNTED
    ended: dict[str, int] = counted["ended"]
    well, cancelled = ended.get("COMPLETED", 0), ended.get("CANCELLED", 0)
    at_s = time.time()
    since_s = at_s - status["uptime_s"]
    now, since = _date(at_s), _date(since_s)
    rule = "*" * 55
    passes, pass_ms = status["passes"], status["pass_ms"]
    waiting, running = jobs.get("PENDING", 0), jobs.get("RUNNING", 0)
    print(f"""\
{rule}
sdiag output at {now} ({int(at_s)})
Data since      {since} ({int(since_s)})
{rule}
Server thread count:  1
Agent queue size:     0
Agent count:          0
Agent thread count:   0
DBD Agent queue size: 0

Jobs submitted: {counted["submitted"]}
Jobs started:   {counted["started"]}
Jobs completed: {well}
Jobs canceled:  {cancelled}
Jobs failed:    {sum(ended.values()) - well - cancelled}

Job states ts:  {now} ({int(at_s)})
Jobs pending:   {waiting}
Jobs running:   {running}

Main schedule statistics (microseconds):
	Last cycle:   {int(pass_ms.get("p50", 0) * 1000)}
	Max cycle:    {int(pass_ms.get("max", 0) * 1000)}
	Total cycles: {passes}
	Mean cycle:   {int(pass_ms.get("p50", 0) * 1000)}
	Last queue length: {waiting}

Backfilling stats
	Total backfilled jobs (since last slurm start): {counted["backfilled"]}
	Total backfilled jobs (since last stats cycle start): {counted["backfilled"]}
	Total cycles: {passes}
	Last cycle when: {now} ({int(at_s)})
	Last cycle: {int(pass_ms.get("p50", 0) * 1000)}
	Last depth cycle: {waiting}
	Last queue length: {waiting}""")
    return 0
