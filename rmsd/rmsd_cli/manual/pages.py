"""The manual: a page for each program, each command of `rmsd` and the configuration file, made from
the parsers and tables that the programs read their arguments by."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rmsd_cli import main
from rmsd_cli.completion.words import CLIENTS
from rmsd_cli.manual.roff import bold, definition, escaped, italic, prose, sections, verbatim
from rmsd_client.submit import rsub_help
from rmsd_client.submit.options import OPTIONS, Option
from rmsd_daemon.setup.config import SETTINGS
from rmsd_wire.settings import Setting, toml

WIDTH = 74
"""The columns of a terminal of 80 that a page leaves for lines which are shown as they are."""


@dataclass(frozen=True, slots=True)
class ManPage:
    """A page: its name, its section of the manual, a line about it, and the parts, in roff."""

    name: str
    section: int
    about: str
    parts: Sequence[tuple[str, str]]

    @property
    def file_name(self) -> str:
        return f"{self.name}.{self.section}"

    @property
    def reference(self) -> str:
        return f"{bold(self.name)}({self.section})"

    def roff(self, date: str, version: str, see_also: Sequence[ManPage]) -> str:
        """Return the text of the page's file."""
        parts = [
            ("name", f"{escaped(self.name)} \\- {prose(self.about)}"),
            *self.parts,
            ("see also", ",\n".join(page.reference for page in see_also)),
        ]
        title = f'.TH {escaped(self.name.upper())} {self.section} "{date}" "rmsd {version}" rmsd'
        made = [
            ".\\\" Made by `rmsd man-pages` from the program's own tables.",
            title,
            ".ad l",
            ".nh",
        ]
        for heading, text in parts:
            made += [f'.SH "{escaped(heading.upper())}"', text.removeprefix(".PP\n")]
        return "\n".join(made) + "\n"


def pages() -> list[ManPage]:
    """Return all pages, and the overview first."""
    agent = importlib.import_module("rmsd_agent.command_line").command_line()
    clients = [
        page_of(importlib.import_module(module).command_parser()) for module in CLIENTS.values()
    ]
    return [
        page_of(main.program_parser()),
        _rsub(),
        *clients,
        page_of(agent, section=8),
        _configuration(),
        *_commands("rmsd", main.COMMANDS),
    ]


def related(page: ManPage, every: Sequence[ManPage]) -> list[ManPage]:
    """Return the pages that a page names at its end: its own commands, the command that it is of,
    and without either all that are of no command."""
    own = [one for one in every if one.name.startswith(f"{page.name}-") and page.section == 1]
    above = [one for one in every if page.name.startswith(f"{one.name}-") and one.section == 1]
    if page.name == "rmsd" or not (own or above):
        of_none = [one for one in every if "-" not in one.name or one.section != 1]
        return [one for one in [*of_none, *own] if one is not page]
    of_start = [one for one in every if page.name == "rmsd-start" and one.section == 5]
    return [*above, *own, *of_start]


def _commands(program: str, commands: main.Commands) -> Iterator[ManPage]:
    for word, (module_name, about) in commands.items():
        module = importlib.import_module(module_name)
        name = f"{program} {word}"
        if hasattr(module, "COMMANDS"):
            yield page_of(main.group_parser(name, module), about)
            yield from _commands(name, module.COMMANDS)
        else:
            yield page_of(main.command_parser(name, module), about)


def page_of(parser: argparse.ArgumentParser, about: str = "", section: int = 1) -> ManPage:
    """Return the page of a parser; `about` is by default the description's first sentence."""
    told = sections(parser.description or "")
    parts = [("synopsis", _synopsis(parser)), *_described(told), *_arguments(parser)]
    parts += [(heading or "notes", text) for heading, text in sections(parser.epilog or "")]
    first = " ".join((parser.description or "").split()).partition(". ")[0].rstrip(".")
    name = parser.prog.replace(" ", "-")
    return ManPage(name, section, about or _uncapitalized(first), parts)


