"""Preemption, as slurm.conf has it: that of partitions. That of QOS is in Slurm's database."""

from __future__ import annotations

from collections.abc import Mapping

from rmsd_cli.slurm.reading import Fields, Value
from rmsd_core.vocabulary import Preempt

FIELDS = frozenset({"preemptmode", "gracetime"})
"""The fields of a partition that say how its jobs are preempted."""

_BY_TIER, _BY_QOS, _NEVER = "preempt/partition_prio", "preempt/qos", "preempt/none"
_MODES: Mapping[str, Preempt] = {"OFF": "off", "REQUEUE": "requeue", "CANCEL": "cancel"}
_WITHOUT_EFFECT = {("preemptmode", "OFF"), ("gracetime", "0")}


def why_left(settings: Mapping[str, Value]) -> tuple[Value, str] | None:
    """Return the file's PreemptType with the reason why it is left out, if it is."""
    value = settings.get("preempttype")
    if value is None or value.text.lower() in (_BY_TIER, _NEVER):
        return None
    if value.text.lower() != _BY_QOS:
        return value, "jobs are preempted by partitions of higher tiers, or by QOS, alone"
    return value, (
        "QOS are in Slurm's database; write [qos.NAME] with preempts, preempt and preempt_grace, "
        "as `sacctmgr show qos format=name,preempt,preemptmode,gracetime` has them"
    )


def mode_of(
    settings: Mapping[str, Value], fields: Fields
) -> tuple[Preempt, list[tuple[Value, str]]]:
    """Return how jobs of a partition are preempted, and what is left out, with the reason: as its
    line says, or else as the file says for all."""
    kind = settings.get("preempttype")
    if kind is None or kind.text.lower() != _BY_TIER:
        own = [fields[key] for key in sorted(FIELDS & fields.keys())]
        why = "nothing is preempted without PreemptType=preempt/partition_prio"
        has_effect = [
            one for one in own if (one.name.lower(), one.text.upper()) not in _WITHOUT_EFFECT
        ]
        return "off", [(one, why) for one in has_effect]
    value = fields.get("preemptmode", settings.get("preemptmode"))
    if value is None:
        return "off", []
    if (mode := _MODES.get(value.text.upper())) is None:
        return "off", [(value, "preempted jobs are requeued or cancelled; none is suspended")]
    return mode, []
