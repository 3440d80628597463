"""The words of `rmsd replay` about a clock that was too fast."""

from __future__ import annotations

import pytest

from rmsd_lab_cli.replay.fidelity import lateness_text


@pytest.mark.parametrize(("off_s", "told"), [(60.0, ""), (472.4, "started 472 s or more off")])
def test_a_reader_is_told_that_the_rate_was_too_high(off_s: float, told: str) -> None:
    reports = [{"fidelity": {"start_error_s": {"p50": one}}} for one in (None, off_s, 1.0)]
    text = lateness_text(reports)
    assert told in text
    assert bool(text) == bool(told)
