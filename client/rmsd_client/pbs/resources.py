"""`-l`: what a job asks for, in the words of OpenPBS (`select`, `place`, `ncpus`) and of Torque
(`nodes`, `ppn`, `procs`)."""

from __future__ import annotations

from rmsd_client.pbs.command_line import DIFFERS, IGNORED, REFUSED, SAME, pass_over
from rmsd_client.pbs.ending import UNKNOWN_RESOURCE, USAGE, PbsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Resources = dict[str, str]

_NO_KINDS = "chunks of several kinds are not supported: give all of them the same resources"
_SHARED = "of all chunks together"

JOB_WIDE = {
    "select": (DIFFERS, "chunks of one kind"),
    "place": (SAME, "free, pack, scatter, vscatter; shared, excl, exclhost, exclusive"),
    "walltime": (SAME, ""),
    "ncpus": (SAME, ""),
    "mem": (SAME, _SHARED),
    "ngpus": (SAME, ""),
    "mpiprocs": (SAME, ""),
    "ompthreads": (SAME, ""),
    "nodes": (DIFFERS, "`N:ppn=P`, or names of nodes; properties are features of nodes"),
    "procs": (SAME, "of Torque: processors, wherever they are"),
    "pmem": (SAME, "of Torque: memory of each process"),
    "naccesspolicy": (DIFFERS, "of Torque: `singlejob` is place=excl"),
    "arch": (IGNORED, ""),
    "nice": (IGNORED, ""),
    "pvmem": (IGNORED, "address space is not limited"),
    "software": (IGNORED, ""),
    "vmem": (IGNORED, "address space is not limited"),
    "cput": (REFUSED, "walltime limits the run time"),
    "file": (REFUSED, "free disk space is not accounted"),
    "max_walltime": (REFUSED, "walltime limits the run time"),
    "min_walltime": (REFUSED, "walltime limits the run time"),
    "pcput": (REFUSED, "walltime limits the run time"),
}
"""The resources of a job: what becomes of each, and what differs."""

IN_CHUNK = {
    "ncpus": (SAME, ""),
    "mem": (SAME, "of each chunk"),
    "mpiprocs": (SAME, "lines of the chunk in the file of nodes"),
    "ompthreads": (SAME, ""),
    "ngpus": (SAME, ""),
    "host": (SAME, "a node that the job must have"),
    "vnode": (SAME, "as host"),
    "ppn": (SAME, "of Torque: ncpus and mpiprocs at once"),
    "gpus": (SAME, "of Torque: as ngpus"),
    "arch": (IGNORED, ""),
    "vmem": (IGNORED, "address space is not limited"),
}
"""The resources of a chunk of `select` or `nodes`."""

_PLACES = ("free", "pack", "scatter", "vscatter")
_SHARING = ("excl", "exclhost", "exclusive", "shared")
_MOST = 1_000_000
_SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
_WORD_BYTES = 8


class Chunk:
    """A chunk of a job: the processors, memory and devices that are on one node."""

    __slots__ = ("count", "features", "hosts", "mem_mib", "mpiprocs", "ncpus", "ngpus", "threads")

    def __init__(self) -> None:
        self.count = 1
        self.ncpus = 1
        self.mpiprocs = 1
        self.threads = 0
        self.mem_mib = 0
        self.ngpus = 0
        self.hosts: list[str] = []
        self.features: list[str] = []

    def kind(self) -> tuple[object, ...]:
        """Return what chunks of one kind have in common."""
        return (self.ncpus, self.mpiprocs, self.threads, self.mem_mib, self.ngpus, self.features)


def read_list(text: str) -> Resources:
    """Return the resources of a `-l`: names and values.

    Raises:
        PbsError: a name is unknown, or has no value.
    """
    found: Resources = {}
    for item in text.split(","):
        name, equals, value = item.strip().partition("=")
        if not name or not equals or not value:
            raise PbsError("qsub: illegal -l value", code=USAGE)
        if name not in JOB_WIDE:
            raise PbsError(f"qsub: Unknown resource: {name}", code=UNKNOWN_RESOURCE)
        fate, note = JOB_WIDE[name]
        if not pass_over("qsub", f"-l {name}", fate, note):
            found[name] = value
    return found


