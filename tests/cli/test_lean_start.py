"""A start of the daemon loads no more than it needs, and collects no garbage meanwhile."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_cli import main
from rmsd_process.lean_start import no_collections, without

_UNNEEDED = (
    *("alembic", "cryptography", "jinja2", "matplotlib", "mcp", "numpy", "opentelemetry"),
    *("psutil", "pyarrow", "pygments", "rich", "textual", "aiosmtplib"),
)


def test_a_start_loads_no_library_that_it_does_not_need() -> None:
    """structlog loads rich and pygments if it can: 66 modules, for tracebacks that are not used."""
    code = (
        "import sys, rmsd_cli.main, rmsd_cli.start, rmsd_daemon.server\n"
        f"print(*(sys.modules.keys() & {set(_UNNEEDED)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.fixture(autouse=True)
def _with_collections() -> Iterator[None]:
    """Have garbage collected, whatever another test of this process has left."""
    gc.enable()
    yield
    gc.enable()


def test_commands_are_loaded_without_collections_of_garbage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Collections took a fifth of the time in which the daemon's modules are loaded."""
    (tmp_path / "command_for_a_test.py").write_text(
        "import gc\n"
        "EPILOG, found = '', [gc.isenabled()]\n"
        "def add_arguments(parser): pass\n"
        "def run(args): found.append(gc.isenabled()); return 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    commands = cast("dict[str, Any]", main.COMMANDS)
    monkeypatch.setitem(commands, "of-test", ("command_for_a_test", "a command"))
    assert main.run(["of-test"]) == 0
    assert sys.modules["command_for_a_test"].found == [False, True]
    del sys.modules["command_for_a_test"]


def test_collections_go_on_after_an_error_and_stay_off_where_they_were() -> None:
    with pytest.raises(KeyError), no_collections(), no_collections():
        raise KeyError
    assert gc.isenabled()


def test_a_package_is_hidden_within_a_block_unless_it_is_loaded() -> None:
    with without("this"):
        with pytest.raises(ModuleNotFoundError):
            __import__("this")
        with without("json"):
            assert __import__("json").dumps(1) == "1"
    assert "this" not in sys.modules
