"""`python -m tests.slurm_documents`: the matrix in docs/slurm.md, made from the tables that Slurm's
commands use."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rmsd_client.slurm import accounting, scontrol, sinfo
from rmsd_client.slurm.command_lines.command_line import MAYBE, SAME, YES, Opt, Table
from rmsd_client.slurm.command_lines.job_options import SALLOC, SBATCH, SRUN
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.fields import account_fields, queue_fields, step_fields
from rmsd_client.slurm.fields.formats import ShownField
from rmsd_client.slurm.sacct import SACCT
from rmsd_client.slurm.scancel import SCANCEL
from rmsd_client.slurm.squeue import SQUEUE
from rmsd_client.slurm.usage import SSTAT
from tests.slurm_diff.meant import MEANT

PAGE = Path(__file__).parents[1] / "docs/slurm.md"

TABLES: Sequence[Table] = (
    SBATCH, SQUEUE, SACCT, SCANCEL, scontrol.SCONTROL, sinfo.SINFO, SRUN, SALLOC,
    accounting.SACCTMGR, accounting.SSHARE, accounting.SPRIO, SSTAT, accounting.SDIAG,
)  # fmt: skip


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table_of(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    return "\n".join([_row(*heads), "|---" * len(heads) + "|", *(_row(*row) for row in rows)])


def _spelled(option: Opt) -> str:
    value = {YES: "=V", MAYBE: "[=V]"}.get(option.value, "")
    names = [f"-{option.short}"] if option.short else []
    return ", ".join([*names, f"--{option.long}{value}"])


def options() -> str:
    """Return a table for each command."""
    parts = []
    for table in TABLES:
        same = [f"`{_spelled(one)}`" for one in table.options if one.fate == SAME]
        rows = [
            (f"`{_spelled(one)}`", one.fate, one.note) for one in table.options if one.fate != SAME
        ]
        text = textwrap.fill(f"The same: {', '.join(same)}.", 110, break_on_hyphens=False)
        parts.append(f"### {table.program}\n{text}")
        if rows:
            parts.append(table_of(("option", "", "why"), rows))
    return "\n\n".join(parts)


def verbs() -> str:
    return table_of(("verb", ""), [(f"`{verb}`", how) for verb, how in scontrol.VERBS.items()])


def differences() -> str:
    """Return the differences that are meant, with what they have in common in one row."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for (command, field), why in MEANT.items():
        by_reason.setdefault((command, why), []).append(f"`{field}`")
    rows = [(command, ", ".join(names), why) for (command, why), names in by_reason.items()]
    return table_of(("command or scenario", "fields or moments", "why"), rows)


def _fields(fields: Iterable[ShownField]) -> str:
    rows = []
    for one in fields:
        letter = f"`%{one.letter}`" if one.letter else ""
        names = ", ".join(f"`{name}`" for name in one.names)
        rows.append((letter, names, one.title, "" if one.same else f"always `{one.constant}`"))
    return table_of(("letter", "name", "title", ""), rows)


def fields() -> str:
    accounted = [
        (f"`{one.name}`", str(one.width),
         "" if one.same else f"always `{one.constant}`" if one.constant else "always empty")
        for one in account_fields.FIELDS
    ]  # fmt: skip
    return "\n\n".join(
        (
            f"### squeue\n{_fields(queue_fields.FIELDS)}",
            f"### squeue -s\n{_fields(step_fields.FIELDS)}",
            f"### sinfo\n{_fields(sinfo.FIELDS)}",
            f"### sacct\n{table_of(('field', 'width', ''), accounted)}",
        )
    )


def page(present: str) -> str:
    """Return the page with its made parts made again."""
    made = {
        "version": f"{VERSION}.",
        "options": options(),
        "verbs": verbs(),
        "fields": fields(),
        "differences": differences(),
    }
    return made_again(present, made)


def made_again(present: str, made: Mapping[str, str]) -> str:
    """Return a page with the text between its marks replaced by what is made, by name."""
    for name, text in made.items():
        begin, end = f"<!-- made: {name} -->", "<!-- end -->"
        between = re.split(rf"{begin}\n.*?{end}", present, flags=re.DOTALL)
        assert len(between) == 2, f"{begin} is on the page {len(between) - 1} times"
        present = f"{begin}\n{text}\n{end}".join(between)
    return present


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
