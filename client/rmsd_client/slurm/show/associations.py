"""Users, accounts, associations, QOS and shares, as the rows that `sacctmgr` and `sshare` show."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.site import CLUSTER
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.times import long_duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Json = dict[str, Any]
    Row = dict[str, str]

KINDS = frozenset({"user", "account", "association", "qos"})
"""The entities of `sacctmgr list` whose rows are here."""
_ROOT = "root"
"""Slurm's name for the top of the tree of accounts."""


def rows(client: Client, kind: str, words: Sequence[str], *, with_associations: bool) -> list[Row]:
    """Return the rows of an entity, chosen by words such as `user=ann` or `where account=lab`."""
    found = client.accounts()
    if kind == "qos":
        names = _chosen(words, "name", "qos")
        preempted = {name for one in found["qos"] for name in one.get("preempts", ())}
        told = [one for one in found["qos"] if not names or one["name"] in names]
        return [_qos(one, preempted) for one in told]
    if kind == "account":
        names = _chosen(words, "name", "account")
        return [_account(one) for one in found["accounts"] if not names or one["name"] in names]
    accounts = _chosen(words, "account", bare=False)
    if kind == "user":
        users = _chosen(words, "user", "name") or [of.me(client)]
        return [
            row
            for user in users
            if _is_account(user)
            for row in _user(client, found, user, with_associations=with_associations)
            if not accounts or row["account"] in accounts
        ]
    users = _chosen(words, "user", bare=False)
    return [
        row
        for row in _associations(found)
        if (not users or row["user"] in users) and (not accounts or row["account"] in accounts)
    ]


def _chosen(words: Sequence[str], *keys: str, bare: bool = True) -> list[str]:
    """Return the values that words give for one of the keys. Words without a key are values, too,
    if `bare`."""
    values: list[str] = []
    for word in words:
        key, equals, value = word.partition("=")
        lower = key.lower()
        if not equals:
            value = word if bare and lower != "where" and "assoc" not in lower else ""
        elif lower.removesuffix("s") not in keys:
            value = ""
        values += [one for one in value.split(",") if one]
    return values


def _is_account(name: str) -> bool:
    """Return whether the system has an account of this name: these are the users."""
    import pwd

    try:
        pwd.getpwnam(name)
    except (KeyError, ValueError):
        return False
    return True


# ---------------------------------------------------------------- sacctmgr


def _account(account: Json) -> Row:
    return {
        "account": account["name"],
        "descr": account["name"],
        "org": account["parent"] or account["name"],
        "parentname": account["parent"] or _ROOT,
        "cluster": CLUSTER,
    }


def _user(client: Client, found: Json, user: str, *, with_associations: bool) -> list[Row]:
    """Return the row of a user, or one for each account that the user is a member of."""
    if user != found["user"]:
        found = client.accounts(user)  # only operators are told of others
    is_told = found["user"] == user
    row = {
        "user": user,
        "defaultaccount": found["default_account"] if is_told else "",
        "account": "",
        "cluster": CLUSTER,
        "adminlevel": "None",
        "qos": _qos_names(found),
        "share": "1",
    }
    own = [one["name"] for one in found["accounts"] if one["is_own"]] if is_told else []
    if not with_associations or not own:
        return [{**row, "account": row["defaultaccount"]}]
    return [{**row, "account": name, "qos": _qos_names(found, name)} for name in own]


def _associations(found: Json) -> Iterator[Row]:
    """Yield the row of the top, then those of each account and of its members. Members of a group
    are told as far as they are the caller."""
    all_of = {"cluster": CLUSTER, "share": "1", "qos": _qos_names(found)}
    yield {**all_of, "account": _ROOT, "user": "", "parentname": ""}
    for account in found["accounts"]:
        limits = _limits(account["limits"], "maxjobs", "maxtres", "maxsubmit")
        name = account["name"]
        row = {**all_of, **limits, "account": name, "qos": _qos_names(found, name), "user": ""}
        share = str(account.get("shares", 1))  # older daemons do not tell them
        yield {**row, "parentname": account["parent"] or _ROOT, "share": share}
        users = {name: None for name in account["members"] or () if not name.startswith("@")}
        if account["is_own"]:
            users[found["user"]] = None
        for user in users:
            yield {**row, **dict.fromkeys(_OF_GROUPS, ""), "user": user, "parentname": ""}


