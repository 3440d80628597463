"""The jobs that rdel asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.rdel import rdel
from rmsd_client.rlog import rlog
from rmsd_client.rrun import rrun

from .small_server import json_answer, serve_unix


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["-t", "all"], "/v1/jobs"),  # live ones, of which the daemon has no limit
        (["--me", "-t", "ALL"], "/v1/jobs?user="),
        (["-t", "pd,completed,CG,CA"], "/v1/jobs?states=PD%2CCG"),
        (["-t", "pd", "-t", "CG"], "/v1/jobs?states=PD%2CCG"),
        (["-u", "ann,bob", "-u", "eve"], "/v1/jobs?user=ann%2Cbob%2Ceve"),
        (["-n", "one", "-n", "two"], "/v1/jobs?name=one%2Ctwo"),
    ],
)
def test_states_in_which_a_job_can_be_cancelled(
    short_dir: Path, words: list[str], target: str
) -> None:
    with serve_unix(short_dir / "s", lambda _: json_answer({"jobs": []})) as server:
        assert rdel(["--server", f"unix:{short_dir}/s", *words]) == 0
    [request] = server.requests
    assert request.target.startswith(target)
    assert ("?" in request.target) == ("?" in target)


def test_jobs_that_are_over_are_not_asked_for(short_dir: Path) -> None:
    path = short_dir / "s"
    with (
        serve_unix(path, lambda _: json_answer({"jobs": []})) as server,
        pytest.raises(UsageError) as caught,
    ):
        rdel(["--server", f"unix:{path}", "-t", "CD,failed"])
    assert str(caught.value) == "--states=CD,failed: jobs that are over cannot be cancelled"
    assert server.requests == []


@pytest.mark.parametrize("command", [rdel, rlog, rrun])
def test_a_short_option_for_help(
    command: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        command(["-h"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {command.__name__}")
