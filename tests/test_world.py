"""Stories of faults by seed (`tests.world`), and that they find injected bugs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.world.bugs import BUGS as INJECTED
from tests.world.scripted import SCRIPTS
from tests.world.teller import Teller


def stories(*arguments: str) -> tuple[int, dict[str, Any], str]:
    """Run stories; return the exit code, the record, and all that was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.world", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    start = done.stdout.find('{\n  "schema"')
    assert start >= 0, done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout[start:]), done.stdout


@pytest.mark.longest
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("first", "seeds"),
    # long: stories beyond the first 60
    [(0, 60), pytest.param(60, 80, marks=pytest.mark.long)],
)
def test_what_is_promised_holds_in_every_story(first: int, seeds: int) -> None:
    """A story takes about half a second of processor time, and with others beside it a second."""
    code, record, printed = stories("--first", str(first), "--seeds", str(seeds))
    assert (code, record["failed"]) == (0, []), printed
    assert record["seeds"] == seeds
    assert record["kills"] > seeds  # things do go wrong
    assert all(record["faults"].values())
    for stranger, kinds in (("lie-", 12), ("hostile-", 16)):
        assert sum(kind.startswith(stranger) for kind in record["faults"]) >= kinds
    assert record["attempts"]["trial"]


@pytest.mark.longest
def test_what_is_promised_holds_in_stories_that_nobody_has_told(fresh_seed: int) -> None:
    """Each run tells ten stories of other seeds."""
    first = 10_000_000_000 + fresh_seed * 10
    code, record, printed = stories("--first", str(first), "--seeds", "10")
    assert (code, record["failed"]) == (0, []), printed


@pytest.fixture(scope="module")
def teller() -> Iterator[Teller]:
    """Yield a process that tells single stories, each in a child of its own."""
    with closing(Teller()) as process:
        yield process


