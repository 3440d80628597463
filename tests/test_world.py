"""Stories of faults by seed (`tests.world`), and that they find what is planted."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from pathlib import Path
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
    assert all(record["faults"].values())
    assert record["attempts"]["trial"]


def told_alone(seed: int, *arguments: str) -> dict[str, Any]:
    """The result of one story in a process of its own, without its log."""
    command = [sys.executable, "-m", "tests.world", "--seed", str(seed), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_a_seed_is_the_same_story_wherever_it_is_told() -> None:
    _, record, _ = stories("--first", "5", "--seeds", "4")
    digest = 0
    for seed in range(5, 9):
        digest = zlib.crc32(str(told_alone(seed)["digest"]).encode(), digest)
    assert record["digest"] == digest


def test_a_record_is_resumed_for_the_same_seeds_alone(tmp_path: Path) -> None:
    path = tmp_path / "soak.json"
    stories("--seeds", "2", "--record", str(path))
    _, resumed, _ = stories("--seeds", "5", "--record", str(path), "--resume")
    _, whole, _ = stories("--seeds", "5")
    for name in ("seeds", "digest", "steps", "jobs", "attempts", "faults"):
        assert resumed[name] == whole[name]
    other = [sys.executable, "-m", "tests.world", "--first", "9", "--record", str(path), "--resume"]
    refused = subprocess.run(other, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "start anew without --resume" in refused.stderr


@pytest.mark.parametrize(
    ("bug", "found"),
    [
        ("acknowledge-before-commit", "acknowledged, and not stored"),
        ("give-processors-twice", "are given to jobs"),
        ("confirm-before-the-kill", "at once"),
        ("forget-an-event", "decided otherwise than stored"),
        ("end-twice", "ended 2 times"),
        ("change-a-table-alone", "of events"),
        ("ignore-the-limit", "is told to be"),
        ("decide-by-chance", "decided otherwise than stored"),
        ("forget-keys", "submitted by nobody, or twice|, and then "),
        ("lose-a-job", "some jobs never end|are given to jobs|was over, and now"),
        ("never-stop", "some jobs never end"),
        ("give-numbers-again", "numbers that were given out before"),
        ("ask-nobody", "has ended as"),
        ("tell-of-ends-too-early", "was over, and now"),
    ],
)
@pytest.mark.timeout(600)
def test_a_planted_bug_is_found_and_its_seed_replays(bug: str, found: str) -> None:
    code, record, printed = stories("--seeds", "150", "--bug", bug)
    assert code == 1
    assert re.search(found, printed), printed
    again = [told_alone(record["failed"][0], "--bug", bug) for _ in range(2)]
    assert again[0]["failure"]
    assert again[0]["digest"] == again[1]["digest"]
