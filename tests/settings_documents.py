"""`python -m tests.settings_documents`: the documents made from the tables of settings.

They are the tables in docs/admin-settings.md, between markers, and all of deploy/rmsd.toml.
"""

from __future__ import annotations

import re
import textwrap
from argparse import BooleanOptionalAction
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rmsd_agent.options import OPTIONS
from rmsd_daemon.setup.config import SETTINGS
from rmsd_wire.settings import Setting, toml

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs/admin-settings.md"
EXAMPLE = ROOT / "deploy/rmsd.toml"

_HEAD_NODE: Mapping[str, object] = {
    "state_dir": "/var/lib/rmsd",
    "listen": "0.0.0.0:7632",
    "local_node": False,
    "default_time": "1h",
}
"""The settings that the example of a head node's file sets, in its order."""

_EXAMPLE_HEADER = """\
# Configuration of an rmsd head node: /etc/rmsd/rmsd.toml. Read at the start of the daemon.
# Keys in comments show their defaults, or an example where the default is told in words. Durations
# and sizes need a unit. The systemd units give state_dir, socket and local_node on the command
# line, which wins. Made by `python -m tests.settings_documents`; docs/admin-settings.md has the
# same as tables.
"""


def _by_group() -> Iterator[tuple[str, list[Setting]]]:
    for group, of_group in groupby(SETTINGS, lambda row: row.group):
        yield group, list(of_group)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])


def _default(row: Setting, spelled: str) -> str:
    if row.required:
        return "required"
    return row.by_default or f"`{spelled}`"


def _meaning(row: Setting) -> str:
    if not row.see:
        return row.explanation
    return f"{row.explanation}{'' if row.details or row.sighup else '.'} {row.see}"


def daemon_tables() -> str:
    """Return the tables of the daemon's settings, with a heading for each group."""
    heads = ("key", "on the command line", "value", "default", "meaning")
    parts: list[str] = []
    for group, rows in _by_group():
        cells = [
            [
                f"`{row.key}`",
                _command_line(row) if row.option else "",
                row.kind.accepts,
                _default(row, toml(row.default)),
                _meaning(row),
            ]
            for row in rows
        ]
        parts.append(f"### {group}\n{_table(heads, cells)}")
    return "\n\n".join(parts)


def _command_line(row: Setting) -> str:
    negatable = row.kind.argument.get("action") is BooleanOptionalAction
    return f"`{row.option_name.replace('--', '--[no-]' if negatable else '--')}`"


def agent_table() -> str:
    """Return the table of the agent's options."""
    cells = [
        [
            _command_line(row),
            row.kind.accepts,
            "not set" if row.default is False else _default(row, str(row.default)),
            _meaning(row),
        ]
        for row in OPTIONS
    ]
    return _table(("option", "value", "default", "meaning"), cells)


def head_node_file() -> str:
    """Return the settings of a head node's file, as a block of code."""
    lines = [f"{key} = {toml(value)}" for key, value in _HEAD_NODE.items()]
    return "\n".join(["```", *lines, "```"])


def example() -> str:
    """Return the commented configuration of a head node."""
    parts = [_EXAMPLE_HEADER]
    for group, rows in _by_group():
        parts.append(f"# ---------------------------------------- {group}\n")
        parts += [_entry(row) for row in rows]
    return "\n".join(parts)


def _entry(row: Setting) -> str:
    text = f"{row.explanation.removesuffix('.')}. Value: {row.kind.accepts.replace('`', '')}."
    is_set = row.key in _HEAD_NODE
    if default := row.by_default.replace("`", "") or (toml(row.default) if is_set else ""):
        text += f" Default: {default}."
    comment = textwrap.fill(
        text[0].upper() + text[1:],
        100,
        initial_indent="# ",
        subsequent_indent="# ",
        break_on_hyphens=False,
    )
    if is_set:
        return f"{comment}\n{row.key} = {toml(_HEAD_NODE[row.key])}\n"
    return f"{comment}\n# {row.key} = {toml(row.shown)}\n"


def guide(present: str) -> str:
    """Return the guide with its made parts made again; `present` has all that is between them."""
    made = {"head node": head_node_file(), "daemon": daemon_tables(), "agent": agent_table()}
    for name, text in made.items():
        begin, end = f"<!-- made: {name} -->", "<!-- end -->"
        pattern = re.compile(rf"{begin}\n.*?{end}", re.DOTALL)
        between = pattern.split(present)
        assert len(between) == 2, f"{begin} is in the guide {len(between) - 1} times"
        present = f"{begin}\n{text}\n{end}".join(between)
    return present


if __name__ == "__main__":
    GUIDE.write_text(guide(GUIDE.read_text()))
    EXAMPLE.write_text(example())
