"""The description of a study: a TOML file in, the runs that it asks for out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_core.recipes.text import RecipeError
from rmsd_daemon.setup.third_party import recipe_of
from rmsd_lab.measures.measures import GROUPS
from rmsd_lab.workloads.swf import MOST
from rmsd_lab_cli.studies.models import ESTIMATES, MODELS, RECORDED_KEYS

Checked = TypeVar("Checked")
Default = TypeVar("Default")

RECORDED = "recorded"
"""The word in place of a load for a trace as it is."""


_MOST_SEEDS = 10_000
_MOST = 2**53
"""The bound of any number: beyond it, files and spreadsheets do not keep whole numbers."""


@dataclass(frozen=True, slots=True)
class JobSource:
    """The source of jobs: a file, a model that makes jobs from a seed, or a model fitted to a file.

    procs: None for what the trace's header, or the model, says. jobs: how many are made, or taken
        of a file; None: all. weeks: how long a fitted model goes on.
    estimates: one of `models.ESTIMATES`, with the parameters of f and modes.
    closed_loop: jobs come after the end of those that they follow (`simulation.simulate`).
    loads: None stands for the trace as it is.
    """

    name: str
    path: Path | None
    model: str | None
    procs: int | None
    jobs: int | None
    weeks: int | None
    estimates: str
    badness: float | None
    max_estimate_s: int | None
    kill_at_estimate: bool
    closed_loop: bool
    loads: tuple[float | None, ...]

    @property
    def is_shaken(self) -> bool:
        """Return whether seeds shake the source. The seeds of a model draw its jobs instead."""
        return self.model is None


@dataclass(frozen=True, slots=True)
class Measuring:
    """The way schedules are measured: over which jobs, and which of them are long, wide and
    short."""

    trim: bool = False
    long_above_s: int = 3600
    wide_above: int = 8
    short_up_to_s: int | None = None


@dataclass(frozen=True, slots=True)
class TrialConditions:
    """The conditions of recipes with trial runs: how much longer a job runs that starts anew, and
    the share of the jobs, drawn with the seed, that may not be restarted."""

    restart_cost_s: float = 0
    exempt: float = 0.0


@dataclass(frozen=True, slots=True)
class Input:
    """The jobs of a run: those of one source, at one load, drawn or shaken with one seed. All
    recipes meet the same ones.

    load: None: as recorded. seed: None: not shaken, by up to `shake_s` either way.
    """

    source: JobSource
    load: float | None
    seed: int | None
    shake_s: int


@dataclass(frozen=True, slots=True)
class Run:
    """One simulation; `recipe` is the short form of a recipe."""

    input: Input
    recipe: str
    trials: TrialConditions
    measuring: Measuring


@dataclass(frozen=True, slots=True)
class Study:
    """traces x loads x seeds x recipes. seeds: none for recorded traces that are not shaken, and
    for one seed, 1, of those that are made."""

    traces: tuple[JobSource, ...]
    recipes: tuple[str, ...]
    seeds: tuple[int, ...]
    shake_s: int
    trials: TrialConditions
    measuring: Measuring
    metrics: tuple[str, ...]

    def runs(self) -> list[Run]:
        """Return the runs of the study. Runs of one trace, load and seed follow each other, since
        they share their jobs."""
        trials = {
            recipe: self.trials if recipe_of(recipe).trial_us else TrialConditions()
            for recipe in self.recipes
        }
        return [
            Run(Input(source, load, seed, self.shake_s), recipe, trials[recipe], self.measuring)
            for source in self.traces
            for load in source.loads
            for seed in self._seeds(source)
            for recipe in self.recipes
        ]

    def _seeds(self, source: JobSource) -> Sequence[int | None]:
        return self.seeds or ((None,) if source.is_shaken else (1,))


def read_study(path: Path) -> Study:
    """Return the study that a file describes. The traces that it names are in the file's folder.

    Raises:
        CommandError: the file cannot be read.
        CommandUsageError: it is no TOML, or asks for something that cannot be; the message names
            the key, its value, and what is accepted.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    # The text is not TOML or not UTF-8, or it has a number of thousands of digits, or as many
    # brackets.
    except (ValueError, RecursionError) as error:
        raise CommandUsageError(f"{path}: {error}") from None
    return study_from(table, str(path), path.parent.absolute())  # workers are elsewhere


def study_from(values: Mapping[str, Any], where: str, folder: Path) -> Study:
    """Return the study of a parsed file. `where` begins messages; traces are looked for in
    `folder`. Raises CommandUsageError as `read_study` does."""
    return _study(_Table(f"{where}: ", values), folder)