_OF_GROUPS = ("grpjobs", "grptres", "grpsubmit")


def _qos(qos: Json, preempted: Collection[str]) -> Row:
    """Return the row of a QOS. The mode of one that no other preempts is without effect; Slurm's
    word for a mode that is not set is "cluster"."""
    preempts = qos.get("preempts", [])  # older daemons do not tell them
    is_preempted = qos["name"] in preempted
    return {
        "name": qos["name"],
        "priority": str(qos.get("priority", 0)),
        "gracetime": long_duration(qos.get("preempt_grace_s") or 0),
        "preempt": ",".join(preempts),
        "preemptmode": qos["preempt"] if is_preempted else "cluster",
        "preemptexempttime": long_duration(qos.get("preempt_exempt_s") or 0),
        **_limits(qos["limits"], "maxjobspu", "maxtrespu", "maxsubmitpu"),
    }


def _limits(limits: Json, jobs: str, tres: str, submit: str) -> Row:
    """Return the limits of an account or a QOS; the names are Slurm's for those of one user."""
    return {
        "grpjobs": _number(limits["max_running"]),
        "grptres": _cpus(limits["max_cpus"]),
        "grpsubmit": _number(limits["max_submitted"]),
        jobs: _number(limits["max_running_per_user"]),
        tres: _cpus(limits["max_cpus_per_user"]),
        submit: _number(limits["max_submitted_per_user"]),
        "maxwall": _time(limits["max_time_s"]),
        "maxtresmins": _cpus(limits.get("max_cpu_minutes")),  # older daemons do not tell it
    }


def _qos_names(found: Json, account: str = "") -> str:
    """Return the QOS that the user may have, or the jobs of an account, as far as that is known."""
    return ",".join(
        one["name"]
        for one in found["qos"]
        if one["users"] is not None
        and (not account or not one["accounts"] or account in one["accounts"])
    )


def _number(limit: int | None) -> str:
    return "" if limit is None else str(limit)


def _cpus(limit: int | None) -> str:
    return "" if limit is None else f"cpu={limit}"


def _time(limit_s: float | None) -> str:
    return "" if limit_s is None else long_duration(limit_s)


# ---------------------------------------------------------------- sshare


def shares(client: Client, users: Sequence[str], *, of_all: bool, only_users: bool) -> list[Row]:
    """Return the row of the top and of the accounts that have shares, unless `only_users`, and
    those of users: the caller by default. All users have equal shares, within their accounts if
    these have shares; else they stand below the top."""
    told = client.accounts(of_all=of_all or bool(users))
    found = told["shares"]
    accounts = [] if only_users else _shares_of_accounts(told["accounts"])
    if users and not of_all:
        found = [one for one in found if one["user"] in users]
    if not found and not accounts:
        return []
    head = [] if only_users else [{"account": _ROOT, "user": "", "cluster": CLUSTER,
                                   "effectvusage": "1.000000"}]  # fmt: skip
    within: dict[str, list[Row]] = {}
    for share in map(_share, found):
        within.setdefault(share["account"] if accounts else "", []).append(share)
    rows = head + within.pop("", [])
    for account in accounts:
        rows += [account, *within.pop(account["account"], [])]
    return rows + [row for others in within.values() for row in others]


def of_accounts(rows: list[Row], names: str | None) -> list[Row]:
    """Return the rows of the accounts with these names; all, if no names are given."""
    return [row for row in rows if row["account"] in names.split(",")] if names else rows


def _shares_of_accounts(accounts: Sequence[Json]) -> list[Row]:
    """Return the rows of the accounts; none unless the recipe divides shares by them."""
    return [
        {
            **_used(share),
            "account": one["name"],
            "user": "",
            "rawshares": str(one["shares"]),
            "normshares": "" if share["share"] is None else f"{share['share']:.6f}",
        }
        for one in accounts
        if (share := one.get("fair_share")) is not None  # older daemons do not tell it
    ]


def _share(share: Json) -> Row:
    return {**_used(share), "account": share["account"], "user": share["user"], "rawshares": "1"}


def _used(share: Json) -> Row:
    part = f"{share['part']:.6f}"
    return {
        "cluster": CLUSTER,
        "rawusage": str(round(share["used_s"])),
        "normusage": part,
        "effectvusage": part,
        "fairshare": f"{share['factor']:.6f}",
    }
