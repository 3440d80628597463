"""One play of a scenario at a site: its jobs, and what was seen."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Sequence
from typing import Any

from tests.slurm_diff.looks import Look, Names, of_jobs, of_nodes, of_titles
from tests.slurm_diff.site import Site
from tests.waiting import wait_until

WITHIN_S = 300.0
"""Slurm ends a job up to a minute after its limit, and looks for late ones once a minute."""

Form = dict[str, list[str]]
"""The types of what is at each path of a JSON document."""

JSON_COMMANDS = {
    "squeue": ("squeue", "-t", "all", "--json"),
    "sacct": ("sacct", "--json"),
    "sinfo": ("sinfo", "--json"),
}


_KINDS: dict[type, str] = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string",
    list: "array", dict: "object",
}  # fmt: skip


class Play:
    """A scenario that is being played. `seen`: what the commands said, by moment."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.jobs: dict[str, str] = {}
        self.seen: dict[str, Look] = {}
        self.forms: dict[str, Form] = {name: {} for name in JSON_COMMANDS}

    @property
    def _names(self) -> Names:
        return Names(self.site, self.jobs, socket.gethostname().split(".")[0])

    def submit(self, label: str, *words: str) -> None:
        """Submit a job that is called so from now on."""
        done = self.site.run("sbatch", "--parsable", *self._filled(words))
        assert done.returncode == 0, done.stderr
        self.jobs[label] = done.stdout.strip()

    def do(self, *words: str) -> None:
        """Run a command that succeeds."""
        done = self.site.run(*self._filled(words))
        assert done.returncode == 0, done.stderr

    def say(self, moment: str, *words: str, stdin: str = "") -> None:
        """Run a command, and keep what it says."""
        done = self.site.run(*self._filled(words), stdin=stdin)
        names = self._names
        match = re.match(r"Submitted batch job (\d+)", done.stdout)
        if match:
            self.jobs[moment] = match[1]
            names = self._names
        self.seen[moment] = {
            "said": {
                "exit code": [str(done.returncode)],
                "stdout": [names.message(line) for line in done.stdout.splitlines()],
                "stderr": [names.message(line) for line in done.stderr.splitlines()],
            }
        }

    def until(self, label: str, *states: str) -> None:
        """Wait until the tasks of a job are in these states, and the accounting says so, too."""
        number = self.jobs[label]

        def reached() -> bool:
            asked = (
                ("squeue", "-h", "-r", "-t", "all", "-j", number, "-o", "%T"),
                ("sacct", "-n", "-X", "-P", "-j", number, "-o", "State"),
            )
            told = [self.site.run(*words).stdout.splitlines() for words in asked]
            return all({line.split()[0] for line in lines} == set(states) for lines in told)

        wait_until(reached, f"{label} is {' and '.join(states)}", within_s=WITHIN_S)

    def until_said(self, words: tuple[str, ...], line: str) -> None:
        """Wait until a command says this."""
        wait_until(lambda: self.site.run(*words).stdout.strip() == line, line, within_s=WITHIN_S)

    def until_reason(self, label: str, reason: str) -> None:
        """Wait until a job waits for this reason."""
        words = ("squeue", "-h", "-t", "all", "-j", self.jobs[label], "-o", "%r")
        wait_until(
            lambda: reason in self.site.run(*words).stdout.splitlines(),
            f"{label} waits for {reason}",
            within_s=WITHIN_S,
        )

    def look(self, moment: str, *labels: str) -> None:
        """Keep all that the commands tell of jobs."""
        numbers = [self.jobs[label] for label in labels]
        asked = ("sacct", "-n", "-X", "-P", "-j", ",".join(numbers), "-o", "JobID,JobName")
        wait_until(lambda: are_accounted(self.site.run(*asked).stdout, numbers))
        self.seen[moment] = of_jobs(self.site, self._names, numbers)
        self._look_at_json()

    def look_at_nodes(self, moment: str) -> None:
        """Keep all that the commands tell of nodes and partitions."""
        self.seen[moment] = of_nodes(self.site, self._names)
        self._look_at_json()

    def look_at_titles(self, moment: str) -> None:
        """Keep the titles of all fields."""
        self.seen[moment] = of_titles(self.site, self._names)

    def _look_at_json(self) -> None:
        for name, words in JSON_COMMANDS.items():
            add_form(self.forms[name], "", json.loads(self.site.run(*words).stdout))

    def _filled(self, words: tuple[str, ...]) -> list[str]:
        filled = []
        for word in words:
            for label, number in self.jobs.items():
                word = word.replace(f"<{label}>", number)
            filled.append(word)
        return filled


def are_accounted(told: str, numbers: Sequence[str]) -> bool:
    """Return whether `sacct` knows of the submits of all jobs. Slurm's accounting lags, and calls a
    job "allocation" if it has heard of its steps or its end alone."""
    rows = [line.partition("|") for line in told.splitlines()]
    known = {number.partition("_")[0] for number, _, _ in rows}
    return known == set(numbers) and all(name != "allocation" for _, _, name in rows)


def add_forms(forms: dict[str, Form], more: dict[str, Form]) -> None:
    """Add what a play knows of the forms of documents."""
    for name, form in more.items():
        for path, kinds in form.items():
            known = forms.setdefault(name, {}).setdefault(path, [])
            known[:] = sorted({*known, *kinds})


def add_form(form: Form, path: str, value: Any) -> None:
    """Add the types of a document's values to what is known of its form."""
    known = form.setdefault(path, [])
    kind = _KINDS[type(value)]
    if kind not in known:
        known.append(kind)
        known.sort()
    if isinstance(value, dict):
        for key, each in value.items():
            add_form(form, f"{path}.{'*' if key.isdigit() else key}", each)
    elif isinstance(value, list):
        for each in value:
            add_form(form, f"{path}[]", each)
