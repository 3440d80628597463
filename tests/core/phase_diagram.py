"""`python -m tests.core.phase_diagram`: the state diagram of the docs, made from the table."""

from __future__ import annotations

from rmsd_core.jobs.phase import TRANSITIONS, Done, Ineligible, Waiting


def diagram() -> str:
    """Return the diagram as Mermaid draws it."""
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f"    [*] --> {first.__name__}" for first in (Ineligible, Waiting)]
    for phase, events in TRANSITIONS.items():
        ways: dict[str, list[str]] = {}
        for event, following in events.items():
            for other in following:
                ways.setdefault(other.__name__, []).append(event)
        lines += [f"    {phase.__name__} --> {to}: {', '.join(by)}" for to, by in ways.items()]
    return "\n".join([*lines, f"    {Done.__name__} --> [*]", "```"])


if __name__ == "__main__":
    print(diagram())
