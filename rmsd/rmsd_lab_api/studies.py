"""Studies: traces x loads x seeds x recipes, as `rmsd study` runs them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandUsageError
from rmsd_lab_api.html import plain, table_html, text_html
from rmsd_lab_api.options import PathName
from rmsd_lab_api.signals import handlers_restored
from rmsd_lab_api.tables import ArrowTable, TableResult, arrow_table
from rmsd_lab_cli.kept_results import KeptResults, default_folder
from rmsd_lab_cli.metrics.report import groups_named
from rmsd_lab_cli.studies.description import read_study, study_from
from rmsd_lab_cli.studies.pools import ProcessPool
from rmsd_lab_cli.studies.results_file import Row, check_name, columns, write_results
from rmsd_lab_cli.studies.run_study import MadeRun, StudyRuns
from rmsd_lab_cli.studies.summary import summary


class StudyResult(TableResult):
    """The runs of a study: `table` has a row for each, with the columns of docs/lab.md. `rows` are
    the same as dictionaries, `summary` what the command prints."""

    def __init__(self, runs: Sequence[MadeRun]) -> None:
        self.rows: list[Row] = [run.row() for run in runs]
        self.manifests: dict[str, Mapping[str, Any]] = {run.name: run.manifest for run in runs}
        self.summary = plain(lambda: summary([run.row(metrics=False) for run in runs]))

    @property
    def table(self) -> ArrowTable:
        names = columns(self.rows)
        types = {"load": "float64", "seed": "int64"}
        return arrow_table({name: [row.get(name) for row in self.rows] for name in names}, types)

    def write(self, path: PathName) -> None:
        """Write the rows as .csv or .parquet, for `rmsd compare` and `rmsd report`. Raises LabError
        if that cannot be done."""
        check_name(Path(path))
        write_results(Path(path), self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        return text_html(self.summary) + table_html(self.table)


def study(
    description: PathName | Mapping[str, Any],
    *,
    metrics: Sequence[str] | None = None,
    processes: int | None = None,
    results: PathName | None = None,
    fresh: bool = False,
) -> StudyResult:
    """Run a study on the processors of this machine. Finished runs are kept, as those of the
    command are: a study that is given again makes only what is missing.

    description: a TOML file, or its content as a dictionary (`{"recipes": [...], "traces":
    [...]}`), whose files are looked for in the current directory. metrics: groups to measure
    instead of those of the description. processes: how many at a time (default: one for each
    processor). results: where finished runs are kept. fresh: make every run anew.

    A script calls this below `if __name__ == "__main__":`, since the workers import the script.

    Raises:
        LabError: as `rmsd study` fails; the message names the key and its value.
    """
    if processes is not None and processes < 1:
        raise CommandUsageError(f"processes={processes}: at least one run at a time")
    if isinstance(description, Mapping):
        asked = study_from(description, "study", Path.cwd())
    else:
        asked = read_study(Path(description))
    if metrics is not None:
        asked = replace(asked, metrics=tuple(groups_named(",".join(metrics))))
    folder = Path(results) if results is not None else default_folder("study")
    runs = StudyRuns(asked, KeptResults(folder, fresh=fresh))
    if runs.missing:
        with handlers_restored():
            runs.make(ProcessPool(processes or os.cpu_count() or 1))
    return StudyResult(list(runs.made()))
