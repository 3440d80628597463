"""The files of `srun --multi-prog`: which task runs which program."""

from __future__ import annotations

from pathlib import Path

import pytest

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.steps.step_command import StepCommand, command_of


def _read(folder: Path, text: str) -> StepCommand:
    path = folder / "programs.conf"
    path.write_text(text)
    return command_of([str(path)], multi_prog=True)


def test_a_command_alone_is_the_program_of_all_tasks() -> None:
    command = command_of(["/bin/echo", "%t"], multi_prog=False)
    assert (command.name, command.tasks) == ("echo", None)
    assert command.of(2) == [["/bin/echo", "%t"]] * 2


def test_lines_name_programs_by_rank(tmp_path: Path) -> None:
    command = _read(
        tmp_path,
        "# ranks  program\n\n  0 master --port=%t\n1,4-5\tworker %o of \\\n three\n* idle %t %o\n",
    )
    assert (command.name, command.tasks) == ("programs.conf", 6)
    assert command.of(7) == [
        ["master", "--port=0"],
        ["worker", "0", "of", "three"],
        ["idle", "2", "2"],
        ["idle", "3", "3"],
        ["worker", "1", "of", "three"],
        ["worker", "2", "of", "three"],
        ["idle", "6", "6"],
    ]


def test_quotes_hold_arguments_together(tmp_path: Path) -> None:
    command = _read(tmp_path, r"""0 sh -c 'echo %t "$1"' "a %t" b\ c '' %%t #""" + "\n")
    assert command.of(1) == [["sh", "-c", 'echo %t "$1"', "a 0", "b c", "", "%0", "#"]]


@pytest.mark.parametrize(
    ("text", "count", "why"),
    [
        ("0 a\n2 b\n", 3, "no record for task id 1"),
        ("0-1 a\n1 b\n", 2, "duplicate record for task id 1"),
        ("0-3 a\n", 2, "there is no task 3 among 2"),
        ("2-1 a\n", 2, "the range '2-1' runs backwards"),
        ("x a\n", 1, "'x' are no ranks: say 0, 2-4, a list of these, or *"),
        ("-1 a\n", 1, "'-1' are no ranks: say 0, 2-4, a list of these, or *"),
        ("0\n", 1, "'0' names no program"),
        ("0 sh -c 'a\n", 1, "a ' is not closed in '0 sh -c 'a'"),
        ("# nothing\n", 1, "no line names a program"),
    ],
)
def test_an_unusable_file_is_an_error(tmp_path: Path, text: str, count: int, why: str) -> None:
    with pytest.raises(SlurmError) as caught:
        _read(tmp_path, text).of(count)
    path = tmp_path / "programs.conf"
    assert caught.value.lines == (f"srun: error: Configuration file {path} invalid, {why}",)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"0 \xff\n")
    for words, why in (
        ([f"{tmp_path}/none"], f"Unable to open {tmp_path}/none: No such file or directory"),
        ([f"{tmp_path}/binary"], f"Configuration file {tmp_path}/binary invalid, it is not UTF-8"),
        (["file", "more"], "--multi-prog takes a file alone, not 'more' behind it"),
    ):
        with pytest.raises(SlurmError) as caught:
            command_of(words, multi_prog=True)
        assert caught.value.lines == (f"srun: error: {why}",)
