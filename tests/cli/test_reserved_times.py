"""The advance reservations of a Gantt chart, as their changes tell of them."""

from __future__ import annotations

from typing import Any

from rmsd_lab_cli.pictures.reserved import MOST_INSTANCES, present_as_changes, reserved_times

HOUR = 3600


def change(at_us: int, name: str, start_us: int = 0, end_us: int = 0, **more: Any) -> Any:
    """Return a change as the API tells it; without times, the reservation was deleted."""
    times = {"start_us": start_us, "end_us": end_us, "deleted": not end_us}
    repeats = {"every_us": 0, "until_us": 0, "weekdays": 0}
    return {"at_us": at_us, "name": name, "nodelist": "n1", **times, **repeats, **more}


def times_of(changes: list[Any], since_us: int, until_us: int) -> list[tuple[str, int, int]]:
    found = reserved_times(changes, since_us, until_us)
    assert len(found.views) == found.total
    return [(one["name"], one["start_us"], one["end_us"]) for one in found.views]


def test_past_present_and_future_ones_are_shown() -> None:
    changes = [
        change(0, "before", 10, 90),
        change(0, "past", 50, 150),
        change(0, "now", 400, 600),
        change(500, "later", 5000, 6000),
    ]
    assert times_of(changes, 100, 1000) == [
        ("past", 50, 150),
        ("now", 400, 600),
        ("later", 5000, 6000),  # none comes before it
    ]


def test_one_that_was_deleted_or_replaced_ends_there() -> None:
    changes = [
        change(0, "cut", 100, 900),
        change(0, "moved", 100, 900),
        change(0, "dropped", 700, 900),
        change(300, "cut"),
        change(400, "moved", 100, 500),
        change(600, "dropped"),
    ]
    assert times_of(changes, 0, 1000) == [
        ("cut", 100, 300),
        ("moved", 100, 400),
        ("moved", 400, 500),
    ]


def test_instances_are_shown_one_by_one_and_bounded() -> None:
    hourly = change(0, "hourly", 0, 60, every_us=HOUR)
    assert times_of([hourly], 2 * HOUR, 4 * HOUR) == [
        ("hourly", 2 * HOUR, 2 * HOUR + 60),
        ("hourly", 3 * HOUR, 3 * HOUR + 60),
    ]
    many = reserved_times([hourly], 0, 600 * HOUR)
    assert (len(many.views), many.total) == (MOST_INSTANCES, 600)
    never = {"every_us": 24 * HOUR * 1_000_000, "weekdays": 1 << 7}
    assert times_of([change(0, "never", 0, 60, **never)], 0, 1 << 60) == []
    assert many.views[-1]["start_us"] == 599 * HOUR
    long = [change(0, f"r{one}", one, 900, nodelist="x" * 600_000 + f"{one}") for one in range(3)]
    assert [one["name"] for one in reserved_times(long, 0, 1000).views] == ["r2"]


def test_an_older_daemon_tells_of_the_present_ones() -> None:
    present = [{"name": "fix", "nodelist": "n1", "start_us": 1, "end_us": 9, "every_s": 3600}]
    assert times_of(present_as_changes(present), 0, 1 << 50) == [("fix", 1, 9)]
