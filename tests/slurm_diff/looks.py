"""The questions to a site at a moment, and the part of the answers that every run has alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rmsd_client.slurm import sinfo
from rmsd_client.slurm.fields import account_fields, queue_fields
from tests.slurm_diff.site import Site

Values = dict[str, list[str]]
"""The values of each field, one for each row."""

Look = dict[str, Values]
"""The fields of each command."""

QUEUE_LETTERS = "".join(sorted(one.letter for one in queue_fields.FIELDS if one.letter))
NODE_LETTERS = "".join(sorted(one.letter for one in sinfo.FIELDS if one.letter))
QUEUE_NAMES = sorted({name for one in queue_fields.FIELDS for name in one.names})
NODE_NAMES = sorted({name for one in sinfo.FIELDS for name in one.names})
ACCOUNT_NAMES = sorted(
    one.name for one in account_fields.FIELDS if not one.name.startswith("Planned")
)
"""The fields of sacct. Slurm 22.05 has no `Planned...`, which later ones have for `Reserved`."""

_SEPARATOR = "\x1f"
_PAIR = re.compile(r"(?<!\S)([A-Za-z][\w/:&]*)=(.*?)(?=\s+[A-Za-z][\w/:&]*=|\s*$)", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_NUMBER = re.compile(r"\d+")

_IDS = {
    "%A", "%i", "%F", "%E", "jobid", "jobarrayid", "arrayjobid", "dependency", "JobID", "JobIDRaw",
    "JobId", "ArrayJobId", "Dependency",
}  # fmt: skip
_VARYING = {
    "%M", "%L", "timeused", "timeleft", "pendingtime", "Elapsed", "ElapsedRaw", "CPUTime",
    "CPUTimeRAW", "TotalCPU", "UserCPU", "SystemCPU", "MaxRSS", "AveRSS", "AveCPU", "MinCPU",
    "MaxVMSize", "AveVMSize", "Reserved", "ResvCPU", "ResvCPURAW", "Planned", "PlannedCPU",
    "PlannedCPURAW", "RunTime", "DBIndex", "ReqCPUFreq", "%O", "%e", "cpusload", "freemem",
    "CPULoad", "FreeMem", "OS", "Port", "port", "prioritylong", "priority", "%p", "%Q", "Priority",
    "AllocNode:Sid", "allocsid", "MaxDiskRead", "AveDiskRead", "MaxDiskWrite", "AveDiskWrite",
    "MaxPages", "AvePages", "StdErr", "StdOut",
}  # fmt: skip
"""Fields with numbers that no two runs have alike: only their form is compared."""


class Names:
    """The words for the numbers, folders and names of a run."""

    def __init__(self, site: Site, jobs: Mapping[str, str], host: str) -> None:
        self._texts = {str(site.work): "$WORK"}
        self._host = re.compile(rf"\b{re.escape(host)}\b")
        self._jobs = {number: label for label, number in jobs.items()}

    def plain(self, text: str) -> str:
        """Return a text with the same words for what differs in each run."""
        for found, word in self._texts.items():
            text = text.replace(found, word)
        return self._host.sub("<host>", _TIME.sub("<time>", text))

    def message(self, text: str) -> str:
        """Return what a command says, with labels for the numbers of jobs."""
        text = re.sub(
            r"(?<![\w:.-])\d+(?![\w:-])",
            lambda match: f"<{self._jobs[match[0]]}>" if match[0] in self._jobs else match[0],
            text,
        )
        return self.plain(text)

    def value(self, name: str, text: str) -> str:
        """Return the value of a field."""
        text = self.plain(text.strip())
        if name in _IDS:
            return _NUMBER.sub(
                lambda match: f"<{self._jobs[match[0]]}>" if match[0] in self._jobs else match[0]
                if len(match[0]) < 2 else "N",
                text,
            )  # fmt: skip
        return _NUMBER.sub("N", text) if name in _VARYING else text


def _table(names: Names, keys: Sequence[str], lines: Iterable[str]) -> Values:
    rows = [line.split(_SEPARATOR) for line in lines if line]
    return {
        key: [names.value(key, row[index]) for row in rows if index < len(row)]
        for index, key in enumerate(keys)
    }


def _pairs(names: Names, text: str) -> Values:
    found: Values = {}
    for match in _PAIR.finditer(text):
        found.setdefault(match[1], []).append(names.value(match[1], match[2]))
    return found


def of_jobs(site: Site, names: Names, numbers: Sequence[str]) -> Look:
    """Return all that squeue, sacct and scontrol tell of jobs."""
    chosen = ("-j", ",".join(numbers))
    letters = [f"%{letter}" for letter in QUEUE_LETTERS]
    by_letter = _SEPARATOR.join(letters)
    by_name = ",".join(f"{name}:{_SEPARATOR}" for name in QUEUE_NAMES)
    listed = ("squeue", "-h", "-t", "all", "-S", "i", *chosen)
    told = site.run(
        "sacct", "-n", "-P", f"--delimiter={_SEPARATOR}", *chosen, "-o", ",".join(ACCOUNT_NAMES)
    )
    shown = "".join(site.run("scontrol", "show", "job", number).stdout for number in numbers)
    return {
        "squeue -o": _table(names, letters, site.run(*listed, "-o", by_letter).stdout.split("\n")),
        "squeue -O": _table(names, QUEUE_NAMES,
                            site.run(*listed, "-O", by_name).stdout.split("\n")),
        "sacct": _table(names, ACCOUNT_NAMES, told.stdout.split("\n")),
        "scontrol show job": _pairs(names, shown),
    }  # fmt: skip


def by_node(found: Values, node: str, partition: str) -> Values:
    """Return the rows of a table by node and partition: Slurm tells the partitions of a node in an
    order that differs from one command to the next."""
    keys = list(zip(found[node], found[partition], strict=True))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return {key: [values[at] for at in order] for key, values in found.items()}


def of_nodes(site: Site, names: Names) -> Look:
    """Return all that sinfo and scontrol tell of nodes and partitions."""
    letters = [f"%{letter}" for letter in NODE_LETTERS]
    by_letter = _SEPARATOR.join(letters)
    by_name = ",".join(f"{name}:{_SEPARATOR}" for name in NODE_NAMES)
    lettered = site.run("sinfo", "-h", "-N", "-o", by_letter).stdout.split("\n")
    named = site.run("sinfo", "-h", "-N", "-O", by_name).stdout.split("\n")
    told = {
        "sinfo -N -o": by_node(_table(names, letters, lettered), "%N", "%R"),
        "sinfo -N -O": by_node(_table(names, NODE_NAMES, named), "nodelist", "partitionname"),
    }
    for what in ("node", "partition"):
        told[f"scontrol show {what}"] = _pairs(names, site.run("scontrol", "show", what).stdout)
    return told


def of_titles(site: Site, names: Names) -> Look:
    """Return the titles of all fields, and the names of sacct's fields with their widths."""
    titles: Look = {}
    for command, keys, letter in (
        ("squeue", QUEUE_LETTERS, True), ("squeue", QUEUE_NAMES, False),
        ("sinfo", NODE_LETTERS, True), ("sinfo", NODE_NAMES, False),
    ):  # fmt: skip
        fields = [f"%{key}" for key in keys] if letter else list(keys)
        text = (_SEPARATOR if letter else ",").join(
            fields if letter else [f"{key}:{_SEPARATOR}" for key in keys]
        )
        option = "-o" if letter else "-O"
        line = site.run(command, "-t", {"squeue": "BF", "sinfo": "idle"}[command], option, text)
        titles[f"titles of {command} {option}"] = _table(
            names, fields, [line.stdout.split("\n")[0]]
        )
    for name in ACCOUNT_NAMES:
        lines = site.run("sacct", "-j", "99999", "-o", name).stdout.splitlines()
        titles.setdefault("titles of sacct", {})[name] = lines
    titles["names of sacct"] = {
        "fields": [name for name in site.run("sacct", "-e").stdout.split()
                   if not name.startswith("Planned")]
    }  # fmt: skip
    return titles
