"""The conversations of real clients with a real Slurm 22.05, held again: the exit codes, texts and
forms of the answers are the same."""

from __future__ import annotations

import getpass
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.slurm.site import SlurmSite

DATA = os.environ.get("RMSD_TEST_DATA")
CONVERSATIONS = Path(DATA or "/nonexistent") / "slurm/conversations"

pytestmark = [
    pytest.mark.live,
    pytest.mark.golden,
    pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with slurm/"),
]

_ASKS = ("squeue", "sacct", "sinfo", "sshare", "sacctmgr", "scancel")
_WORDS = {"root": getpass.getuser(), "lab": "lab"}


def _records() -> Iterator[dict[str, Any]]:
    """Yield one record of each form, outside of jobs."""
    known = set()
    for path in sorted(CONVERSATIONS.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            form = (record["cmd"], re.sub(r"\d+", "N", shlex.join(record["argv"])), record["rc"])
            if not record["in_job"] and form not in known:
                known.add(form)
                yield record


def _argv(record: dict[str, Any], site: SlurmSite) -> list[str]:
    """Return the words with the folders of this run in the places of the recorded ones."""
    work = str(site.daemon.work)
    return [re.sub(r"\$[A-Z]+(/[\w./-]*/)?", f"{work}/", _WORDS.get(word, word))
            for word in record["argv"]]  # fmt: skip


@pytest.mark.slow
def test_questions_are_answered_in_the_same_form(site: SlurmSite) -> None:
    asked = 0
    for record in _records():
        config = record["argv"][:2] == ["show", "config"]
        if record["cmd"] not in _ASKS and not config:
            continue
        asked += 1
        words = _argv(record, site)
        if "--signal" in words:  # these jobs ran
            job = site.submit("--wrap", "sleep 600")
            site.wait_for(job, "RUNNING")
            words = [job if word.isdecimal() else word for word in words]
        done = site.run(record["cmd"], *words)
        if "--signal" in words:
            site.run("scancel", job)  # others wait for its node
        said = f"{record['cmd']} {shlex.join(record['argv'])}: {done.stderr}"
        assert done.returncode == record["rc"], said
        first = record["stdout"].split("\n")[0]
        if re.match(r"[A-Z]", first) and not config:  # a header
            assert done.stdout.split("\n")[0] == first, said
        if config:
            assert re.match(r"Configuration data as of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", done.stdout)
    assert asked >= 8


@pytest.mark.slow
def test_submits_are_answered_in_the_same_form(site: SlurmSite) -> None:
    submitted = 0
    for record in _records():
        if record["cmd"] != "sbatch":
            continue
        submitted += 1
        words = _argv(record, site)
        script = record.get("script") or ""
        script = re.sub(r"\$[A-Z]+/[\w./-]*/", f"{site.daemon.work}/", script)
        if script:
            words = [site.write("recorded.sh", script) if not w.startswith("-") else w
                     for w in words[-1:]]  # fmt: skip
        done = site.run("sbatch", "--hold", *words, stdin=record.get("stdin"))
        assert done.returncode == record["rc"], f"{words}: {done.stderr}"
        assert re.sub(r"\d+", "N", done.stdout) == re.sub(r"\d+", "N", record["stdout"])
        assert done.stderr == record["stderr"]
        if number := re.search(r"\d+", done.stdout):
            assert site.out("sacct", "-X", "-n", "-P", "-o", "State", "-j", number[0]) in (
                "PENDING\n", "RUNNING\n",
            )  # fmt: skip
            site.out("scancel", number[0])
    assert submitted >= 8
