"""Read slurm.conf: includes, continued lines, quotes, and the lines of nodes and partitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_MOST_BYTES = 16 << 20
_DEEPEST = 16
_MOST_FILES = 1000
_COMMENT = re.compile(r"(?<!\\)#.*")
_INCLUDE = re.compile(r"\s*include\s+(.+)", re.IGNORECASE)
_PAIR = re.compile(r'(?<![\w.])([A-Za-z][\w.]*)\s*[+-]?=\s*(?:"([^"]*)"|(\S*))', re.ASCII)
_OTHER_LINES = ("downnodes", "frontendname", "switchname", "blockname", "slurmctldhost")


class SlurmFileError(ValueError):
    """The file cannot be read; the message says which, where and why."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value, with its name as it is written and its place, as `slurm.conf:12`."""

    name: str
    text: str
    place: str


Fields = Mapping[str, Value]
"""The values of a line by their names in lower case."""


@dataclass(slots=True)
class SlurmConf:
    """The contents of slurm.conf. Lines of nodes and partitions have the values of the DEFAULT
    lines before them. `sets`: the lines of node sets. `others`: lines of other
    kinds."""

    settings: dict[str, Value] = field(default_factory=dict)
    nodes: list[Fields] = field(default_factory=list)
    partitions: list[Fields] = field(default_factory=list)
    sets: list[Fields] = field(default_factory=list)
    others: list[Value] = field(default_factory=list)


def read_slurm_conf(path: Path) -> SlurmConf:
    """Return what the file says, and the files that it includes.

    Raises:
        SlurmFileError: a file cannot be read, or a line is none of slurm.conf.
    """
    conf = SlurmConf()
    defaults: dict[str, dict[str, Value]] = {"nodename": {}, "partitionname": {}}
    for place, line in _lines(path, conf.settings, 0, []):
        fields = _fields(line, place)
        first = next(iter(fields))
        if first in defaults:
            if fields[first].text.upper() == "DEFAULT":
                defaults[first] |= fields
            else:
                lines = conf.nodes if first == "nodename" else conf.partitions
                lines.append({**defaults[first], **fields})
        elif first == "nodeset":
            conf.sets.append(fields)
        elif first in _OTHER_LINES:
            conf.others.append(fields[first])
        else:
            conf.settings |= fields
    return conf


def read_gres_conf(path: Path) -> list[Fields]:
    """Return the lines of a gres.conf, in their order.

    Raises:
        SlurmFileError: the file cannot be read, or a line is none of gres.conf.
    """
    return [_fields(line, place) for place, line in _lines(path, {}, 0, [])]


def _lines(
    path: Path,
    settings: Mapping[str, Value],
    depth: int,
    read: list[Path],
    included_at: str = "",
) -> Iterator[tuple[str, str]]:
    """Yield the lines with their places; those of an included file in the place of its line. `read`
    gets the files that are read. included_at: the place of the line that includes this one."""
    read.append(path)
    if len(read) > _MOST_FILES:
        raise SlurmFileError(f"{path}: more than {_MOST_FILES} files are included")
    if depth > _DEEPEST:
        raise SlurmFileError(f"{path}: more than {_DEEPEST} files include each other")
    for number, line in _continued(_text(path, included_at)):
        place = f"{path.name}:{number}"
        if found := _INCLUDE.fullmatch(line):
            included = _included(found[1].strip(), path, settings)
            yield from _lines(included, settings, depth + 1, read, place)
        else:
            yield place, line


def _included(name: str, path: Path, settings: Mapping[str, Value]) -> Path:
    if "%c" in name and "clustername" in settings:
        name = name.replace("%c", settings["clustername"].text)
    return path.parent / name.strip('"')


def _text(path: Path, included_at: str) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        where = f"{included_at}: " if included_at else ""
        raise SlurmFileError(f"{where}{path}: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise SlurmFileError(f"{path}: the file is longer than {_MOST_BYTES >> 20} MiB")
    return content.decode("utf-8", "replace")


def _continued(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, without comments. A line that ends with a backslash goes
    on in the next one; its number is that of its first part."""
    whole, first = "", 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = _COMMENT.sub("", raw).rstrip()
        first = first or number
        if line.endswith("\\"):
            whole += line[:-1]
            continue
        whole += line
        if whole.strip():
            yield first, whole.strip()
        whole, first = "", 0
    if whole.strip():
        yield first, whole.strip()


def _fields(line: str, place: str) -> dict[str, Value]:
    """Return the values of a line. The name of a first word tells what kind of line it is."""
    fields: dict[str, Value] = {}
    at = 0
    for found in _PAIR.finditer(line):
        if stray := line[at : found.start()].strip():
            raise SlurmFileError(f"{place}: '{stray[:60]}' is not NAME=VALUE")
        name = found[1]
        text = found[2] if found[2] is not None else found[3]
        fields[name.lower()] = Value(name, text.replace("\\#", "#"), place)
        at = found.end()
    if stray := line[at:].strip():
        raise SlurmFileError(f"{place}: '{stray[:60]}' is not NAME=VALUE")
    return fields
