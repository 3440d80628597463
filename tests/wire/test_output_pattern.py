"""The replacement of letters in the name of an output file."""

from __future__ import annotations

import pytest

from rmsd_wire.output_pattern import fill, unknown_letter

_VALUES = {"j": "42", "x": "007", "u": "anna", "n": "0", "s": "batch", "r": "%r", "%": "%"}


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("%j", "42"),
        ("%5j.out", "00042.out"),
        ("%1j-%x", "42-007"),
        ("%s-%3n", "batch-000"),
        ("%9x", "007"),  # a width is for numbers
        ("%4r", "%r"),  # not known yet
        ("100%%5j", "100%5j"),
        ("%99999999999999j", "0000000042"),
    ],
)
def test_filled(pattern: str, path: str) -> None:
    assert unknown_letter(pattern) is None
    assert fill(pattern, _VALUES) == path


@pytest.mark.parametrize(("pattern", "letter"), [("%5z", "z"), ("a%5", ""), ("%", "")])
def test_unknown_letters(pattern: str, letter: str) -> None:
    assert unknown_letter(pattern) == letter
