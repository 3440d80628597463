"""Tables and progress bars: fitted to a terminal, and plain text into a pipe."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from itertools import takewhile

import pytest

from rmsd_cli.tables import grid

ROWS = [
    ["", "wait", "response", "utilization"],
    ["easy", "01:18:27", "01:34:02", "89.2%"],
    ["conservative", "2-00:00:01", "2-00:00:02", "7.0%"],
]
TABLE = f"from rmsd_cli.tables import grid\nprint(grid({ROWS!r}))"
PROGRESS = """
import time
from rmsd_cli.progress import Progress
with Progress("simulating [red]", 2000) as bar:
    while bar._bar is None:
        bar.update(1000)
print("done")
"""


def on_terminal(code: str, **env: str) -> str:
    """Return what a terminal of 80 columns gets from a Python program."""
    ours, theirs = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=known | {"TERM": "xterm", "COLUMNS": "80"} | env,
    ) as program:
        os.close(theirs)
        read = b"".join(takewhile(bool, iter(lambda: _read(ours), None)))
    os.close(ours)
    assert program.returncode == 0, read
    return read.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    """Read what is there; nothing when the other side is closed."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def test_a_pipe_gets_plain_lines_of_their_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert grid(ROWS).splitlines() == [
        "                    wait    response  utilization",
        "easy            01:18:27    01:34:02        89.2%",
        "conservative  2-00:00:01  2-00:00:02         7.0%",
    ]
    long = [["NAME", "WHAT"], ["x" * 300, "a b " * 100]]
    assert (
        grid(long, left=(0, 1), wrap=True).splitlines()[1]
        == f"{'x' * 300}  {'a b ' * 100}".rstrip()
    )


def test_columns_without_room_stand_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert grid(ROWS, indent=2).splitlines() == [
        "                      wait    response",
        "  easy            01:18:27    01:34:02",
        "  conservative  2-00:00:01  2-00:00:02",
        "",
        "                utilization",
        "  easy                89.2%",
        "  conservative         7.0%",
    ]


def test_a_last_column_may_be_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    rows = [["jobs", "3,000, all of which can be simulated"], ["load", "0.95"]]
    assert grid(rows, left=(0, 1), head=False, wrap=True).splitlines() == [
        "jobs  3,000, all of",
        "      which can be",
        "      simulated",
        "load  0.95",
    ]


def test_nothing_is_cut_where_nothing_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    assert grid([["", "N"], ["timed-easy++", "1,000"]]).splitlines() == [
        "           N",
        "timed  1,000",
        "-easy",
        "++",
    ]


def test_names_are_shown_as_they_are_and_steer_no_terminal() -> None:
    """Neither the markup of rich nor what a terminal obeys has an effect. Wide letters take two
    columns."""
    rows = [["NAME", "N"], ["[red]x[/red]", "1"], ["\x1b[31my\nz", "2"], ["日本", "3"]]
    assert grid(rows).splitlines() == [
        "NAME          N",
        "[red]x[/red]  1",
        "?[31my?z      2",
        "日本          3",
    ]


def test_a_terminal_sees_a_bold_head_unless_it_wants_none() -> None:
    shown = on_terminal(TABLE)
    assert "\x1b[1m" in shown.splitlines()[0]
    assert "\x1b" not in shown.splitlines()[1]
    assert re.sub(r"\x1b\[\d*m", "", shown).splitlines()[1:] == grid(ROWS).splitlines()[1:]
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert on_terminal(TABLE, **env).rstrip("\n") == grid(ROWS)


def test_a_bar_is_drawn_on_a_terminal_and_gone_in_the_end() -> None:
    """The bar leaves the cursor alone: a command may be killed at any time."""
    shown = on_terminal(PROGRESS)
    assert "simulating [red]" in shown
    assert "1,000/2,000" in shown
    assert shown.endswith("\x1b[2Kdone\n")
    assert "\x1b[?25" not in shown


def test_a_pipe_gets_no_bar() -> None:
    code = PROGRESS.replace("while bar._bar is None:", "for _ in range(3):")
    code = code.replace("bar.update(1000)", "bar._drawn = 0; bar.update(1000)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.parametrize(
    "command", [["status", "--server", "unix:/nowhere"], ["simulate", "--help"]]
)
def test_commands_that_draw_no_table_do_without_rich(command: list[str]) -> None:
    code = (
        "import sys; sys.modules['rich'] = sys.modules['matplotlib'] = None\n"
        "from rmsd_cli.main import main; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert done.returncode == (75 if command[0] == "status" else 0)
    assert "Traceback" not in done.stderr