class _Table:
    """A table of the file, from which keys are taken; `where` begins its messages."""

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self.where = where
        self._values = dict(values)
        self._known: list[str] = []

    def take(
        self, key: str, check: Callable[[object], Checked], default: Default
    ) -> Checked | Default:
        """Return the value of a key as `check` returns it. Raises CommandUsageError for its
        ValueError."""
        self._known.append(key)
        if key not in self._values:
            return default
        value = self._values.pop(key)
        try:
            return check(value)
        except ValueError as error:
            raise CommandUsageError(f"{self.where}{key} = {_shown(value)}: {error}") from None

    def refused(self, key: str, why: str) -> CommandUsageError:
        return CommandUsageError(f"{self.where}{key}: {why}")

    def finish(self) -> None:
        """Raise CommandUsageError if there are keys that were not taken."""
        for key, value in self._values.items():
            raise CommandUsageError(
                f"{self.where}{key} = {_shown(value)}: no such key here; there are: "
                f"{', '.join(self._known)}"
            )


def _study(table: _Table, folder: Path) -> Study:
    recipes = table.take("recipes", _recipes, ())
    loads = table.take("loads", _loads, (None,))
    seeds = table.take("seeds", _seeds, ())
    shake_s = table.take("shake_s", _whole_from(0), 30)
    measuring = Measuring(
        trim=table.take("trim", _one_of("none", "thesis"), "none") == "thesis",
        long_above_s=table.take("long_above_s", _whole_from(0), 3600),
        wide_above=table.take("wide_above", _whole_from(0), 8),
        short_up_to_s=table.take("short_up_to_s", _whole_from(0), None),
    )
    trials = TrialConditions(
        table.take("restart_cost_s", _restart_cost, 0), table.take("exempt", _share, 0.0)
    )
    metrics = table.take("metrics", _groups, ())
    entries = table.take("traces", _tables, None)
    table.finish()
    if not recipes:
        raise table.refused("recipes", 'missing; name some, as in recipes = ["easy", "easy++"]')
    if not entries:
        raise table.refused("traces", 'missing; name some, as in traces = ["KTH.swf.gz"]')
    traces = tuple(
        _source(_Table(f"{table.where}traces[{at}].", entry), folder, loads)
        for at, entry in enumerate(entries)
    )
    if again := _twice([source.name for source in traces]):
        raise table.refused("traces", f"two have the name {again}; give one another with `name`")
    if trials != TrialConditions() and not any(recipe_of(recipe).trial_us for recipe in recipes):
        key = "restart_cost_s" if trials.restart_cost_s else "exempt"
        raise table.refused(key, "no recipe here has trial runs, as timed-easy has")
    if seeds and not shake_s and any(source.is_shaken for source in traces):
        raise table.refused("shake_s", "0 makes the runs of all seeds the same; leave out `seeds`")
    return Study(traces, recipes, seeds, shake_s, trials, measuring, metrics)


def _source(table: _Table, folder: Path, loads: tuple[float | None, ...]) -> JobSource:
    file = table.take("file", _text, None)
    model = table.take("model", _one_of(*MODELS), None)
    path = None if file is None else folder / Path(file).expanduser()
    default = model if path is None else path.name.removesuffix(".gz").removesuffix(".swf")
    source = JobSource(
        name=table.take("name", _text, default or ""),
        path=path,
        model=model,
        procs=table.take("procs", _whole_from(1), None),
        jobs=table.take("jobs", _whole_from(2), None),
        weeks=table.take("weeks", _whole_from(1), None),
        estimates=table.take("estimates", _one_of(*ESTIMATES), "user"),
        badness=table.take("badness", _number_from_0, None),
        max_estimate_s=table.take("max_estimate_s", _whole_from(1), None),
        kill_at_estimate=table.take("kill_at_estimate", _yes_or_no, False),
        closed_loop=table.take("closed_loop", _yes_or_no, False),
        loads=table.take("loads", _loads, loads),
    )
    try:
        table.finish()
    except CommandUsageError as error:
        raise CommandUsageError(
            f"{error}. Keys of the study stand above the first [[traces]]"
        ) from None
    if file is None and model is None:
        raise table.refused("file", "missing; give `file`, a trace, or `model`, which makes one")
    _check_keys(table, source)
    return source


