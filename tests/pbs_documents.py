"""`python -m tests.pbs_documents`: the tables in docs/pbs.md, made from those that PBS's commands
use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rmsd_client.pbs.command_line import SAME, PbsTable
from rmsd_client.pbs.holds import QHOLD, QRLS
from rmsd_client.pbs.qdel import QDEL
from rmsd_client.pbs.qstat import QSTAT
from rmsd_client.pbs.qsub import QSUB
from rmsd_client.pbs.requests import ATTRIBUTES
from rmsd_client.pbs.resources import IN_CHUNK, JOB_WIDE
from tests.slurm_documents import made_again, table_of

PAGE = Path(__file__).parents[1] / "docs/pbs.md"

TABLES = (QSUB, QSTAT, QDEL, QHOLD, QRLS)


def _options(table: PbsTable) -> str:
    same = [f"`-{one.letter}`" for one in table.options if one.fate == SAME and not one.note]
    rows = [
        (f"`-{one.letter}{f' {one.value}' if one.value else ''}`", one.fate, one.note)
        for one in table.options
        if one.fate != SAME or one.note
    ]
    text = f"### {table.program}\n"
    if same:
        text += f"The same: {', '.join(same)}.\n"
    return text + (f"\n{table_of(('option', '', 'why'), rows)}\n" if rows else "")


def _named(what: str, table: Mapping[str, tuple[str, str]]) -> str:
    rows = [(f"`{name}`", fate, note) for name, (fate, note) in table.items()]
    return table_of((what, "", "why"), rows)


def page(present: str) -> str:
    """Return the page with its made parts made again."""
    return made_again(
        present,
        {
            "options": "\n".join(map(_options, TABLES)).rstrip(),
            "resources": _named("of a job", JOB_WIDE),
            "chunks": _named("of a chunk", IN_CHUNK),
            "attributes": _named("attribute", ATTRIBUTES),
        },
    )


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
