"""The words of --propagate and propagate_limits."""

from __future__ import annotations

import pytest

from rmsd_wire.rlimits import RLIMITS, parse_propagate


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ALL", RLIMITS),
        ("all", RLIMITS),
        ("NONE", ()),
        ("stack, RLIMIT_CORE,NOFILE,core", ("CORE", "NOFILE", "STACK")),
    ],
)
def test_limits_are_named_as_in_slurm(text: str, names: tuple[str, ...]) -> None:
    assert parse_propagate(text) == names


@pytest.mark.parametrize("text", ["", ",", "NOFILE,", "NOFILES", "ALL,CORE", "NONE,CORE", "RTPRIO"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a limit; expected ALL, NONE, or some of AS,CORE"):
        parse_propagate(text)
