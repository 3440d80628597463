"""The man pages: each program and command has one with all of its options, which mandoc and groff
find nothing wrong with."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from rmsd_cli.main import COMMANDS
from rmsd_cli.manual.roff import sections
from rmsd_client.submit.options import OPTIONS
from rmsd_daemon.setup.config import SETTINGS
from tests.commands import rmsd, run_program
from tests.manual_documents import manual as made_pages
from tests.manual_documents import present

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    assert rmsd("man-pages", folder).stdout.endswith(f" pages in {folder}\n")
    return folder


def page(manual: Path, name: str) -> str:
    """Return the text of a page, with hyphens as they are typed."""
    (found,) = manual.glob(f"man*/{name}.?")
    return found.read_text().replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")


@pytest.mark.slow
def test_each_program_and_command_has_a_page(manual: Path) -> None:
    programs = ["rsub", "rstat", "rdel", "rjob", "rnode", "rlog", "rattach", "rrun", "ralloc"]
    names = {path.name for path in manual.glob("man1/*")}
    assert names >= {f"{name}.1" for name in ["rmsd", *programs, *map("rmsd-{}".format, COMMANDS)]}
    assert "rmsd-trace-filter.1" in names
    assert (manual / "man8/rmsd-agent.8").exists()
    assert (manual / "man5/rmsd.toml.5").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", ["rmsd", "rmsd-agent", "rstat", "rdel", "rjob", "rnode", "rattach", "rrun", "ralloc"]
)
def test_a_page_has_every_option_of_the_help(manual: Path, program: str) -> None:
    told = set(re.findall(r"--[a-z][a-z-]+", run_program(program, "--help").stdout))
    assert {option for option in told if option not in page(manual, program)} == set()


@pytest.mark.slow
def test_the_pages_of_tables_have_every_row(manual: Path) -> None:
    rsub, configuration = page(manual, "rsub"), page(manual, "rmsd.toml")
    assert [one.name for one in OPTIONS if f"--{one.name}" not in rsub] == []
    assert [row.key for row in SETTINGS if f"\n{row.key} = " not in configuration] == []


def test_a_subcommand_is_told_on_the_page_of_its_command(manual: Path) -> None:
    token = page(manual, "rmsd-token")
    assert '.SS "revoke"' in token
    assert "--role" in token


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse writes synopses otherwise")
def test_the_installed_pages_are_made_from_the_tables() -> None:
    """If this fails, `python -m tests.manual_documents` makes the pages again."""
    told = present()
    assert made_pages("2026-12-31") == told
    assert len(told) > 50


def test_a_wheel_installs_the_pages(tmp_path: Path) -> None:
    """`man` looks into share/man beside the folder of a program that is in PATH."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    folder = "rmsd-0.1.0.data/data/share/man"
    assert {name for name in names if "/man/" in name} == {f"{folder}/{one}" for one in present()}


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed here")
def test_mandoc_finds_nothing_wrong(manual: Path) -> None:
    pages = sorted(manual.glob("man*/*"))
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed here")
def test_groff_warns_of_nothing(manual: Path) -> None:
    """The command line is that of `man -l --warnings`."""
    pages = sorted(manual.glob("man*/*"))
    command = ["groff", "-mandoc", "-Tutf8", "-ww", "-rLL=80n", *pages]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "RSUB(1)" in done.stdout


@pytest.mark.slow
def test_the_date_is_that_of_the_sources(tmp_path: Path) -> None:
    rmsd("man-pages", tmp_path, env={"SOURCE_DATE_EPOCH": "86400", "PATH": "/usr/bin:/bin"})
    assert '"1970-01-02"' in (tmp_path / "man1/rmsd.1").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("is_looked_at", [True, False])
def test_a_folder_into_which_man_does_not_look_is_told(tmp_path: Path, is_looked_at: bool) -> None:
    folder, programs = tmp_path / "man", tmp_path / "bin"
    programs.mkdir()
    program = programs / "manpath"
    program.write_text(
        f"#!/bin/sh\necho /usr/share/man{':' + str(folder) if is_looked_at else ''}\n"
    )
    program.chmod(0o755)
    done = rmsd("man-pages", folder, env={"PATH": f"{programs}:/usr/bin:/bin"})
    assert (f"export MANPATH={folder}:" in done.stderr) is not is_looked_at


@pytest.mark.slow
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = rmsd("man-pages", tmp_path / "file", expect=1)
    assert done.stderr.startswith(f"rmsd man-pages: error: {tmp_path}/file")


HELP = """\
First words.

exit codes:
  0    done
  130  interrupted, which is said
       in two lines
  a longer term than fits
       explained below

An end with `code`.

examples:
  .begins with a dot
    x\\y
"""


def test_the_layout_of_a_help_becomes_macros() -> None:
    (_, intro), (codes, entries), (examples, shown) = sections(HELP)
    assert (codes, examples) == ("exit codes", "examples")
    assert intro == ".PP\nFirst words."
    assert entries == textwrap.dedent(
        """\
        .TP
        \\fB0\\fR
        done
        .TP
        \\fB130\\fR
        interrupted, which is said in two lines
        .TP
        \\fBa longer term than fits\\fR
        explained below
        .PP
        An end with \\fBcode\\fR."""
    )
    assert shown == ".EX\n\\&.begins with a dot\n  x\\ey\n.EE"
