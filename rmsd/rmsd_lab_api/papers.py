"""Tables of the papers, made again as `rmsd paper run` makes them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from rmsd_lab_api.html import plain, text_html
from rmsd_lab_api.options import PathName, options_of
from rmsd_lab_api.signals import handlers_restored
from rmsd_lab_api.tables import ArrowTable, TableResult, arrow_table
from rmsd_lab_cli.papers import command
from rmsd_lab_cli.papers.outcome import JudgedExperiment, Sources, as_text


class PaperTables(TableResult):
    """Experiments of the papers: `table` has a row for each number, with the published one, ours,
    the deviation and the verdict. `claims` are the sentences that were checked, `verdicts` the
    number of verdicts of each kind, `text` is what the command prints."""

    def __init__(self, outcomes: Sequence[JudgedExperiment], sources: Sources) -> None:
        self.outcomes = tuple(outcomes)
        self.text = plain(lambda: "\n\n".join(as_text(one, sources) for one in outcomes))

    @property
    def claims(self) -> list[tuple[str, str, str]]:
        """Return the claims with their verdicts, and the numbers that show them."""
        return [
            (claim.text, verdict, numbers)
            for one in self.outcomes
            for claim, verdict, numbers in one.claims
        ]

    @property
    def verdicts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.outcomes:
            for verdict, count in one.verdicts().items():
                counts[verdict] = counts.get(verdict, 0) + count
        return counts

    @property
    def table(self) -> ArrowTable:
        rows: list[dict[str, Any]] = [
            {
                "experiment": one.experiment.name,
                "table": table.title,
                "row": cell.row,
                "column": cell.column,
                "unit": cell.unit,
                "published": None if cell.published is None else float(cell.published),
                "ours": verdict.ours,
                "deviation": verdict.deviation,
                "verdict": verdict.verdict,
            }
            for one in self.outcomes
            for table, cells in zip(one.experiment.tables, one.cells, strict=True)
            for cell, verdict in cells
        ]
        names = list(rows[0]) if rows else []
        numbers = dict.fromkeys(("published", "ours", "deviation"), "float64")
        return arrow_table({name: [row[name] for row in rows] for name in names}, numbers)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return text_html(self.text)


def paper(
    *names: str,
    traces: PathName = ".",
    processes: int | None = None,
    results: PathName | None = None,
    fresh: bool = False,
) -> PaperTables:
    """Make published tables again, and hold ours beside them. `names` are those of `rmsd paper
    list`, `traces` the folder of the logs. Finished runs are kept, as those of the command are.

    Raises:
        LabError: as `rmsd paper run` fails.
    """
    args = options_of(
        command.add_arguments,
        *names,
        action="run",
        traces=traces,
        processes=processes or os.cpu_count() or 1,
        results=results,
        fresh=fresh,
    )
    with handlers_restored():
        outcomes, sources = command.outcomes_asked(args)
    return PaperTables(outcomes, sources)