def _uncapitalized(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _described(told: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for heading, text in told:
        yield heading or "description", text


def _synopsis(parser: argparse.ArgumentParser) -> str:
    usage = parser.format_usage().rstrip().removeprefix("usage: ").splitlines()
    return verbatim([usage[0], *(line.removeprefix("       ") for line in usage[1:])])


def _arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for group in parser._action_groups:  # argparse has no other list of its groups
        shown = [one for one in group._group_actions if one.help != argparse.SUPPRESS]
        if not shown:
            continue
        title = "arguments" if group.title == "positional arguments" else str(group.title)
        intro = [f".PP\n{prose(group.description)}"] if group.description else []
        yield title, "\n".join([*intro, *(_argument(parser, action) for action in shown)])


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    if isinstance(action, argparse._SubParsersAction):
        return "\n".join(_subcommand(*item) for item in action.choices.items())
    formatter = parser._get_formatter()  # argparse's own words for values and defaults
    help_text = prose(formatter._expand_help(action)) if action.help else ""
    if not action.option_strings:
        return definition(bold(formatter._format_action_invocation(action)), help_text)
    value = ""
    if action.nargs != 0:
        named = formatter._format_args(action, formatter._get_default_metavar_for_optional(action))
        value = f" {italic(named)}"
    term = ", ".join(f"{bold(flag)}{value}" for flag in action.option_strings)
    return definition(term, help_text)


def _subcommand(name: str, parser: argparse.ArgumentParser) -> str:
    """Return what a parser says of a subcommand, as a part of the page of its command."""
    parts = [f'.SS "{escaped(name)}"', _synopsis(parser)]
    parts += [text for _, text in sections(parser.description or "")]
    parts += [text for _, text in _arguments(parser)]
    for heading, text in sections(parser.epilog or ""):
        parts += [f".PP\n{bold(heading)}"] if heading else []
        parts.append(text)
    return "\n".join(parts)


# ---------------------------------------------------------------- tables of our own


def _rsub() -> ManPage:
    usage, _, description = rsub_help.HEAD.partition("\n\n")
    lines = [line[7:] for line in usage.splitlines()]
    (_, described), (_, sources) = *sections(description), *sections(rsub_help.SOURCES)
    options = "\n".join(_option(option) for option in OPTIONS)
    return ManPage(
        "rsub",
        1,
        _uncapitalized(description.partition(".")[0]),
        [
            ("synopsis", verbatim(lines)),
            ("description", described),
            ("options", f"{options}\n{sources}"),
            *sections(rsub_help.TAIL),
        ],
    )


def _option(option: Option) -> str:
    value = f"={option.meta}" if option.meta else ""
    value = f"[{value}]" if option.optional else value
    flags = [f"-{option.short}"] if option.short else []
    term = ", ".join(map(bold, [*flags, f"--{option.name}"])) + (italic(value) if value else "")
    return definition(f"{term}{'' if option.everywhere else ' *'}", prose(option.help))


def _configuration() -> ManPage:
    groups = [
        (group, "\n".join(map(_setting, rows)))
        for group, rows in groupby(SETTINGS, lambda row: row.group)
    ]
    return ManPage(
        "rmsd.toml",
        5,
        "configuration of the daemon of rmsd",
        [
            ("synopsis", verbatim(["/etc/rmsd/rmsd.toml", "~/.config/rmsd/rmsd.toml"])),
            (
                "description",
                prose(
                    "The daemon reads this file at its start. It is TOML, with a key for each "
                    "setting; durations and sizes need a unit. A setting with an option has that "
                    "on the command line of `rmsd start`, which wins. Most settings take effect at "
                    "the next start. Those that tell of SIGHUP change while the daemon runs. An "
                    "unknown key or an unusable value is an error that names the key."
                ),
            ),
            *groups,
        ],
    )


def _setting(row: Setting) -> str:
    term = f"{bold(row.key)} = {italic(toml(row.shown))}"
    explanation = row.explanation.removesuffix(".")
    told = f"{explanation[0].upper()}{explanation[1:]}. Value: {row.kind.accepts}."
    if row.option:
        told += f" Option: `{row.option_name}`."
    default = row.by_default or ("" if row.default is None else f"`{toml(row.default)}`")
    return definition(term, prose(f"{told} Default: {default}." if default else told))
