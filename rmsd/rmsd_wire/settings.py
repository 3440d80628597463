"""Tables of settings: a frozen dataclass whose fields are the rows.

Each field says how its value is read, its default and its meaning. The table gives the values of
the program, its options and --help, and documents (`python -m tests.settings_documents`). Standard
library only.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, Generic, Required, TypedDict, TypeVar, Unpack

Env = Mapping[str, str]

_T_co = TypeVar("_T_co", covariant=True)
_ROW = "setting"
_WIDTH, _COLUMN = 80, 35
"""The characters of a line of --help, and those before the meanings of keys."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[_T_co]):
    """A kind of value, such as a duration.

    `parse` reads a value of a file or of the command line, and raises ValueError, TypeError or
    OverflowError for one that is not usable. `accepts` says in Markdown what is accepted, with the
    unit. `argument` has what `argparse` is told of the option.
    """

    parse: Callable[[Any], _T_co]
    accepts: str
    argument: Mapping[str, Any] = field(default_factory=dict)


class About(TypedDict, total=False):
    """The properties of a row beside its kind and its default. Texts are Markdown.

    `meaning`: a phrase without a full stop. `details`: sentences. `see`: sentences with links, for
    the guide alone. `group`: the heading in the documents. `key`: the name in files and options, if
    it is not the attribute's. `option`: whether the command line has it. `by_default`: words for a
    default that is not one value. `environment`: the variable that the default comes from, and
    `from_env` reads it. `example`: a value that documents show if the default is in words.
    `sighup`: the effect of SIGHUP when the value has changed; every other setting needs a restart.
    """

    meaning: Required[str]
    details: str
    see: str
    group: str
    key: str
    option: bool
    by_default: str
    environment: str
    from_env: Callable[[Env], object]
    example: object
    sighup: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of a table of settings. `default` is spelled as in a file; `About` has the rest."""

    kind: Kind[object]
    meaning: str
    default: object = None
    details: str = ""
    see: str = ""
    group: str = ""
    key: str = ""
    option: bool = False
    by_default: str = ""
    environment: str = ""
    from_env: Callable[[Env], object] | None = None
    example: object = None
    sighup: str = ""
    field: str = ""
    required: bool = False

    @property
    def option_name(self) -> str:
        return "--" + self.key.replace("_", "-")

    @property
    def explanation(self) -> str:
        """Return the meaning, followed by sentences if there are more to say."""
        sighup = f"SIGHUP: {self.sighup}." if self.sighup else ""
        more = " ".join(filter(None, (self.details, sighup)))
        return f"{self.meaning}. {more}" if more else self.meaning

    @property
    def default_words(self) -> str:
        """Return the default in plain words, as the command line spells it."""
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        return self.by_default.replace("`", "") or str(self.default)

    @property
    def shown(self) -> object:
        """Return the value that documents show: the default, or an example if it is not one
        value."""
        return self.default if self.example is None else self.example

    def parse_text(self, text: str) -> object:
        """Read a word of the command line, for `argparse`."""
        try:
            return self.kind.parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None


def setting(kind: Kind[_T_co], default: object, **about: Unpack[About]) -> _T_co:
    """Return a field of a table with a default, which is spelled as in a file."""
    row = Setting(kind, default=default, **about)
    made: _T_co = field(default=kind.parse(default), metadata={_ROW: row})
    return made


def unset(kind: Kind[_T_co], **about: Unpack[About]) -> _T_co | None:
    """Return a field of a table whose value is None if it is not set."""
    made: _T_co | None = field(default=None, metadata={_ROW: Setting(kind, **about)})
    return made


def described(kind: Kind[object], **about: Unpack[About]) -> Mapping[str, Any]:
    """Return the metadata of a field without a default: `field(metadata=described(...))`."""
    return {_ROW: Setting(kind, **about)}


def settings_of(table: type[Any]) -> tuple[Setting, ...]:
    """Return the rows of a table in their order."""
    rows: list[Setting] = []
    for each in fields(table):
        row: Setting = each.metadata[_ROW]
        required = each.default is MISSING and row.from_env is None
        rows.append(replace(row, key=row.key or each.name, field=each.name, required=required))
    return tuple(rows)


def toml(value: object) -> str:
    """Return a value of a setting as a TOML file spells it, on one line."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key} = {toml(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value)


# ---------------------------------------------------------------- the command line


def add_options(
    parser: argparse.ArgumentParser, settings: Iterable[Setting], *, parse: bool
) -> None:
    """Add the options of a table. An option that is not given is not in the parsed arguments.

    With `parse`, `argparse` reads the values by their kinds, and a required setting is a required
    option. Without it, they stay as they were given.
    """
    for row in settings:
        if not row.option:
            continue
        more: dict[str, Any] = dict(row.kind.argument)
        if parse:
            more["required"] = row.required
            if "action" not in more:
                more["type"] = row.parse_text
        parser.add_argument(
            row.option_name, default=argparse.SUPPRESS, help=option_help(row), **more
        )


def option_help(row: Setting) -> str:
    """Return the text of an option in --help."""
    text = row.explanation
    if not row.required and row.default is not False:
        text += f" (default: {row.default_words})"
    return text.replace("%", "%%")


def keys_help(settings: Iterable[Setting]) -> str:
    """Return lines of --help about the keys that have no option, with defaults or examples."""
    return "\n".join(line for row in settings if not row.option for line in _key_help(row))


def _key_help(row: Setting) -> list[str]:
    key = f"    {row.key} = {toml(row.shown)}"
    text = f"{row.meaning} (default: {row.default_words})" if row.by_default else row.meaning
    lines = textwrap.wrap(text, _WIDTH - _COLUMN, break_on_hyphens=False)
    if len(key) < _COLUMN:
        return [f"{key:{_COLUMN}}{lines[0]}", *(" " * _COLUMN + line for line in lines[1:])]
    return [key, *(" " * _COLUMN + line for line in lines)]


def environment_help(settings: Iterable[Setting]) -> str:
    """Return the lines of --help about the variables that defaults come from."""
    return "\n".join(
        f"  {row.environment:17} for the default of {row.option_name}"
        for row in settings
        if row.environment
    )
