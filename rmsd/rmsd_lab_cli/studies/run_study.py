"""All runs of a study: those that are kept from before, and those that are to be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import rmsd_lab_cli
from rmsd_cli.errors import CommandError
from rmsd_cli.progress import Progress
from rmsd_core.recipes.text import written_out
from rmsd_daemon.setup.third_party import parts_of, recipe_of
from rmsd_lab.measures.measures import GROUPS
from rmsd_lab_cli import kept_results
from rmsd_lab_cli.kept_results import KeptResults, name_of
from rmsd_lab_cli.manifest import fingerprint
from rmsd_lab_cli.studies.description import Run, Study
from rmsd_lab_cli.studies.execute import RunTask, execute
from rmsd_lab_cli.studies.pools import WorkerPool
from rmsd_lab_cli.studies.results_file import Row, flattened

_MEASURING = ("report.py", "studies/execute.py", "studies/models.py")


@cache
def studies_digest() -> str:
    """Return a digest of the code of the core and of the measures."""
    folder = Path(rmsd_lab_cli.__file__).parent
    return kept_results.code_digest(folder / name for name in _MEASURING)


def digests(recipes: Iterable[str]) -> str:
    """Return digests of all code that decides about runs with these recipes: rmsd's, and that of
    third parties."""
    parts = [part["digest"] for name in recipes for part in parts_of(recipe_of(name))]
    return " ".join([studies_digest(), *parts])


def _recipe(name: str) -> dict[str, Any]:
    """Return what figures depend on in a recipe. The code of third parties may change between two
    runs."""
    recipe = recipe_of(name)
    return {"recipe": written_out(recipe), "parts": parts_of(recipe)}


@dataclass(frozen=True, slots=True)
class MadeRun:
    """A run that is there: its name, figures (`rmsd.run/1`), and what it was made with."""

    run: Run
    name: str
    report: dict[str, Any]
    manifest: dict[str, Any]

    @property
    def keys(self) -> dict[str, Any]:
        """Return the keys that identify the run in the study."""
        made_of = self.run.input
        return {
            "trace": made_of.source.name,
            "load": made_of.load,
            "seed": made_of.seed,
            "recipe": self.run.recipe,
            "run": self.name,
        }

    def row(self, *, metrics: bool = True) -> Row:
        """Return the columns of docs/lab.md, with those of the groups or without."""
        without = ("schema",) if metrics else ("schema", "metrics")
        figures = {key: value for key, value in self.report.items() if key not in without}
        first = {key: figures[key] for key in ("procs", "offered_load")}
        return flattened({**self.keys, **first, **figures, **self.keys})


class StudyRuns:
    """The runs of a study: those that are kept from before, and those that are to be made."""

    def __init__(self, study: Study, kept: KeptResults) -> None:
        """Read the fingerprints of the study's traces. Raises CommandError if a trace cannot be
        read."""
        self._groups = frozenset(study.metrics)
        self._kept = kept
        self._sha256: dict[Path | None, str] = {
            source.path: fingerprint(source.path)["sha256"]
            for source in study.traces
            if source.path is not None
        }
        self._code = {
            "rmsd": version("rmsd"),
            "code": studies_digest(),
        }
        self._recipes = {name: _recipe(name) for name in study.recipes}
        self._runs = study.runs()
        self._missing = [
            task for run in self._in_turn(study) if (task := self._missing_of(run)) is not None
        ]
        self._made = 0

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def recipes(self) -> tuple[str, ...]:
        return tuple(self._recipes)

    @property
    def missing(self) -> int:
        """Return how many runs are still to be made."""
        return len(self._missing) - self._made

    def make(self, pool: WorkerPool) -> None:
        """Make all that are missing; each is on disk as soon as it is made.

        Raises:
            CommandError: a run failed, or cannot be kept.
        """
        with Progress("simulating", len(self._missing)) as progress:

            def keep(task: RunTask, result: dict[str, Any]) -> None:
                self._kept.save(self._made_of(task.run), result)
                self._made += 1
                progress.update(self._made)

            pool.run(execute, self._missing, keep)

    def made(self) -> Iterator[MadeRun]:
        """Yield all runs in the order of the study, once they are made.

        Raises:
            CommandError: a kept result has been deleted.
        """
        for run in self._runs:
            made_of = self._made_of(run)
            result = self._kept.load(made_of)
            try:
                report, manifest = result["report"], result["manifest"]
                found = {name: report["metrics"][name] for name in GROUPS if name in self._groups}
            except KeyError:
                raise CommandError(
                    "what was kept of a run has gone or was replaced by another command; give the "
                    "same command again"
                ) from None
            yield MadeRun(run, name_of(made_of), report | {"metrics": found}, manifest)

    def _in_turn(self, study: Study) -> list[Run]:
        """Return the runs in the order in which to make them: trace by trace, the higher loads of
        each first. High loads take longest, and a long run at the end leaves other processors idle.
        With several traces, one run of each trace and recipe goes ahead, so that errors show at
        once."""
        at = {source: position for position, source in enumerate(study.traces)}
        runs = sorted(
            self._runs,
            key=lambda run: (at[run.input.source], -(run.input.load or 0.0)),
        )
        if len(study.traces) == 1:
            return runs
        ahead = {(run.input.source, run.recipe): run for run in runs}  # the last, at least load
        first = set(ahead.values())
        return [*ahead.values(), *(run for run in runs if run not in first)]

    def _missing_of(self, run: Run) -> RunTask | None:
        """Return the task that makes a run; None if nothing is missing. Groups that are known
        already are made again, so that all figures of a run are of one simulation."""
        known = self._kept.load(self._made_of(run)).get("report", {}).get("metrics")
        if known is not None and self._groups <= known.keys():
            return None
        wanted = self._groups.union(known or ())
        groups = tuple(group for group in GROUPS if group in wanted)
        return RunTask(run, self._sha256.get(run.input.source.path), groups)

    def _made_of(self, run: Run) -> dict[str, Any]:
        """Return everything that the figures of a run depend on, except for the groups."""
        jobs = run.input
        source = asdict(jobs.source)
        for name in ("name", "path", "loads"):
            del source[name]
        shaken = jobs.source.is_shaken and jobs.seed is not None
        return {
            **self._code,
            "sha256": self._sha256.get(jobs.source.path),
            **source,
            "load": jobs.load,
            "seed": jobs.seed,
            "shake_s": jobs.shake_s if shaken else None,
            **self._recipes[run.recipe],
            **asdict(run.trials),
            **asdict(run.measuring),
        }
