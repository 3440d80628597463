"""Slurm's spelling of durations, and back. Standard library only."""

from __future__ import annotations

UNLIMITED = None
"""A duration without end."""

MAX_WARN_S = 65535
"""The longest time before the time limit at which a job may be warned, as in Slurm."""

_SUFFIX_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MAX_S = 10 * 365 * 86400  # anything longer is a typing error, and would overflow other programs

_FORMS = "M, M:S, H:M:S, D-H, D-H:M, D-H:M:S, 90s, 30m, 1.5h, 2d or UNLIMITED"


class DurationError(ValueError):
    """The text is not a duration; the message says what was given and what is accepted."""


def parse_duration_s(text: str) -> float | None:
    """Return the seconds of a duration as Slurm spells it; None for UNLIMITED.

    A bare number is minutes, as in Slurm; `10:30` is minutes and seconds; a day part makes what
    follows hours. Suffixes s, m, h, d are accepted too (`90s`, `1.5h`).

    Raises:
        DurationError: the text has none of these forms, is zero, or is longer than ten years.
    """
    seconds = _any_duration_s(text)
    if seconds == 0:
        raise DurationError(f"'{text}' is no time at all; it must be longer than zero")
    return seconds


def parse_time_limit_s(text: str) -> float | None:
    """Parse a time limit as `parse_duration_s` does, but return UNLIMITED for zero. In Slurm zero
    asks for no time limit."""
    return _any_duration_s(text) or UNLIMITED


def _any_duration_s(text: str) -> float | None:
    stripped = text.strip()
    if stripped.upper() in ("UNLIMITED", "INFINITE", "-1"):
        return UNLIMITED
    seconds = _suffixed_s(stripped) if stripped[-1:].lower() in _SUFFIX_S else _colons_s(stripped)
    if seconds is None and not (stripped.isascii() and stripped.isdigit()):
        raise DurationError(f"'{text}' is not a time; expected {_FORMS}")
    if seconds is None or seconds > _MAX_S:
        raise DurationError(f"'{text}' is longer than ten years; say UNLIMITED for no limit")
    return seconds


def _suffixed_s(text: str) -> float | None:
    number = text[:-1]
    if not number or not number.isascii() or not number.replace(".", "", 1).isdigit():
        return None
    if number in (".",):
        return None
    return float(number) * _SUFFIX_S[text[-1].lower()]


def _colons_s(text: str) -> float | None:
    days_text, dash, rest = text.rpartition("-")
    if dash and not _is_number(days_text):
        return None
    parts = rest.split(":")
    if len(parts) > 3 or not all(_is_number(part) for part in parts):
        return None
    numbers = [int(part) for part in parts]
    if dash:  # D-H[:M[:S]]
        hours, minutes, seconds = [*numbers, 0, 0][:3]
        return float(int(days_text) * 86400 + hours * 3600 + minutes * 60 + seconds)
    if len(numbers) == 1:
        return float(numbers[0] * 60)
    if len(numbers) == 2:
        return float(numbers[0] * 60 + numbers[1])
    return float(numbers[0] * 3600 + numbers[1] * 60 + numbers[2])


def _is_number(text: str) -> bool:
    return 0 < len(text) <= 9 and text.isascii() and text.isdigit()


def format_duration(seconds: float | None) -> str:
    """Return `[D-]HH:MM:SS`, rounded down to whole seconds; UNLIMITED for None."""
    if seconds is None:
        return "UNLIMITED"
    days, rest = divmod(int(seconds), 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock
