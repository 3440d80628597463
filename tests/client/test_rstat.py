"""The jobs that rstat asks for, and its words on jobs that it does not show."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from rmsd_client.rstat import rstat
from tests.client.shown_jobs import over

from .small_server import Answer, Request, json_answer, serve_unix

_CUT = "rstat: the newest 1,000 jobs; --limit COUNT shows more\n"


def _asked(request: Request) -> dict[str, str]:
    query = parse_qs(urlsplit(request.target).query)
    return {name: text for name, [text] in query.items()}


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["-u", "root,bin", "-u", "anna"], {"user": "root,bin,anna"}),
        (["-n", "a,b"], {"name": "a,b"}),
        (["-t", "R", "-t", "pending"], {"states": "R,PD"}),
        (["-j", "1", "-j", "2,3", "-h", "4"], {"ids": "1,2,3,4", "states": "all"}),
    ],
)
def test_lists_and_options_that_are_repeated(
    short_dir: Path, words: list[str], asked: dict[str, str]
) -> None:
    with serve_unix(short_dir / "s", lambda _: json_answer({"jobs": []})) as server:
        rstat(["--server", f"unix:{short_dir}/s", *words])
    assert [_asked(request) for request in server.requests] == [asked]


@pytest.mark.parametrize("there_are", [1000, 1001])
@pytest.mark.parametrize("form", [["-h"], ["-h", "-o", "%i"], ["--json"]])
def test_that_a_list_was_cut_is_said(
    short_dir: Path, capsys: pytest.CaptureFixture[str], form: list[str], there_are: int
) -> None:
    def newest(request: Request) -> Answer:
        limit = int(_asked(request).get("limit", 1000))
        ids = range(1, there_are + 1)[-limit:]
        return json_answer({"jobs": [over(job_id=job_id) for job_id in ids]})

    with serve_unix(short_dir / "s", newest):
        assert rstat(["--server", f"unix:{short_dir}/s", "-t", "all", *form]) == 0
    shown = capsys.readouterr()
    assert shown.err == _CUT * (there_are > 1000)
    if form == ["--json"]:
        listed = [job["job_id"] for job in json.loads(shown.out)["jobs"]]
    else:
        listed = [int(line.split()[0]) for line in shown.out.splitlines()]
    assert listed == list(range(there_are - 999, there_are + 1))


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        (["-t", "PD,CD"], "1001"),
        (["-t", "PD,CG"], None),
        (["-t", "all", "--limit", "5000"], "5000"),
        (["-t", "all", "-j", "1"], None),
        ([], None),
    ],
)
def test_only_a_list_of_what_is_over_may_be_cut(
    short_dir: Path, words: list[str], limit: str | None
) -> None:
    with serve_unix(short_dir / "s", lambda _: json_answer({"jobs": []})) as server:
        rstat(["--server", f"unix:{short_dir}/s", *words])
    [request] = server.requests
    assert _asked(request).get("limit") == limit


def test_a_long_list_on_a_narrow_terminal_has_all_of_a_short_one(
    short_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def titles(*words: str) -> list[str]:
        assert rstat(["--server", f"unix:{short_dir}/s", "-t", "all", *words]) == 0
        return capsys.readouterr().out.splitlines()[0].split()

    def answered(request: Request) -> Answer:
        if request.target.startswith("/v1/plan"):
            return json_answer({"made_us": 0, "starts": [], "left_out": 0})
        return json_answer({"jobs": [over(job_id=1)]})

    with serve_unix(short_dir / "s", answered):
        for width in ("40", "80", "100", "140"):
            monkeypatch.setenv("COLUMNS", width)
            short, long = titles(), titles("-l")
            assert {"STATE" if title == "ST" else title for title in short} <= set(long)
        assert "SUBMIT_TIME" in long


def test_an_empty_list_says_whose_name_may_be_mistyped(
    short_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_unix(short_dir / "s", lambda _: json_answer({"jobs": []})):
        assert rstat(["--server", f"unix:{short_dir}/s", "-h", "-u", "root,no-such-user"]) == 0
    said = capsys.readouterr().err
    assert said == "rstat: warning: there is no account no-such-user on this machine\n"
