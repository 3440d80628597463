"""Jobs in parts: what a submit may say of them, what a job is told, and what a restart keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_core.jobs.request import Piece
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.parts import MOST_PARTS
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.loop.launch import JobRules, Launches
from rmsd_wire.api.submission import JobPart, SubmitSpec
from tests.daemon.fold import assert_events_fold_to_tables
from tests.jobs import running
from tests.live import Daemon

_RULES = Rules("nodes", None, 1 << 20, "/")
_PARTS = [JobPart("a", 1, 2), JobPart("b", 2, 3)]


def _spec(**changed: Any) -> SubmitSpec:
    asked = {"script": "#!/bin/sh\n", "nodes": 3, "tasks": 5, "parts": _PARTS}
    return SubmitSpec(**{**asked, **changed})


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"nodes": 4}, "'nodes' is 4, and the 'parts' have 3 together"),
        ({"tasks": None}, "'tasks' is None, and the 'parts' have 5 together"),
        ({"parts": _PARTS[:1]}, "'parts' is 1"),
        ({"parts": [JobPart("a", 1, 1)] * (MOST_PARTS + 1)}, "'parts' is 129"),
        ({"parts": [JobPart("a", 1, 3), JobPart("b", 2, 2)]}, "'a' needs 3 processors on a node"),
        ({"parts": [JobPart("a", 1, 1, 1), JobPart("b", 2, 2, 2)]}, "'a' needs 1 processors"),
        ({"parts": [JobPart("a", 1, 1, -1), JobPart("b", 2, 2)]}, "'parts.cpus_per_task' is -1"),
        ({"parts": [JobPart("a", 2, 1), JobPart("b", 1, 4)]}, "'parts.tasks' is 1"),
        ({"parts": [JobPart("", 1, 2), JobPart("b", 2, 3)]}, "each part has a name"),
        ({"parts": [JobPart("a\n", 1, 2), JobPart("b", 2, 3)]}, "must be printable"),
        ({"parts": [JobPart("a", 3, 3, 2)] * 2, "gres_per_task": "gpu:1"}, "give 'gres'"),
        ({"array": "1-2"}, "'array' is given with 'parts'"),
        ({"nodelist": "n1"}, "'nodelist' is given with 'parts'"),
    ],
)
def test_parts_that_are_not_the_job_are_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(Malformed, match=why):
        new_job(_spec(**changed), "ann", 0, _RULES)


def test_a_job_is_told_of_its_own_parts_alone() -> None:
    """The environment of a submit has the variables of the job around it."""
    outer = {"SLURM_HET_SIZE": "9", "SLURM_JOB_NAME_HET_GROUP_8": "outer", "SLURM_PACK_SIZE": "9"}
    rules = JobRules(5.0)
    for spec in (_spec(env=outer), _spec(env=outer, parts=[])):
        new = new_job(spec, "ann", 0, _RULES)
        pieces = [Piece(name, 2) for name in ("n1", "n2", "n3")]
        running(new.job, *pieces, start_us=5, launched=False)
        first, *_ = Launches(new.job, new.details, new.payload, 1.0, rules)
        told = {name: text for name, text in first.env.items() if "HET" in name or "PACK" in name}
        assert "SLURM_JOB_NAME_HET_GROUP_8" not in told
        assert told.get("SLURM_HET_SIZE") == ("2" if spec.parts else None)
        assert first.env["SLURM_JOB_NODELIST"] == ("n1" if spec.parts else "n[1-3]")
        assert first.env["RMS_NODELIST"] == "n[1-3]"
        assert told.get("SLURM_JOB_NODELIST_HET_GROUP_1") == ("n[2-3]" if spec.parts else None)


def test_parts_count_as_bytes_of_a_job() -> None:
    with_parts = new_job(_spec(), "ann", 0, _RULES).details.text_bytes
    assert with_parts >= new_job(_spec(parts=[]), "ann", 0, _RULES).details.text_bytes + 500


@pytest.mark.live
@pytest.mark.slow
def test_parts_outlive_a_kill_of_the_daemon(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "3x4")
    parts = [{"name": "a", "nodes": 1, "tasks": 2}, {"name": "b", "nodes": 2, "tasks": 3}]
    asked: dict[str, Any] = {"nodes": 3, "tasks": 5, "parts": parts, "env": {"SLURM_X": "1"}}
    script = "echo $SLURM_JOB_NODELIST_HET_GROUP_1 $SLURM_HET_SIZE > told"
    job_id = daemon.submit(script, conditions={"hold": True}, **asked)
    for change in ({"nodes": 2}, {"tasks": 6}, {"cpus_per_task": 2}):
        with pytest.raises(ApiError, match="cannot be changed: the job has 'parts'"):
            daemon.client.update(job_id, change)
    daemon.client.update(job_id, {"name": "new"})
    renamed = [{**parts[0], "name": "new"}, parts[1]]
    daemon.kill()
    daemon.start()
    job = daemon.client.job(job_id)
    assert job["parts"] == [{"cpus_per_task": 0, **one} for one in renamed]
    assert list(daemon.client.queue()["part_count"]) == [2]
    daemon.client.change(job_id, "release")
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    assert daemon.lines("told") == ["e[2-3] 2"]
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None