def _check_keys(table: _Table, source: JobSource) -> None:
    """Raise CommandUsageError if a key is missing, or means nothing beside the others."""
    kind = MODELS[source.model] if source.model else RECORDED_KEYS
    of = f'model = "{source.model}"' if source.model else "a recorded trace"
    given = {"file": source.path, "jobs": source.jobs, "procs": source.procs}
    for key, value in {**given, "weeks": source.weeks}.items():
        if key in kind.needs and value is None:
            raise table.refused(key, f"missing; {of} needs {' and '.join(kind.needs)}")
        if key not in (*kind.needs, *kind.takes) and value is not None:
            raise table.refused(key, f"means nothing to {of}")
    if source.badness is not None and source.estimates != "f":
        raise table.refused("badness", 'belongs to estimates = "f"')
    if source.max_estimate_s is not None and source.estimates != "modes":
        raise table.refused("max_estimate_s", 'belongs to estimates = "modes"')
    if source.closed_loop and source.model:
        raise table.refused("closed_loop", "means nothing to a model, whose jobs follow no other")
    if source.closed_loop and source.loads != (None,):
        raise table.refused(
            "closed_loop",
            f'loads stretch submit times, and it does without: loads = ["{RECORDED}"]',
        )
    if source.estimates == "f" and source.badness is None:
        raise table.refused("badness", 'missing; estimates = "f" are up to (badness + 1) * run')


# ---------------------------------------------------------------- values
# Each returns what the study has of a value, or raises ValueError with what is accepted.


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("a text is expected")
    return value


def _yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is expected")
    return value


def _one_of(*names: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError(f"one of {', '.join(names)} is expected")
        return value

    return check


def _whole_from(least: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MOST:
            raise ValueError(f"a whole number from {least} on is expected")
        return value

    return check


def _listed(value: object) -> list[object]:
    if not isinstance(value, list) or not value:
        raise ValueError("a list with something in it is expected")
    return value


def _recipes(value: object) -> tuple[str, ...]:
    names = []
    for one in _listed(value):
        try:
            names.append(recipe_of(_text(one)).name)
        except RecipeError as error:
            raise ValueError(str(error)) from None
    if again := _twice(names):
        raise ValueError(f"{again} is there twice")
    return tuple(names)


def _loads(value: object) -> tuple[float | None, ...]:
    loads = [None if one == RECORDED else _load(one) for one in _listed(value)]
    if again := _twice([RECORDED if load is None else f"{load:g}" for load in loads]):
        raise ValueError(f"{again} is there twice")
    return tuple(loads)


def _load(value: object) -> float:
    if not _is_number(value) or not 0 < value <= _MOST:
        raise ValueError(f'numbers above 0 are expected, or "{RECORDED}", not {_shown(value)}')
    return float(value)


def _number_from_0(value: object) -> float:
    if not _is_number(value) or not 0 <= value <= _MOST:
        raise ValueError("a number from 0 on is expected")
    return float(value)


def _share(value: object) -> float:
    if not _is_number(value) or not 0 <= value <= 1:
        raise ValueError("a share from 0 to 1 is expected")
    return float(value)


def _restart_cost(value: object) -> float:
    if not _is_number(value) or not 0 <= value <= MOST:
        raise ValueError(f"a number of seconds from 0 to {MOST} is expected")
    return value


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _seeds(value: object) -> tuple[int, ...]:
    if isinstance(value, list):
        seeds = tuple(_whole_from(0)(one) for one in _listed(value))
        if again := _twice([str(seed) for seed in seeds]):
            raise ValueError(f"{again} is there twice")
        return seeds
    number = _whole_from(1)(value)
    if number > _MOST_SEEDS:
        raise ValueError(f"at most {_MOST_SEEDS:,} seeds; a list says which")
    return tuple(range(1, 1 + number))


def _groups(value: object) -> tuple[str, ...]:
    known = _one_of(*GROUPS, "all")
    names = [known(one) for one in _listed(value)]
    return tuple(group for group in GROUPS if group in names or "all" in names)


def _tables(value: object) -> list[dict[str, Any]]:
    """Return the tables of traces. A trace that is only a name becomes the table of a file."""
    tables = []
    for one in _listed(value):
        if not isinstance(one, str | dict):
            raise ValueError("files are expected, or tables [[traces]]")
        tables.append({"file": one} if isinstance(one, str) else one)
    return tables


def _twice(names: Sequence[str]) -> str | None:
    """Return a name that occurs more than once; None if all are different."""
    return next((name for name in names if names.count(name) > 1), None)


def _shown(value: object) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)