def request_of(resources: Resources) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the fields of a SubmitSpec for the resources, and the variables that PBS sets of them.

    Raises:
        PbsError: a value is unusable, or resources contradict each other.
    """
    chunk, place = _chunk_of(resources), "free"
    if "nodes" in resources:
        place = "scatter"
    place, exclusive = _placed(resources.get("place", ""), place)
    fields: dict[str, Any] = {"tasks": chunk.count, "cpus_per_task": chunk.ncpus}
    if place == "pack":
        fields["nodes"] = 1
    elif place in ("scatter", "vscatter") or (chunk.mem_mib and chunk.count > 1):
        fields["nodes"] = chunk.count  # memory is asked for by the node
    if chunk.mem_mib:
        fields["mem_mib"] = chunk.mem_mib * (chunk.count if place == "pack" else 1)
    if chunk.ngpus:
        fields["gres_per_task"] = f"gpu:{chunk.ngpus}"
    if chunk.hosts:
        fields["nodelist"] = ",".join(dict.fromkeys(chunk.hosts))
    if chunk.features:
        fields["constraint"] = "&".join(chunk.features)
    if exclusive or resources.get("naccesspolicy", "").lower().startswith("single"):
        fields["exclusive"] = True
    if "walltime" in resources:
        fields["time_limit_s"] = seconds(resources["walltime"])
    threads = chunk.threads or max(1, chunk.ncpus // max(1, chunk.mpiprocs))
    return fields, {
        "NCPUS": str(chunk.ncpus),
        "OMP_NUM_THREADS": str(threads),
        "PBS_MPIPROCS": str(chunk.mpiprocs),
        "PBS_NUM_PPN": str(chunk.mpiprocs),
        "PBS_NP": str(chunk.mpiprocs * chunk.count),
    }


def _chunk_of(resources: Resources) -> Chunk:
    by_job = [name for name in ("ncpus", "ngpus", "mpiprocs", "ompthreads") if name in resources]
    if "select" in resources:
        if wrong := [*by_job, *(n for n in ("mem", "nodes", "procs", "pmem") if n in resources)]:
            raise PbsError(f"qsub: Resource_List.{wrong[0]} does not go with select", code=USAGE)
        return _merged(_chunk(text) for text in resources["select"].split("+"))
    if "nodes" in resources:
        chunk = _merged(_node_spec(text) for text in resources["nodes"].split("+"))
        if by_job == ["ncpus"] and chunk.ncpus == 1:  # Torque: processors of each node
            chunk.ncpus = _count("ncpus", resources["ncpus"])
    else:
        chunk = Chunk()
        for name in by_job:
            _set(chunk, name, resources[name])
        if "procs" in resources:
            chunk.count = _count("procs", resources["procs"])
    if "mem" in resources:
        chunk.mem_mib = chunk.mem_mib or -(-mem_mib(resources["mem"]) // chunk.count)
    elif "pmem" in resources:
        chunk.mem_mib = mem_mib(resources["pmem"]) * chunk.mpiprocs
    return chunk


def _merged(chunks: Iterable[Chunk]) -> Chunk:
    """Return chunks of one kind as one, with their count."""
    first, *others = chunks
    for other in others:
        if other.kind() != first.kind():
            raise PbsError(f"qsub: {_NO_KINDS}", code=USAGE)
        first.count += other.count
        first.hosts += other.hosts
    if first.count > _MOST:
        raise PbsError("qsub: illegal -l value", code=USAGE)
    return first


def _chunk(text: str) -> Chunk:
    """Return the chunk of `2:ncpus=4:mem=1gb`; the count may be left out."""
    chunk = Chunk()
    first, *others = text.split(":")
    if first.isascii() and first.isdigit():
        chunk.count = _count("select", first)
    else:
        others = [first, *others]
    for item in others:
        name, equals, value = item.partition("=")
        if not equals or not value:
            raise PbsError("qsub: illegal -l value", code=USAGE)
        _set(chunk, name, value)
    return chunk


def _node_spec(text: str) -> Chunk:
    """Return the chunk of Torque's `2:ppn=4:fast` or `node1:ppn=4`."""
    chunk = Chunk()
    first, *others = text.split(":")
    if first.isascii() and first.isdigit():
        chunk.count = _count("nodes", first)
    elif first:
        chunk.hosts.append(first)
    for item in others:
        name, equals, value = item.partition("=")
        if equals:
            _set(chunk, name, value)
        elif name not in ("shared", "excl"):
            chunk.features.append(name)
    return chunk


