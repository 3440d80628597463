"""The resource limits that jobs take over from the shells that submit them."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_wire.api.submission import EmulateSpec, SubmitSpec
from rmsd_wire.rlimits import RLIMITS
from tests.commands import BIN
from tests.live import Daemon

ALL: dict[str, int | None] = dict.fromkeys(RLIMITS, 1000)
SHOWN = "ulimit -S -n; ulimit -S -c; ulimit -S -s; ulimit -S -f"
IN_THE_SHELL = "ulimit -S -n 123 -c 0 -s 4096 -f 5000"
"""Commands for bash, whose sizes of files are KiB. Those that the job's sh shows are 512 bytes."""


def _kept(rules: Rules, **fields: Any) -> dict[str, int | None]:
    spec = SubmitSpec(script="#!/bin/sh\n", **fields)
    return new_job(spec, "ann", 0, rules).payload.rlimits


def _rules(*propagate_limits: str) -> Rules:
    return Rules("nodes", None, 1 << 20, "/", propagate_limits=propagate_limits)


def test_the_site_says_which_limits_are_taken_over_and_a_submitter_who_asks_knows_better() -> None:
    assert _kept(_rules(*RLIMITS), rlimits=ALL) == ALL
    assert _kept(_rules("CORE", "STACK"), rlimits=ALL) == {"CORE": 1000, "STACK": 1000}
    assert _kept(_rules(), rlimits=ALL) == {}
    assert _kept(_rules(), rlimits={"NOFILE": None}, rlimits_asked=True) == {"NOFILE": None}
    assert _kept(_rules(*RLIMITS), rlimits_asked=True) == {}
    assert _kept(_rules(*RLIMITS)) == {}


def test_what_is_no_limit_is_refused() -> None:
    with pytest.raises(Malformed, match="'rlimits' has 'RTPRIO'; there are AS, CORE, CPU"):
        _kept(_rules(), rlimits={"RTPRIO": 1})
    emulated = SubmitSpec(emulate=EmulateSpec(1.0), rlimits={"CORE": 0})
    with pytest.raises(Malformed, match="there is no script to be limited"):
        new_job(emulated, "ann", 0, _rules())


@pytest.mark.live
def test_the_api_bounds_them(daemon: Daemon) -> None:
    for rlimits in ({"CORE": -1}, {"CORE": 1 << 63}, {"CORE": 0.5}, {"": 1}):
        with pytest.raises(ApiError, match=r"jobs\[0\].rlimits"):
            daemon.submit("true", rlimits=rlimits)
    many = {f"L{i}": 1 for i in range(len(RLIMITS) + 1)}
    with pytest.raises(ApiError, match="of length <= 10"):
        daemon.submit("true", rlimits=many)
    with pytest.raises(ApiError, match="'rlimits' has 'L0'"):
        daemon.submit("true", rlimits={"L0": 1})


def _in_a_shell(daemon: Daemon, *words: str) -> int:
    """Submit with `rsub` from a shell with limits of its own."""
    rsub = shlex.join([str(BIN / "rsub"), "--parsable", *words, "-o", "%j", "--wrap", SHOWN])
    done = subprocess.run(
        ["bash", "-c", f"{IN_THE_SHELL}; exec {rsub}"],
        cwd=daemon.work,
        env=daemon.env,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.live
# long: starts a daemon of its own, as that which is killed does in the short run
@pytest.mark.parametrize("ending", [pytest.param("stop", marks=pytest.mark.long), "kill"])
def test_a_job_has_the_limits_of_its_shell_also_after_a_restart(
    start_daemon: Callable[..., Daemon], ending: str
) -> None:
    daemon = start_daemon()
    held = _in_a_shell(daemon, "--hold")
    at_once = _in_a_shell(daemon)
    assert daemon.wait(at_once)["state"] == "COMPLETED"
    assert daemon.lines(str(at_once)) == ["123", "0", "4096", "10000"]
    getattr(daemon, ending)()
    daemon.start()
    daemon.run("rjob", "release", str(held), expect=0)
    assert daemon.wait(held)["state"] == "COMPLETED"
    assert daemon.lines(str(held)) == ["123", "0", "4096", "10000"]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@pytest.mark.live
def test_options_choose_others(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(config='propagate_limits = "STACK,FSIZE"\n')
    jobs = {
        _in_a_shell(daemon): ["own", "0", "4096", "10000"],
        _in_a_shell(daemon, "--propagate"): ["123", "0", "4096", "10000"],
        _in_a_shell(daemon, "--propagate=RLIMIT_NOFILE"): ["123", "0", "own", "own"],
        _in_a_shell(daemon, "--propagate=none"): ["own", "0", "own", "own"],
    }
    own = subprocess.run(
        ["sh", "-c", SHOWN], capture_output=True, text=True, check=True
    ).stdout.split()
    for job_id, limits in jobs.items():
        assert daemon.wait(job_id)["state"] == "COMPLETED"
        expected = [own[i] if limit == "own" else limit for i, limit in enumerate(limits)]
        assert daemon.lines(str(job_id)) == expected, limits
