"""The documents: links lead somewhere, commands in examples exist, prose fits a window."""

from __future__ import annotations

import ast
import io
import itertools
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest

from rmsd_agent.options import OPTIONS
from rmsd_cli import main
from rmsd_daemon.setup.config import SETTINGS
from tests import settings_documents
from tests.pages import COMMANDS, SPAN, split

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PAGES = sorted(
    [
        *(ROOT / "docs").glob("*.md"),
        *(
            ROOT / name
            for name in (
                "README.md",
                "SECURITY.md",
                "CHANGELOG.md",
                "deploy/README.md",
                "deploy/ansible/README.md",
            )
        ),
    ]
)
WIDTH = 120

_LINK = re.compile(r"\[[^\]\[]*\]\(([^()\s]+)\)")
_WORD = re.compile(r"[a-z][a-z-]*")
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def _anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, made as GitHub makes them."""
    anchors: dict[str, int] = {}
    for line in split(page)[0]:
        if match := re.match(r"#+ (.*)", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
            anchor = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
            times = anchors.get(anchor, 0)
            anchors[anchor] = times + 1
            if times:
                anchors[f"{anchor}-{times}"] = 1
    return frozenset(anchors)


def _links(page: Path) -> Iterator[str]:
    text = "\n".join(split(page)[0])
    for match in _LINK.finditer(text):
        if not re.match(r"[a-z]+:", match[1]):
            yield match[1]


def _is_broken(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in _anchors(target)


@pages
def test_every_relative_link_and_anchor_leads_somewhere(page: Path) -> None:
    assert [link for link in _links(page) if _is_broken(page, link)] == []


@pages
def test_prose_fits_a_window(page: Path) -> None:
    lines = (line for line in split(page)[0] if not line.startswith("|"))
    assert [line for line in lines if len(line) >= WIDTH] == []


def test_every_page_is_listed() -> None:
    listed = set(_links(ROOT / "docs/README.md"))
    assert sorted(page.name for page in (ROOT / "docs").glob("*.md")) == sorted(
        {link for link in listed if link.endswith(".md") and "/" not in link} | {"README.md"}
    )
    assert "glossary.md" in listed


def test_the_settings_are_told_as_their_tables_have_them() -> None:
    """If this fails, `python -m tests.settings_documents` makes the documents again."""
    told = settings_documents.GUIDE.read_text()
    assert settings_documents.guide(told) == told
    assert settings_documents.EXAMPLE.read_text() == settings_documents.example()


def test_what_documents_show_of_a_setting_is_accepted() -> None:
    for row in SETTINGS:
        row.kind.parse(row.shown)


def test_the_help_has_every_setting() -> None:
    told = _help("rmsd", "start")
    names = [row.option_name if row.option else f"\n    {row.key} = " for row in SETTINGS]
    assert [name for name in names if name not in told] == []
    assert [row.key for row in OPTIONS if row.option_name not in _help("rmsd-agent")] == []


_LOGGED = re.compile(r"\blog\.\w+\(\s*\"([a-z]+(?:-[a-z]+)*)\"")


def _events_of(package: str) -> set[str]:
    files = (ROOT / package).rglob("*.py")
    return {event for file in files for event in _LOGGED.findall(file.read_text())}


def _events_told(heading: str) -> set[str]:
    """Return the events in the first column of the table with this heading."""
    lines = (ROOT / "docs/admin-operation.md").read_text().splitlines()
    rows = itertools.takewhile(bool, lines[lines.index(heading) + 2 :])
    return {event for row in rows for event in SPAN.findall(row.split("|")[1])}


@pytest.mark.parametrize(
    ("package", "heading", "made_of_parts"),
    [
        (
            "rmsd/rmsd_daemon",
            "| daemon's event | keys | meaning |",
            {
                *("node-drain", "node-resume", "node-reboot", "node-cancel-reboot"),
                *("token-new", "token-revoke"),
            },
        ),
        ("agents/rmsd_agent", "| agent's event | meaning |", set()),
    ],
)
def test_the_events_of_the_logs_are_told(
    package: str, heading: str, made_of_parts: set[str]
) -> None:
    told = _events_told(heading) - made_of_parts
    logged = _events_of(package)
    sources = "".join(file.read_text() for file in (ROOT / package).rglob("*.py"))
    assert sorted(logged - told) == []
    assert [event for event in sorted(told) if f'"{event}"' not in sources] == []


PACKAGES = {
    "core": "rmsd/rmsd_core",
    "wire": "rmsd/rmsd_wire",
    "daemon": "rmsd/rmsd_daemon",
    "lab": "rmsd/rmsd_lab",
    "cli": "rmsd/rmsd_cli",
    "lab_cli": "rmsd/rmsd_lab_cli",
    "agent": "agents/rmsd_agent",
    "client": "client/rmsd_client",
    "tests": "tests",
}
GLOSSARY = ROOT / "docs/glossary.md"
_TERM = re.compile(r"\| (.+?) \| (.+) \| (\w+): (`.+`) \|")


def _terms() -> Iterator[tuple[str, str, str]]:
    """Yield the terms of the glossary with the packages and the files that own them."""
    for line in split(GLOSSARY)[0]:
        if match := _TERM.fullmatch(line):
            for file in re.findall(r"`(.+?)`", match[4]):
                yield match[1], match[3], file


def test_the_glossary_names_files_that_exist() -> None:
    terms = list(_terms())
    assert len(terms) > 100
    missing = [
        (term, package, file)
        for term, package, file in terms
        if not any((ROOT / PACKAGES[package]).rglob(file))
    ]
    assert missing == []


def test_the_glossary_explains_each_term_once() -> None:
    terms = {(term, owner) for term, owner, _ in _terms()}
    names = sorted(term for term, _ in terms)
    assert [name for name in names if names.count(name) > 1] == []


_WORDS_OF_NAME = re.compile(r"[A-Z][a-z]+|[A-Z]+(?![a-z])")
_ORDINARY = {"error", "illegal", "insane", "list", "parsed", "recent", "transition", "why"}
"""The words in names of the core's classes that mean what they mean everywhere."""


