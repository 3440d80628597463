"""The description of the API is of the API that there is."""

from __future__ import annotations

import json
import re
import socket

import pytest

from rmsd_daemon.api.openapi import document
from rmsd_daemon.front.operations import BY_ROUTE, OPERATIONS
from tests.commands import rmsd
from tests.live import Daemon


def test_every_route_but_the_link_of_agents_is_described() -> None:
    paths = json.loads(document())["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert described == set(BY_ROUTE) - {("GET", "/v1/link")}


def test_every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() -> None:
    text = document().decode()
    described = json.loads(text)
    components = described["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/(\w+)"', text)) == set(components)
    operations = [one for path in described["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations) == len(OPERATIONS) - 1


def test_a_problem_is_described_for_all_that_can_go_wrong_anywhere() -> None:
    for path in json.loads(document())["paths"].values():
        for operation in path.values():
            for status in ("400", "401", "403", "429", "500", "503", "507"):
                content = operation["responses"][status]["content"]
                assert list(content) == ["application/problem+json"]


@pytest.mark.slow
@pytest.mark.live
def test_the_daemon_and_the_command_give_the_same(daemon: Daemon) -> None:
    with socket.socket(socket.AF_UNIX) as sock, sock.makefile("rb") as answer:
        sock.connect(str(daemon.state / "rmsd.sock"))
        sock.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        body = answer.read().partition(b"\r\n\r\n")[2]
    assert body == rmsd("openapi").stdout.encode() == document()
