"""Values of options: whole numbers, and the signal ahead of a limit."""

from __future__ import annotations

from rmsd_wire.durations import MAX_WARN_S


def number(text: str, most: int) -> int | None:
    """Return a whole number from 0 to `most`; None if the text is none."""
    digits = text.lstrip("0") or text[:1]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))):
        return None
    number = int(digits)
    return number if number <= most else None


_WARN_S = 60


def warn_signal(text: str) -> dict[str, object]:
    """Return a `WarnSignal` from Slurm's `[B:]SIG[@SECONDS]`."""
    head, colon, rest = text.rpartition(":")
    if colon and head.upper() != "B":
        raise ValueError(f"'{text}': '{head}:' is not known before a signal; there is B:")
    name, at, seconds = rest.partition("@")
    before_s = number(seconds, MAX_WARN_S) if at else _WARN_S
    if before_s is None:
        raise ValueError(f"'{text}': expected 0 to {MAX_WARN_S} seconds after the '@'")
    signal_number = _signal_number(name)
    if signal_number is None:
        raise ValueError(
            f"'{text}': '{name}' is not a signal; expected a name or a number, as in USR1@60"
        )
    return {"number": signal_number, "before_s": before_s, "batch": bool(colon)}


def _signal_number(text: str) -> int | None:
    import signal  # costs milliseconds

    name = text.upper().removeprefix("SIG")
    if f"SIG{name}" in signal.Signals.__members__:
        return signal.Signals[f"SIG{name}"].value
    found = number(text, signal.NSIG)
    return found if found in signal.valid_signals() else None
