"""The past reservations that a lying daemon tells a what-if simulation."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_cli.errors import CommandError
from rmsd_lab_cli.history.source import past_reservations_of

_TOLD = {
    "at_us": 0, "name": "a", "deleted": False, "start_us": 1, "end_us": 2, "nodelist": "n1",
    "cores": 0, "maintenance": True, "every_us": 0, "until_us": 0, "weekdays": 0,
}  # fmt: skip


class _Daemon:
    def __init__(self, **lie: object) -> None:
        self._told = _TOLD | lie

    def reservation_changes(self, _since_us: int) -> list[dict[str, Any]]:
        return [self._told]


@pytest.mark.parametrize(
    ("lie", "said"),
    [
        (
            {"weekdays": 1 << 9, "every_us": 86_400_000_000},
            "impossible times",
        ),  # the simulation began and did not end
        ({"end_us": 1}, "impossible times"),
        ({"nodelist": "n[1-"}, "impossible nodes"),
    ],
)
def test_a_reservation_that_cannot_be_is_told(lie: dict[str, object], said: str) -> None:
    [sound] = past_reservations_of(_Daemon(), 0) or []
    assert sound.made
    with pytest.raises(CommandError, match=said):
        past_reservations_of(_Daemon(**lie), 0)
