"""The results of a study as a table, a row for each run: CSV or Parquet, by the file's name.

docs/lab.md has the columns. `rmsd compare` and `rmsd report` read these files.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rmsd_cli.errors import INSTALL_LAB, CommandError, CommandUsageError

Value = str | int | float | None
Row = dict[str, Value]
"""Column -> value; None: not known, or not defined."""

KEYS = ("trace", "load", "seed", "recipe")
"""The columns that say which run a row is."""

_TEXTS = ("trace", "recipe", "run")
_LISTS = "["
"""A list, which has no place in a table, is kept as JSON in a text."""


def flattened(report: Mapping[str, Any], before: str = "") -> Row:
    """Return nested figures as columns: {"wait_s": {"mean": 3}} is {"wait_s.mean": 3}."""
    row: Row = {}
    for key, value in report.items():
        column = sys.intern(before + key)  # thousands of rows have the same
        if isinstance(value, Mapping):
            row |= flattened(value, f"{column}.")
        elif isinstance(value, list | tuple):
            row[column] = json.dumps(value)
        else:
            row[column] = value
    return row


def columns(rows: Iterable[Row]) -> list[str]:
    """Return the columns of all rows: the keys, then the others in the order of their first row."""
    found = dict.fromkeys(KEYS)
    for row in rows:
        found |= dict.fromkeys(row)
    return list(found)


def check_name(path: Path) -> None:
    """Check that results can be written to this file, before hours are spent on them.

    Raises:
        CommandUsageError: another ending than .csv or .parquet.
        CommandError: no such folder, or no pyarrow for Parquet.
    """
    _kind(path)
    if not path.parent.is_dir():
        raise CommandError(f"cannot write {path}: there is no folder {path.parent}")
    if path.suffix == ".parquet":
        _arrow(path)


def write_results(path: Path, rows: Sequence[Row]) -> None:
    """Write the results: the whole file or nothing.

    Raises:
        CommandUsageError: another ending than .csv or .parquet.
        CommandError: it cannot be written, or there is no pyarrow.
    """
    content = _kind(path).write(path, rows)
    new = path.with_name(f"{path.name}.new")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def read_results(path: Path) -> list[Row]:
    """Return the rows that `write_results` wrote.

    Raises:
        CommandUsageError: another ending than .csv or .parquet.
        CommandError: it cannot be read, or is no result of a study.
    """
    kind = _kind(path)
    try:
        rows = kind.read(path, path.read_bytes())
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # pyarrow's own errors are such
        raise CommandError(f"{path} cannot be read as {path.suffix[1:]}: {error}") from None
    missing = [key for key in KEYS if rows and key not in rows[0]]
    if missing or not rows:
        why = f"no column '{missing[0]}'" if missing else "no row"
        raise CommandError(f"{path} is no result of `rmsd study`: it has {why}")
    return rows


def rows_of(path: Path) -> list[Row]:
    """Return a row for each run of a results file, or of the --json of `rmsd study`, `rmsd
    simulate` or `rmsd replay`.

    Raises:
        CommandUsageError, CommandError: as `read_results`; it is JSON of something else.
    """
    if path.suffix != ".json":
        return read_results(path)
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(report, dict) and report["schema"] == "rmsd.study/1":
            return [flattened({**one["figures"], **one}) for one in report["runs"]]
        return [_row_of_run(one) for one in (report if isinstance(report, list) else [report])]
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CommandError(
            f"{path} is no --json of `rmsd study`, `rmsd simulate` or `rmsd replay`"
        ) from None


def _row_of_run(report: Mapping[str, Any]) -> Row:
    """Return the row of a run's report. Raises ValueError or KeyError if it is no report of a
    run."""
    if report["schema"] != "rmsd.run/1":
        raise ValueError(report["schema"])
    load = report["manifest"]["options"].get("load")
    return flattened({**report, "load": load, "seed": None})


def _to_csv(_: Path, rows: Sequence[Row]) -> bytes:
    text = io.StringIO()
    names = columns(rows)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    # csv writes None as an empty field
    writer.writerows([row.get(name) for name in names] for row in rows)
    return text.getvalue().encode()


def _from_csv(_: Path, content: bytes) -> list[Row]:
    lines = csv.DictReader(io.StringIO(content.decode(), newline=""), strict=True)
    rows = []
    try:
        for line in lines:
            if None in line or None in line.values():
                raise ValueError(f"line {lines.line_num} has not as many fields as the first")
            rows.append({name: _value(name, text) for name, text in line.items()})
    except csv.Error as error:
        raise ValueError(f"line {lines.line_num}: {error}") from None
    return rows


def _value(name: str, text: str) -> Value:
    if not text:
        return None
    if name in _TEXTS or text.startswith(_LISTS):
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _to_parquet(path: Path, rows: Sequence[Row]) -> bytes:
    arrow = _arrow(path)
    import pyarrow.parquet

    names = columns(rows)
    arrays = [_array(arrow, [row.get(name) for row in rows]) for name in names]
    sink = arrow.BufferOutputStream()
    pyarrow.parquet.write_table(arrow.table(arrays, names), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _array(arrow: Any, values: Sequence[Value]) -> Any:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, str) for value in known):
        return arrow.array(values, arrow.string())
    if known and all(isinstance(value, int) for value in known):
        return arrow.array(values, arrow.int64())
    numbers = [None if value is None else float(value) for value in values]
    return arrow.array(numbers, arrow.float64())


def _from_parquet(path: Path, content: bytes) -> list[Row]:
    arrow = _arrow(path)
    import pyarrow.parquet

    rows: list[Row] = pyarrow.parquet.read_table(arrow.BufferReader(content)).to_pylist()
    return rows


def _arrow(path: Path) -> Any:
    """Return the module pyarrow. The import is here because only Parquet needs the library."""
    try:
        import pyarrow
    except ImportError:
        raise CommandError(
            f"{path}: Parquet needs pyarrow ({INSTALL_LAB}); or name a file that ends in .csv"
        ) from None
    return pyarrow


class _Kind(NamedTuple):
    write: Callable[[Path, Sequence[Row]], bytes]
    read: Callable[[Path, bytes], list[Row]]


_KINDS = {".csv": _Kind(_to_csv, _from_csv), ".parquet": _Kind(_to_parquet, _from_parquet)}


def _kind(path: Path) -> _Kind:
    try:
        return _KINDS[path.suffix]
    except KeyError:
        raise CommandUsageError(
            f"{path}: results are {' or '.join(_KINDS)} files, by their name"
        ) from None
