"""Values of options: texts, numbers, times, devices, licenses, and the signal ahead of a limit."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_wire.durations import MAX_WARN_S
from rmsd_wire.nice import MOST_NICE

SHORTEST_HANGUP_S, LONGEST_HANGUP_S = 10.0, 7 * 86400.0

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def number(text: str, most: int) -> int | None:
    """Return a whole number from 0 to `most`; None if the text is none."""
    digits = text.lstrip("0") or text[:1]
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))):
        return None
    number = int(digits)
    return number if number <= most else None


def one_line(text: str) -> str:
    if not text or "\0" in text or "\n" in text:
        raise ValueError(f"'{text}' is not usable; expected a text of one line that is not empty")
    return utf8(text)


def utf8(text: str) -> str:
    """Return the text itself. Raises UnicodeEncodeError if the command line had other bytes."""
    text.encode()
    return text


def array(text: str) -> str:
    from rmsd_wire.arrays import parse_array  # costs milliseconds

    parse_array(text)
    return text


def begin(text: str) -> object:
    from rmsd_client.submit.conditions import parse_begin  # costs milliseconds

    return parse_begin(one_line(text))


def deadline(text: str) -> object:
    from rmsd_client.submit.conditions import parse_deadline

    return parse_deadline(one_line(text))


def hangup(text: str) -> float:
    """Return the seconds with nobody at a terminal after which it is hung up."""
    from rmsd_wire.durations import parse_duration_s

    seconds = parse_duration_s(text)
    if seconds is None or not SHORTEST_HANGUP_S <= seconds <= LONGEST_HANGUP_S:
        raise ValueError(f"'{text}' cannot be waited for; expected a time from 10s to 7d")
    return seconds


def dependency(text: str) -> object:
    from rmsd_client.submit.conditions import parse_dependency

    return parse_dependency(one_line(text))


def mail_types(text: str) -> list[str]:
    from rmsd_wire.mail_types import parse_mail_types

    return parse_mail_types(text)


def propagate(text: str) -> str:
    from rmsd_wire.rlimits import parse_propagate

    parse_propagate(text)
    return text


def licenses(text: str) -> str:
    """Return licenses as the daemon reads them."""
    from rmsd_wire.licenses import parse_licenses  # costs milliseconds

    parse_licenses(text)
    return text


def nice(text: str) -> int:
    """Return the points that are taken from a job's priority, which are negative if they raise
    it."""
    points = number(text.removeprefix("-"), MOST_NICE)
    if points is None:
        raise ValueError(f"'{text}' is not a number of points from -{MOST_NICE} to {MOST_NICE}")
    return -points if text.startswith("-") else points


_WARN_S = 60


def warn_signal(text: str) -> dict[str, object]:
    """Return a `WarnSignal` from Slurm's `[B:]SIG[@SECONDS]`. An `R` before the colon changes
    nothing: it is about reservations into which jobs may run, and there are none."""
    head, colon, rest = text.rpartition(":")
    if colon and head.upper() not in ("B", "R", "RB", "BR"):
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
    return {"number": signal_number, "before_s": before_s, "batch": "B" in head.upper()}


def _signal_number(text: str) -> int | None:
    import signal  # costs milliseconds

    name = text.upper().removeprefix("SIG")
    if f"SIG{name}" in signal.Signals.__members__:
        return signal.Signals[f"SIG{name}"].value
    found = number(text, signal.NSIG)
    return found if found in signal.valid_signals() else None


def gres(text: str) -> str:
    """Return devices as the daemon reads them."""
    from rmsd_wire.gres import parse_gres  # costs milliseconds

    parse_gres(text)
    return text


def gpus(text: str) -> str:
    """Return a number of GPUs, perhaps of a type, as devices."""
    of_type, _, count = text.rpartition(":")
    if not (count.isascii() and count.isdigit()):
        raise ValueError(f"'{text}' is not understood; expected COUNT or TYPE:COUNT")
    return gres(f"gpu:{of_type}:{count}" if of_type else f"gpu:{count}")


def devices_in(settings: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a submit for the devices that settings ask for."""
    per_node = [settings[name] for name in ("gres", "gpus-per-node") if name in settings]
    fields: dict[str, object] = {"gres": ",".join(map(str, per_node))} if per_node else {}
    if "gpus" in settings:
        return _with_gpus(settings, fields)
    if "gpus-per-task" in settings:
        fields["gres_per_task"] = settings["gpus-per-task"]
    return fields


def _with_gpus(settings: Mapping[str, object], fields: dict[str, object]) -> dict[str, object]:
    """Return the fields with GPUs for the whole job: as many for each node, or for each task."""
    kind, _, text = str(settings["gpus"]).rpartition(":")
    nodes, tasks = settings.get("nodes"), settings.get("ntasks", 1)
    parts = int(str(tasks if nodes is None else nodes))
    each, left = divmod(int(text), parts)
    if left:
        of = "tasks" if nodes is None else "nodes"
        raise UsageError(
            f"--gpus: {text} cannot be divided among {parts} {of}; --gpus-per-node or "
            "--gpus-per-task says how many there are for each"
        )
    if nodes is None and parts > 1:
        return fields | {"gres_per_task": f"{kind}:{each}"}
    asked = [str(fields["gres"])] if "gres" in fields else []
    return fields | {"gres": ",".join([*asked, f"{kind}:{each}"])}
