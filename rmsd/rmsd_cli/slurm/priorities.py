"""The recipe and the points of partitions that stand for Slurm's priorities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from rmsd_cli.slurm.reading import Fields, Value
from rmsd_wire.durations import DurationError, parse_time_limit_s


@dataclass(frozen=True, slots=True)
class ImportedPriorities:
    """The recipe and the points that stand for Slurm's priorities.

    partitions: the points of each partition that has any, by name. left: values that are left out,
    and why. notes: other differences.
    """

    recipe: str
    partitions: Mapping[str, int]
    left: Sequence[tuple[Value, str]]
    notes: Sequence[str]


def priorities_of(
    settings: Mapping[str, Value], partitions: Sequence[Fields], processors: int
) -> ImportedPriorities:
    """Return what stands for the priorities of slurm.conf."""
    builtin = settings.get("schedulertype", _NONE).text.endswith("builtin")
    plain = "fcfs" if builtin else "easy"
    of_qos = _weight(settings, "priorityweightqos")
    if settings.get("prioritytype", _NONE).text.lower() != "priority/multifactor":
        return ImportedPriorities(plain, {}, [], [])
    points = {
        "age": _weight(settings, "priorityweightage") / _days(settings.get("prioritymaxage"), 7.0),
        "size": _weight(settings, "priorityweightjobsize") / max(1, processors),
        "share": _weight(settings, "priorityweightfairshare"),
    }
    of_partitions = _of_partitions(partitions, _weight(settings, "priorityweightpartition"))
    if not any((*points.values(), *of_partitions.values(), of_qos)):
        return ImportedPriorities(plain, {}, [], [])
    notes = ["PriorityMaxAge: points for waiting have no bound here"] if points["age"] else []
    if builtin:
        notes.append("SchedulerType: fair shares come with backfilling here")
    scale = _scale(points.values(), max([of_qos, *of_partitions.values()]))
    if scale != 1:
        notes.append(f"Slurm's scale of points: one of them is {scale:,.6g} here, also of --nice")
    parts = [f"{name}={round(value * scale)}" for name, value in points.items()]
    half_life_s = round(_days(settings.get("prioritydecayhalflife"), 0.0) * 86400)
    if half_life_s:
        parts.append(f"half-life={half_life_s}")
    elif "prioritydecayhalflife" in settings:
        notes.append("PriorityDecayHalfLife: usage decays to a half in a week here")
    left = []
    if of_qos:
        why = (
            f"QOS are in Slurm's database: give the [qos.NAME] of the highest Priority there "
            f"priority = {round(of_qos * scale)}, and the others in proportion"
        )
        left.append((settings["priorityweightqos"], why))
    given = {name: round(value * scale) for name, value in of_partitions.items() if value}
    return ImportedPriorities(f"fair-share,{','.join(parts)}", given, left, notes)


def _of_partitions(partitions: Sequence[Fields], weight: float) -> dict[str, float]:
    """Return Slurm's points of the partitions: their PriorityJobFactor by the highest of all, times
    the weight. If all have the same, they order nothing, and there are none."""
    factors = {
        fields["partitionname"].text: _weight(fields, "priorityjobfactor", 1.0)
        for fields in partitions
    }
    if len(set(factors.values())) < 2:
        return {}
    highest = max(factors.values())
    return {name: weight * factor / highest for name, factor in factors.items()}


def _scale(points: Collection[float], given: float) -> float:
    """Return the factor that makes whole points of these, in nearly the same proportion, and of
    `given`, the most points of a partition or a QOS, no more than they may have."""
    largest = max(points)
    whole = largest <= _MOST_POINTS and all(value == int(value) for value in points)
    scale = 1.0 if whole else _MOST_POINTS / largest
    return min(scale, _MOST_GIVEN / given) if given else scale


_MOST_POINTS = 1_000_000
_MOST_GIVEN = 1_000_000_000
_NONE = Value("", "", "")


def _weight(settings: Mapping[str, Value], name: str, otherwise: float = 0.0) -> float:
    text = settings.get(name, _NONE).text
    return float(text) if text.isascii() and text.isdigit() and len(text) < 12 else otherwise


def _days(value: Value | None, otherwise: float) -> float:
    if value is None:
        return otherwise
    try:
        return (parse_time_limit_s(value.text) or 0.0) / 86400 or otherwise
    except DurationError:
        return otherwise