def _set(chunk: Chunk, name: str, value: str) -> None:
    if name not in IN_CHUNK:
        raise PbsError(f"qsub: Unknown resource: {name}", code=UNKNOWN_RESOURCE)
    fate, note = IN_CHUNK[name]
    if pass_over("qsub", f"-l {name}", fate, note):
        return
    if name in ("host", "vnode"):
        chunk.hosts.append(value)
    elif name == "mem":
        chunk.mem_mib = mem_mib(value)
    elif name in ("ngpus", "gpus"):
        chunk.ngpus = _count(name, value, least=0)
    elif name == "ppn":
        chunk.ncpus = chunk.mpiprocs = _count(name, value)
    elif name == "ncpus":
        chunk.ncpus = _count(name, value)
    elif name == "mpiprocs":
        chunk.mpiprocs = _count(name, value, least=0)
    else:
        chunk.threads = _count(name, value)


def _placed(text: str, place: str) -> tuple[str, bool]:
    """Return the arrangement and whether the job has its nodes for itself."""
    exclusive = False
    for word in filter(None, text.split(":")):
        if word in _PLACES:
            place = word
        elif word in _SHARING:
            exclusive = word != "shared"
        elif not word.startswith("group="):
            raise PbsError("qsub: illegal -l value", f"qsub: place={text}: {word}", code=USAGE)
    return place, exclusive


def _count(name: str, text: str, least: int = 1) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 8 and least <= int(text) <= _MOST):
        raise _illegal(name)
    return int(text)


def _illegal(name: str) -> PbsError:
    return PbsError(f"qsub: Illegal attribute or resource value Resource_List.{name}", code=USAGE)


def mem_mib(text: str) -> int:
    """Return the MiB of `400mb`, `2gb`, `1024kb`, `16mw` (words of 8 bytes) or `1048576` (bytes),
    rounded up. The units count in 1024, as in PBS.

    Raises:
        PbsError: the text has none of these forms.
    """
    lowered = text.lower()
    word = _WORD_BYTES if lowered.endswith("w") else 1
    number = lowered.removesuffix("w") if word > 1 else lowered.removesuffix("b")
    unit = number[-1:] if number[-1:] in "kmgtp" else ""
    digits = number.removesuffix(unit)
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 + 6 * (not unit)):
        raise _illegal("mem")
    return -(-int(digits) * word * _SIZES[unit] // (1 << 20))


def seconds(text: str) -> float:
    """Return the seconds of `[[HH:]MM:]SS[.FRACTION]`.

    Raises:
        PbsError: the text has none of these forms, or is no time at all.
    """
    whole, dot, fraction = text.partition(".")
    parts = whole.split(":")
    digits = [*parts, *([fraction] if dot else [])]
    usable = len(parts) <= 3 and all(p.isascii() and p.isdigit() and len(p) < 9 for p in digits)
    total = 0.0
    for part in parts if usable else ():
        total = total * 60 + int(part)
    if not usable or not total + float(f"0.{fraction or 0}"):
        raise _illegal("walltime")
    return total + float(f"0.{fraction or 0}")
