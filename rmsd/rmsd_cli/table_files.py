"""Tables of any length as files: comma-separated values, and Parquet. One part of a table is in
memory at a time."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from rmsd_cli.errors import INSTALL_LAB, CommandError, CommandUsageError

STDOUT = Path("-")
_IN_GROUP = 5000
"""The rows of a row group of Parquet, which is made in memory: some 6 MB of jobs."""
_ARROW = {
    "text": "string",
    "int": "int64",
    "float": "float64",
    "bool": "bool",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class FileColumn(NamedTuple):
    """A column of a table. The values of a "time" are microseconds of Unix time. Any value may be
    None: it is not known, or there is none."""

    name: str
    kind: Literal["text", "int", "float", "bool", "time"] = "text"


Table = Iterable[Sequence[Any]]
"""The rows of a table, each with a value for each column."""


def write_csv(path: Path, columns: Sequence[FileColumn], rows: Table) -> None:
    """Write a table as comma-separated values (RFC 4180, lines end with a newline): None is empty,
    times are those of RFC 3339. A text that a spreadsheet would take for a formula has an
    apostrophe before it. A file with .gz at its end is compressed.

    Raises:
        CommandError: the file cannot be written.
    """
    spelled = {
        at: _SPELLED[column.kind] for at, column in enumerate(columns) if column.kind in _SPELLED
    }
    with open_bytes(path) as file:
        out = csv.writer(_Encoded(file), lineterminator="\n")
        out.writerow([column.name for column in columns])
        for row in rows:
            values = list(row)
            for at, text_of in spelled.items():
                if values[at] is not None:
                    values[at] = text_of(values[at])
            out.writerow(values)


class _Encoded:
    """A text file above one of bytes, which stays open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "backslashreplace"))


def _time_text(at_us: int) -> str:
    """Return an instant with its microseconds, as 2027-01-15T08:00:00.123456Z.

    Raises:
        CommandError: it is beyond the years 1 to 9999.
    """
    try:
        at = _EPOCH + timedelta(microseconds=at_us)
    except OverflowError:
        raise CommandError(f"a time of the table is beyond all years: {at_us} us") from None
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _flag_text(value: bool) -> str:
    return "true" if value else "false"


def _plain_text(text: Any) -> str:
    """Return a text as a spreadsheet shows it. Users name their jobs, and a formula in the table of
    an administrator could send others' rows elsewhere, or start a program."""
    shown = str(text)
    return f"'{shown}" if shown.startswith(_FORMULAS) else shown


_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
_SPELLED: Mapping[str, Callable[[Any], str]] = {
    "time": _time_text,
    "bool": _flag_text,
    "text": _plain_text,
}
"""The functions that spell a value of a kind; csv itself spells the others."""


def check_parquet(path: Path) -> None:
    """Raise CommandError if Parquet cannot be written here, or not to this file."""
    if path == STDOUT or path.suffix == ".gz":
        raise CommandUsageError(
            "Parquet is compressed already, and is not written to standard output; name a file "
            "that ends in .parquet"
        )
    _arrow()


def write_parquet(path: Path, columns: Sequence[FileColumn], rows: Table) -> None:
    """Write a table as Parquet, each column with its type.

    Raises:
        CommandError: the file cannot be written, or there is no pyarrow.
    """
    check_parquet(path)
    arrow = _arrow()
    import pyarrow.parquet

    schema = arrow.schema([(column.name, _type(arrow, column)) for column in columns])
    left = iter(rows)
    with open_bytes(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as out:
        while some := list(islice(left, _IN_GROUP)):
            pairs = zip(zip(*some, strict=True), schema, strict=True)
            arrays = [_array(arrow, values, field) for values, field in pairs]
            out.write_table(arrow.Table.from_arrays(arrays, schema=schema))
            del some, pairs, arrays  # no two parts are in memory at a time


def _array(arrow: Any, values: Sequence[Any], field: Any) -> Any:
    try:
        return arrow.array(values, field.type)
    except (ValueError, OverflowError) as error:  # pyarrow's own errors are ValueErrors
        raise CommandError(f"a value of {field.name} cannot be written: {error}") from None


def _type(arrow: Any, column: FileColumn) -> Any:
    if column.kind == "time":
        return arrow.timestamp("us", tz="UTC")
    return arrow.type_for_alias(_ARROW[column.kind])


def _arrow() -> Any:
    """Return the module pyarrow. The import is here because only Parquet needs the library."""
    try:
        import pyarrow
    except ImportError:
        raise CommandError(f"Parquet needs pyarrow ({INSTALL_LAB}); CSV does without") from None
    return pyarrow


@contextmanager
def open_bytes(path: Path, level: int = 9) -> Iterator[BinaryIO]:
    """Open a file to write bytes to; `-` is standard output, and .gz at its end compresses, at this
    level.

    Raises:
        CommandError: the file cannot be written.
    """
    if path == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with path.open("wb") as file:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", level, file, mtime=0) as packed:
                    yield cast("BinaryIO", packed)
            else:
                yield file
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