def told_alone(seed: int) -> dict[str, Any]:
    """Return the result of one story in a process of its own, without its log."""
    command = [sys.executable, "-m", "tests.world", "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


@pytest.mark.long  # stories beyond the first 60
@pytest.mark.parametrize(
    "seed",
    [
        67,
        19066410,
        19067194,
        19067437,
        39438481,
        39438540,
        77000072,
        138871105,
        138871353,
        138871580,
        941012,
        6000016,
        192666927,
        510000319,
        815550021,
        262102,
        700300569,
        2990702,
    ],
)
def test_what_a_seed_has_found_once_is_mended(teller: Teller, seed: int) -> None:
    assert teller.tell(seed).failure == ""


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_was_found_once_is_mended(teller: Teller, script: str) -> None:
    assert teller.tell(script=script).failure == ""


@pytest.mark.long  # twice as many stories as processes tell, see below
@pytest.mark.timeout(1200)
def test_a_seed_is_the_same_story_wherever_it_is_told() -> None:
    """Three stories are told by workers, and again in three processes, one after the other."""
    _, record, _ = stories("--first", "5", "--seeds", "3")
    digest = 0
    for seed in range(5, 8):
        digest = zlib.crc32(str(told_alone(seed)["digest"]).encode(), digest)
    assert record["digest"] == digest


@pytest.mark.long  # four runs
@pytest.mark.timeout(1200)
def test_a_record_is_resumed_for_the_same_seeds_alone(tmp_path: Path) -> None:
    """Four runs start, each with its own workers."""
    path = tmp_path / "soak.json"
    stories("--seeds", "1", "--record", str(path))
    _, resumed, _ = stories("--seeds", "3", "--record", str(path), "--resume")
    _, whole, _ = stories("--seeds", "3")
    for name in ("seeds", "digest", "steps", "jobs", "attempts", "faults"):
        assert resumed[name] == whole[name]
    other = [sys.executable, "-m", "tests.world", "--first", "9", "--record", str(path), "--resume"]
    refused = subprocess.run(other, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "start anew without --resume" in refused.stderr


BUGS = [
    ("lose-tasks", "are lost"),
    ("ignore-the-limit-of-arrays", "tasks, and may run"),
    ("acknowledge-before-commit", "acknowledged, and not stored|was not to reboot"),
    ("give-processors-twice", "are given to jobs|cores left, and by its jobs"),
    ("confirm-before-the-kill", "at once"),
    ("forget-an-event", "decided otherwise than stored"),
    ("end-twice", "ended 2 times"),
    ("change-a-table-alone", "of events"),
    ("ignore-the-limit", "is told to be"),
    ("lose-updates", "has lost its new limit"),
    ("launch-with-the-old-limit", "is told to be"),
    ("decide-by-chance", "decided otherwise than stored"),
    ("forget-keys", "submitted by nobody, or twice|, and then |with another body"),
    ("lose-a-job", "some jobs never end|are given to jobs|was over, and now"),
    ("never-stop", "some jobs never end"),
    ("delete-too-early", "was deleted, which was over at"),
    ("delete-live-jobs", "was deleted, which was over at"),
    ("delete-a-needed-event", "decided otherwise than stored|by the events"),
    ("give-numbers-again", "numbers that were given out before|has ended as"),
    ("leave-the-partition", "outside its partition"),
    ("preempt-any", "for one of no higher tier"),
    ("preempt-any-qos", "for one of a QOS that may not"),
    ("end-preempted-jobs", "and its (partition|QOS) has requeue"),
    ("forget-who-preempted", "have a claim|some jobs never end"),
    ("limit-passed", "are passed"),
    ("share-kept-nodes", "kept for users|is kept by|cores left, and by its jobs|is shared by"),
    ("reach-into-reservations", "reservations are violated"),
    ("reboot-busy-nodes", "reboots, and holds jobs"),
    ("take-any-hello-for-a-boot", "was not to reboot, and is on boot|reboot of node .* of events"),
    ("fail-at-the-first-refusal", "is FAILED, for which there is no reason"),
    # Reserved nodes are avoided as those are that have refused a job.
    ("send-back-to-who-refused", "was sent again to|reservations are violated"),
    ("start-held-jobs", "has started too early|has no condition left"),
    ("forget-begin-times", "has started too early"),
    ("start-late-jobs", "has missed its deadline"),
    ("let-suspended-limits-run", "are suspended, and have come to their ends"),
    ("believe-any-agent", "no reason|is told to be|has ended as|at once"),
    ("take-any-name", "is the liar's"),
    ("use-up-the-numbers", "used up the numbers"),
    # A job that awaits one whose end is told as later seems to have started too early.
    (
        "take-any-time",
        "end before they start, or after the present|out of range|too large to convert"
        "|has started too early",
    ),
    ("fail-of-an-answer", "request-failed"),
    (
        "show-all-to-all",
        "told mallory of job|of mallory was answered 20|CANCELLED, for which there is no",
    ),
    ("list-all-to-all", "told mallory of job"),
    ("count-no-jobs", "live jobs, and may have"),
    ("count-no-requests", "of a flood were served"),
    ("let-dead-tokens-in", "does not hold, and was answered"),
    ("forget-bodies", "repeated with another body, and taken"),
    ("share-keys", "was used for another request|are two jobs|is two jobs"),
    ("take-any-text", "of mallory was answered 201"),
]
"""The injected bugs, and the words by which each is found."""
MOST_STORIES = {"never-stop": 1}
"""The stories that are told of a bug where 400 are too many: those in which jobs never end, and old
events are pruned, take minutes."""
FIRST_STORY = {
    "preempt-any": 4,
    "preempt-any-qos": 85,
    "end-preempted-jobs": 13,
    "forget-who-preempted": 4,
    "let-suspended-limits-run": 10,
    "believe-any-agent": 13,
    "take-any-time": 7,
    "show-all-to-all": 13,
}
"""The story to begin with where a bug has been seen to be found late. When the code changes,
another story may be the first to find it, so that 400 are told from there on."""
FOUND_SOON = {"acknowledge-before-commit", "give-processors-twice"}
"""One bug for each of two promises, found within a few stories."""


@pytest.mark.parametrize(
    ("bug", "found"),
    # long: some bugs are found after hundreds of stories
    [pytest.param(*one, marks=[pytest.mark.long] * (one[0] not in FOUND_SOON)) for one in BUGS],
)
@pytest.mark.timeout(1200)
def test_an_injected_bug_is_found_and_its_seed_replays(
    teller: Teller, bug: str, found: str
) -> None:
    """Some stories are told until it is found, and the one that finds it twice more."""
    begin = FIRST_STORY.get(bug, 0)
    seeds = range(begin, begin + MOST_STORIES.get(bug, 400))
    told = (teller.tell(seed, bug=bug) for seed in seeds)
    first = next(result for result in told if result.failure)
    assert re.search(found, first.failure), first
    again = [teller.tell(first.seed, bug=bug) for _ in range(2)]
    assert [(one.failure, one.digest) for one in again] == [(first.failure, first.digest)] * 2


def test_each_injected_bug_has_a_row_in_the_page_on_trust() -> None:
    page = (Path(__file__).parents[1] / "docs/trust.md").read_text()
    table = page[page.index("| promise | injected bug |") :].split("\n\n")[0]
    named = re.findall(r"\(`([a-z-]+)`\) \|", table)
    assert sorted(named) == sorted(INJECTED)


@pytest.mark.long  # twice as many stories as processes tell
def test_a_run_with_an_injected_bug_ends_with_the_story_that_finds_it() -> None:
    code, record, printed = stories("--seeds", "400", "--bug", "acknowledge-before-commit")
    [seed] = record["failed"]
    assert code == 1
    assert f"python -m tests.world --seed {seed} --bug acknowledge-before-commit" in printed


@pytest.mark.long  # each in a process of its own
@pytest.mark.parametrize(
    ("bug", "script", "found"),
    [
        ("keep-claims", "shrunk-under-a-claim", "2 of 1 cores of agent0-e1 are given to jobs"),
        ("ask-nobody", "restored-beside-a-run", "runs at once"),
        (
            "leave-late-jobs-in-the-queue",
            "killed-between-two-parts-of-late-jobs",
            "may start, and is too late for its deadline",
        ),
        ("tell-of-ends-too-early", "listed-at-its-end", "was over, and now"),
        ("forget-ends", "killed-between-two-parts", "waits for job 1, which is over"),
        ("start-dependents-early", "followed-after-its-limit", "has started too early"),
        (
            "look-at-some-jobs",
            "killed-between-two-parts-of-other-partitions",
            "some jobs never end",
        ),
    ],
)
def test_an_injected_bug_that_is_rare_in_stories_is_found_by_a_script(
    teller: Teller, bug: str, script: str, found: str
) -> None:
    assert found in teller.tell(bug=bug, script=script).failure
