"""Stories of faults by seed (`tests.world`), and that they find what is planted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

SEEDS = 200


def stories(*arguments: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the record, and all that was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.world", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    start = done.stdout.find('{\n  "schema"')
    assert start >= 0, done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout[start:]), done.stdout


@pytest.mark.timeout(1200)
def test_what_is_promised_holds_in_every_story() -> None:
    code, record, printed = stories("--seeds", str(SEEDS))
    assert (code, record["failed"]) == (0, []), printed
    assert record["seeds"] == SEEDS
    assert record["kills"] > SEEDS  # things do go wrong


@pytest.mark.parametrize(
    ("bug", "found"),
    [
        ("acknowledge-before-commit", "acknowledged, and not stored"),
        ("give-processors-twice", "are given to jobs"),
        ("confirm-before-the-kill", "at once"),
        ("forget-an-event", "decided otherwise than stored"),
        ("ignore-the-limit", "is told to be"),
        ("decide-by-chance", "decided otherwise than stored"),
        ("forget-keys", "submitted by nobody, or twice"),
        ("lose-a-job", "some jobs never end|are given to jobs"),
        ("never-stop", "some jobs never end"),
    ],
)
@pytest.mark.timeout(600)
def test_a_planted_bug_is_found_and_its_seed_replays(bug: str, found: str) -> None:
    code, record, printed = stories("--seeds", "12", "--bug", bug)
    assert code == 1
    assert re.search(found, printed), printed
    seed = str(record["failed"][0])
    again = [
        subprocess.run(
            [sys.executable, "-m", "tests.world", "--seed", seed, "--bug", bug],
            capture_output=True, text=True, check=False,
        ).stdout.splitlines()[-1]
        for _ in range(2)
    ]  # fmt: skip
    told = json.loads(again[0])
    assert told["failure"]
    assert told["steps"] == json.loads(again[1])["steps"]
