"""The components of a step of srun: which part of its job each of them is on."""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.steps.step_components import StepComponent
from rmsd_client.slurm.steps.steps import run_step
from rmsd_client.slurm.words.part_views import parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.slurm.submit.requests import Values
    from rmsd_client.steps.step_command import StepCommand

    Job = dict[str, Any]

_OF_THE_STEP = ("chdir", "cpu-bind", "input", "multi-prog", "pty", "time", "wait")
"""The options that count for a whole step: its components cannot have different ones."""
_ALONE = ("multi-prog", "pty")
"""The options that a step of several components cannot have."""
_MOST_DIGITS = 6


def run_components(job: Job, groups: Sequence[Values], commands: Sequence[StepCommand]) -> int:
    """Run a step, whose components have these options and programs; returns the highest exit code
    of its tasks.

    Raises:
        SlurmError: a component is on no part of the job, or on one that another one has.
    """
    components = components_of(job, groups, commands)
    first = groups[0]
    for name in _OF_THE_STEP if len(components) > 1 else ():
        if name in _ALONE and any(name in values for values in groups):
            raise SlurmError(f"srun: error: --{name} is not supported for several components")
        if any(values.get(name) != first.get(name) for values in groups):
            raise SlurmError(f"srun: error: --{name} differs: all components of a step have one")
    return run_step(components)


def components_of(
    job: Job, groups: Sequence[Values], commands: Sequence[StepCommand]
) -> list[StepComponent]:
    """Return the components of a step in the order of their ranks: that of the job's parts."""
    parts = parts_of(job)
    if len(parts) == 1:
        return _of_plain_job(job, groups, commands)
    found: dict[int, StepComponent] = {}
    for number, (values, command) in enumerate(zip(groups, commands, strict=True)):
        text = values.get("het-group")
        if text is None and number >= len(parts):
            raise SlurmError(
                f"srun: error: Attempt to run a job step with het group value of {number}, but the "
                f"job allocation has maximum value of {len(parts) - 1}"
            )
        for group in [number] if text is None else groups_of(text, len(parts) - 1):
            if group in found:
                raise SlurmError("srun: fatal: Duplicate het groups in single srun not supported")
            found[group] = StepComponent(parts[group], values, command)
    return [found[group] for group in sorted(found)]


def _of_plain_job(
    job: Job, groups: Sequence[Values], commands: Sequence[StepCommand]
) -> list[StepComponent]:
    """Return the components of a step in a job that has no parts: each is on nodes of its own."""
    for values in groups:
        if (text := values.get("het-group")) is not None:
            groups_of(text, 0)
            raise SlurmError(
                "srun: error: No directives to start application on any available hetjob components"
            )
    return [
        StepComponent(job, values, command)
        for values, command in zip(groups, commands, strict=True)
    ]


def groups_of(text: str, last: int) -> list[int]:
    """Return the components of `0,2-3`, each once.

    Raises:
        SlurmError: this is no list of components, or one is beyond the last of the job.
    """
    found: set[int] = set()
    for word in text.split(","):
        low, dash, high = word.partition("-")
        for digits in (low, high) if dash else (low,):
            if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS):
                raise SlurmError(f"srun: error: Invalid --het-group value: {text}")
        found |= set(range(int(low), int(high if dash else low) + 1))
    if not found:
        raise SlurmError(f"srun: error: Invalid --het-group value: {text}")
    if max(found) > last:
        raise SlurmError(
            f"srun: error: Requested het-group offset exceeds highest hetjob index ({max(found)} > "
            f"{last})"
        )
    return sorted(found)
