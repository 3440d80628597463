"""`--me`: over TCP the daemon knows who we are, whatever our name is here."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rmsd_client.rdel import rdel
from rmsd_client.rstat import rstat

from .small_server import Answer, Request, json_answer, serve_tls, serve_unix


def _respond(request: Request) -> Answer:
    return json_answer(
        {"you": {"user": "head"}} if request.target == "/v1/status" else {"jobs": []}
    )


@pytest.mark.parametrize("command", [rstat, rdel])
def test_me_over_tcp(command: Callable[[Sequence[str]], int], short_dir: Path) -> None:
    server, url = serve_tls(_respond, short_dir)
    with server:
        assert command(["--server", url, "--ca-file", f"{short_dir}/ca.pem", "--me"]) == 0
    assert [request.target for request in server.requests] == ["/v1/status", "/v1/jobs?user=head"]


@pytest.mark.parametrize("command", [rstat, rdel])
def test_me_on_the_socket(command: Callable[[Sequence[str]], int], short_dir: Path) -> None:
    with serve_unix(short_dir / "s", _respond) as server:
        assert command(["--server", f"unix:{short_dir}/s", "--me"]) == 0
    name = pwd.getpwuid(os.getuid()).pw_name
    assert [request.target for request in server.requests] == [f"/v1/jobs?user={name}"]