def _stem(word: str) -> str:
    return re.sub(r"(ies|y|es|s|ed|ing|e)$", "", word.lower())


def test_the_glossary_has_the_words_of_which_the_core_names_its_classes() -> None:
    """A class `SetPolicies` asks for "policy", in any form, somewhere in the glossary."""
    known = {_stem(word) for word in re.findall(r"[A-Za-z]+", GLOSSARY.read_text())}
    wanted = {
        (word.lower(), node.name)
        for file in (ROOT / "rmsd/rmsd_core").rglob("*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        for word in _WORDS_OF_NAME.findall(node.name)
    }
    assert len(wanted) > 200
    missing = [one for one in sorted(wanted) if _stem(one[0]) not in known]
    assert [one for one in missing if one[0] not in _ORDINARY] == []


def _words(page: Path) -> Iterator[list[str]]:
    """Yield the commands of rmsd's that a page shows, in code blocks and in spans of code.

    In a block with prompts, lines without one are output.
    """
    prose, blocks = split(page)
    for block in blocks:
        lines = "\n".join(block).replace("\\\n", " ").splitlines()
        prompts = [line[2:] for line in lines if line.startswith("$ ")]
        for line in prompts or lines:
            yield from _commands_of(line)
    for match in SPAN.finditer("\n".join(prose)):
        if match[1].split(" ")[0] in COMMANDS:
            yield from _commands_of(match[1])


def _commands_of(line: str) -> Iterator[list[str]]:
    """Yield the commands of rmsd's that a shell would run for a line of an example."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # output, with a quote in it
        return
    command: list[str] | None = None
    start = True
    for word in words:
        if start and word in COMMANDS:
            command = [word]
        elif set(word) <= set("();<>|&"):
            if command is not None:
                yield command
            command = None
            start = word not in ("<", ">", ">>")
            continue
        elif command is not None:
            command.append(word)
        start = start and re.match(r"\w+=|umask|\d+$|do$", word) is not None
    if command is not None:
        yield command


@cache
def _help(*command: str) -> str:
    """Return what the command says of itself, or nothing if there is no such command."""
    if command[0] == "rmsd":  # here, so that what the commands share is imported once
        return _help_of_rmsd([*command[1:], "--help"])
    run = subprocess.run([BIN / command[0], "--help"], capture_output=True, text=True, check=True)
    return run.stdout


def _help_of_rmsd(arguments: list[str]) -> str:
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(io.StringIO()):
        try:
            main.run(arguments)
        except SystemExit as end:  # argparse, after --help
            return text.getvalue() if not end.code else ""
    raise AssertionError(f"{arguments} did more than to explain")


def _wrong(words: list[str]) -> str | None:
    """Return what is wrong with a command: the subcommand or option that does not exist."""
    command: tuple[str, ...] = (words[0],)
    rest = words[1:]
    while rest and _WORD.fullmatch(rest[0]) and _has_subcommands(command):
        command, rest = (*command, rest[0]), rest[1:]
        if not _help(*command):
            return " ".join(command)
    known = set(_OPTION.findall(_help(*command)))
    for word in _own_words(command, rest):
        if (option := _OPTION.match(word)) and not _is_known(option[0], known):
            return f"{' '.join(command)} {option[0]}"
    return None


def _has_subcommands(command: tuple[str, ...]) -> bool:
    """Return whether the usage of the command ends with a placeholder for another command."""
    usage = _help(*command).split("\n\n")[0]
    return command[0] == "rmsd" and usage.endswith(("COMMAND", "..."))


def _own_words(command: tuple[str, ...], rest: list[str]) -> Iterator[str]:
    """Yield the words that are the command's own: not those of a script that it submits."""
    takes_a_program = command[0] in ("rsub", "rrun", "ralloc")
    value = False
    for word in rest:
        if word == "--" or (takes_a_program and not value and not word.startswith("-")):
            return
        value = takes_a_program and re.fullmatch(r"-[A-Za-z]|--[a-z-]+", word) is not None
        value = value and word not in _FLAGS
        yield word


_FLAGS = ("-W", "--wait", "-Q", "--quiet", "--parsable", "--json", "-l", "--no-requeue")


def _is_known(option: str, known: set[str]) -> bool:
    if option in known or option in ("--help", "-h"):
        return True
    clustered = re.fullmatch(r"-[A-Za-z]\S+", option)
    return clustered is not None and option[:2] in known


def test_every_command_and_option_of_an_example_exists() -> None:
    wrong = {
        (page.name, problem)
        for page in PAGES
        for words in _words(page)
        if (problem := _wrong(words)) is not None
    }
    assert sorted(wrong) == []


def test_a_command_that_does_not_exist_is_found() -> None:
    assert _wrong(["rmsd", "simulat", "t.swf"]) == "rmsd simulat"
    assert _wrong(["rmsd", "token", "new", "--rol", "agent"]) == "rmsd token new --rol"
    assert _wrong(["rsub", "--wrapp", "true"]) == "rsub --wrapp"
    assert _wrong(["rsub", "-n", "2", "job.sh", "--of-the-script"]) is None
    assert list(_commands_of("id=1 rsub --parsable job.sh && (umask 077; rmsd status > f)")) == [
        ["rsub", "--parsable", "job.sh"],
        ["rmsd", "status"],
    ]
