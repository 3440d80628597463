"""The rows of sacctmgr and sshare in columns, with Slurm's titles."""

from __future__ import annotations

import sys

from rmsd_client.console.cli import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_WIDTH = 10
_MOST_WIDTH = 10_000

ENTITY_TITLES = {
    **{
        title.lower(): title
        for title in (
            *("User", "Cluster", "Account", "Partition", "Share", "GrpJobs", "GrpTRES"),
            *("GrpSubmit", "GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxJobs", "MaxTRES"),
            *("MaxTRESMins", "MaxSubmit", "MaxWall", "QOS", "Descr", "Org", "ControlHost"),
            *("ControlPort", "RPC", "Name", "Priority", "GraceTime", "Preempt", "PreemptMode"),
            *("PreemptExemptTime", "Flags", "MaxTRESPU", "MaxJobsPU", "MaxSubmitPU", "Type", "ID"),
            *("WCKey", "TRES", "NodeName", "State", "Server", "Time", "Action", "Actor"),
        )
    },
    "defaultaccount": "Def Acct",
    "defaultqos": "Def QOS",
    "adminlevel": "Admin",
    "parentname": "Par Name",
}
"""The titles of the fields of sacctmgr, by name."""
_OTHER_NAMES = {
    "description": "descr",
    "organization": "org",
    "fairshare": "share",
    "shares": "share",
    "grpsubmitjobs": "grpsubmit",
    "maxsubmitjobs": "maxsubmit",
    "maxwalldurationperjob": "maxwall",
    "maxtresperjob": "maxtres",
    "maxtresminsperjob": "maxtresmins",
    "maxtresperuser": "maxtrespu",
    "maxjobsperuser": "maxjobspu",
    "maxsubmitjobsperuser": "maxsubmitpu",
}

SHARE_TITLES = {
    title.lower(): title
    for title in (
        *("Account", "User", "RawShares", "NormShares", "RawUsage", "NormUsage", "EffectvUsage"),
        *("FairShare", "LevelFS", "Partition", "Cluster", "TRESRunMins", "GrpTRESMins"),
    )
}
"""The titles of the fields of sshare, by name."""


def print_entities(
    columns: Sequence[str],
    rows: Sequence[Mapping[str, str]],
    options: Collection[str],
    titles: Mapping[str, str] = ENTITY_TITLES,
) -> None:
    """Print rows in columns, each with `NAME%WIDTH`, as -n, -p and -P say."""
    keys: list[str] = []
    shown: list[str] = []
    widths: list[int] = []
    for column in columns:
        name, _, width = column.partition("%")
        digits = width.removeprefix("-")
        usable = digits.isascii() and digits.isdigit() and len(digits) < 6
        keys.append(_key_of(name.lower(), titles))
        shown.append(titles.get(keys[-1], name))
        widths.append(int(width) if usable else _WIDTH)
    last = "|" if "parsable" in options and "parsable2" not in options else ""
    plain = "parsable" in options or "parsable2" in options
    lines = []
    if "noheader" not in options:
        cut = [title[: abs(width)] for title, width in zip(shown, widths, strict=True)]
        lines.append("|".join(shown) + last if plain else _padded(cut, widths))
        if not plain:
            lines.append("".join("-" * min(abs(width), _MOST_WIDTH) + " " for width in widths))
    for row in rows:
        values = [printable(row.get(key, "")) for key in keys]
        lines.append("|".join(values) + last if plain else _padded(values, widths))
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _key_of(name: str, titles: Mapping[str, str]) -> str:
    """Return the field of a name, which may be another one for it or its beginning."""
    if name in titles:
        return name
    if titles is ENTITY_TITLES and name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    return next((key for key in titles if len(name) > 1 and key.startswith(name)), name)


def _padded(values: Sequence[str], widths: Sequence[int]) -> str:
    line = ""
    for text, width in zip(values, widths, strict=True):
        size = min(abs(width), _MOST_WIDTH)
        cut = text if len(text) <= size else text[: size - 1] + "+"
        line += (cut.ljust(size) if width < 0 else cut.rjust(size)) + " "
    return line
