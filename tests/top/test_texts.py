"""The texts of `rmsd top`: how much of an output is made ready to be shown."""

from __future__ import annotations

import pytest

from rmsd_top.texts import MOST_LINES, OutputText


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_a_part_of_line_ends_alone_is_as_many_lines_as_are_shown(end: str) -> None:
    shown = OutputText()
    assert shown.add("first") == "first"
    assert shown.add(end * 300_000 + "last").count("\n") == MOST_LINES
    assert shown.add(f" word{end}next") == " word\nnext"


def test_the_last_lines_are_kept() -> None:
    lines = [str(number) for number in range(2 * MOST_LINES)]
    assert OutputText().add("\n".join(lines)).split("\n") == ["", *lines[MOST_LINES:]]
