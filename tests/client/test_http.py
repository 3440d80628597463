"""The HTTP client against a real server."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from rmsd_client import api
from rmsd_client.api import Client
from rmsd_client.calls import calls
from rmsd_client.errors import ApiError, NotPermitted, Unreachable
from tests.client.small_clients import client_of, connection_to

from .small_server import Answer, Request, json_answer, serve_tls, serve_unix


def test_requests_share_a_connection(short_dir: Path) -> None:
    path = short_dir / "s"
    with serve_unix(path, lambda request: Answer(body=request.body or b"none")) as server:
        connection = connection_to(path)
        assert connection.request("GET", "/a").body == b"none"
        assert connection.request("POST", "/b", b"x" * 300_000).body == b"x" * 300_000
        connection.close()
    assert [(r.method, r.target, r.connection) for r in server.requests] == [
        ("GET", "/a", 1),
        ("POST", "/b", 1),
    ]


def _jobs_of_a_daemon(request: Request) -> Answer:
    """Answer with jobs 1 to 1300; a request line that is too long is refused, as aiohttp does."""
    if len(request.target) > 8000:
        return Answer(400, b"400, message:\n  Got more than 8190 bytes when reading")
    query = parse_qs(request.target.partition("?")[2], keep_blank_values=True)
    wanted = {int(text) for text in query["ids"][0].split(",") if text}
    found = [job_id for job_id in range(1, 1301) if job_id in wanted]
    limit = int(query.get("limit", ["0"])[0])
    return json_answer({"jobs": [{"job_id": job_id} for job_id in found[-limit:]]})


def test_any_number_of_jobs_can_be_asked_for(short_dir: Path) -> None:
    path = short_dir / "s"
    with serve_unix(path, _jobs_of_a_daemon) as server, client_of(path) as client:
        asked = [*range(1500, 0, -1), *range(1, 40)]
        found = client.jobs(ids=asked, states="all", user="ann")
        assert [job["job_id"] for job in found] == list(range(1, 1301))
        newest = client.jobs(ids=(job_id for job_id in asked), limit=600)
        assert [job["job_id"] for job in newest] == list(range(701, 1301))
        assert client.jobs(ids=[7], limit=3) == [{"job_id": 7}]
        assert client.jobs(ids=[]) == []
    targets = [request.target for request in server.requests]
    assert len(targets) == 3 + 3 + 1 + 1
    assert all("states=all&user=ann" in target for target in targets[:3])


def _pages_of_a_daemon(request: Request) -> Answer:
    """Answer with jobs 1 to 10, up to four in an answer, of which number 6 has just ended."""
    query = parse_qs(request.target.partition("?")[2])
    below = int(query.get("before", ["11"])[0])
    found = list(range(1, below))[-min(int(query.get("limit", ["4"])[0]), 4) :]
    told = [{"job_id": job_id} for job_id in found if job_id != 6]
    return json_answer({"jobs": told, "before": found[0] if found[:1] > [1] else None})


@pytest.mark.parametrize(
    ("limit", "answers", "ids"),
    [
        (None, 3, [1, 2, 3, 4, 5, 7, 8, 9, 10]),
        (4, 1, [7, 8, 9, 10]),
        (5, 3, [5, 7, 8, 9, 10]),
        (9, 3, [1, 2, 3, 4, 5, 7, 8, 9, 10]),
    ],
)
def test_a_list_is_asked_for_until_it_is_whole(
    short_dir: Path, limit: int | None, answers: int, ids: list[int]
) -> None:
    path = short_dir / "s"
    with serve_unix(path, _pages_of_a_daemon) as server, client_of(path) as client:
        assert [job["job_id"] for job in client.jobs(limit=limit)] == ids
    assert len(server.requests) == answers
    assert "before" not in server.requests[0].target


def test_pages_are_asked_for_one_after_another(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "IN_PAGE", 3)
    path = short_dir / "s"
    with serve_unix(path, _pages_of_a_daemon) as server, client_of(path) as client:
        pages = client.job_pages(states="all", since_us=5)
        told = []
        for asked, page in enumerate(pages, 1):
            assert len(server.requests) == asked
            told.append([job["job_id"] for job in page])
        assert told == [[8, 9, 10], [5, 7], [2, 3, 4], [1]]
        assert all("states=all&since_us=5&limit=3" in one.target for one in server.requests)
        del server.requests[:]
        assert [
            [job["job_id"] for job in page] for page in client.job_pages(states="all", limit=4)
        ] == [[8, 9, 10], [7]]
        assert len(server.requests) == 2


def test_texts_of_users_keep_nobody_from_a_long_list(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One user's texts made a history of more than a gigabyte, which `rmsd metrics` did not read
    from the daemon; it said that there was none."""
    text = "c" * 300

    def pages(request: Request) -> Answer:
        below = int(parse_qs(request.target.partition("?")[2]).get("before", ["101"])[0])
        found = list(range(below - 10, below))
        told = [{"job_id": job_id, "name": "n", "comment": text} for job_id in found]
        return json_answer({"jobs": told, "before": found[0] if found[0] > 1 else None})

    monkeypatch.setattr(calls, "MOST_LIST", 10_000)
    monkeypatch.setattr(calls, "MOST_LISTED", 10)
    path = short_dir / "s"
    with serve_unix(path, pages), client_of(path) as client:
        found = client.jobs(limit=1 << 40, brief=True)
        assert found == [{"job_id": job_id, "name": "n"} for job_id in range(1, 101)]
        assert client.jobs(limit=10)[0] == {"job_id": 91, "name": "n", "comment": text}
        with pytest.raises(Unreachable, match="may have"):  # the most that may be had at once
            client.jobs()


def test_chunked_answers_are_joined(short_dir: Path) -> None:
    path = short_dir / "s"
    parts = (b"one", b"x" * 100_000, b"\r\n0\r\n")
    with serve_unix(path, lambda _: Answer(chunks=parts)):
        connection = connection_to(path)
        assert connection.request("GET", "/").body == b"".join(parts)
        assert connection.request("GET", "/").body == b"".join(parts)
        connection.close()


def test_over_tcp_with_a_token(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Token and certificates are given as options, in the environment, or by their default
    places."""
    server, url = serve_tls(lambda _: json_answer({"nodes": [{"cores": 1}]}), short_dir)
    token_file, ca_file = short_dir / "token", short_dir / "ca.pem"
    token_file.touch(mode=0o600)
    token_file.write_text("s3cret\nignored\n")
    with server:
        with Client(url, str(token_file), str(ca_file)) as client:
            assert client.nodes() == [{"cores": 1}]
        monkeypatch.setenv("RMSD_TOKEN_FILE", str(token_file))
        monkeypatch.setenv("RMSD_CA_FILE", str(ca_file))
        with Client(url) as client:
            assert client.nodes() == [{"cores": 1}]
        monkeypatch.delenv("RMSD_TOKEN_FILE")
        monkeypatch.delenv("RMSD_CA_FILE")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(short_dir))
        (short_dir / "rmsd").symlink_to(short_dir)
        with Client(url) as client:
            assert client.nodes() == [{"cores": 1}]
    shown = [request.headers["Authorization"] for request in server.requests]
    assert shown == ["Bearer s3cret"] * 3
    assert server.requests[0].headers["Host"] == url.removeprefix("https://")


def test_a_node_that_is_away_is_told_at_once(short_dir: Path) -> None:
    path = short_dir / "s"
    problem = {"title": "Not available", "status": 503, "detail": "no link", "exit_code": 1}
    server = serve_unix(path, lambda _: json_answer(problem, 503))
    with server, client_of(path) as client, pytest.raises(ApiError, match="no link"):
        client.output(1)
    assert len(server.requests) == 1


def test_submits_have_keys_of_their_own(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: json_answer({"jobs": []}))
    with server, client_of(path) as client:
        client.submit([])
        client.submit([])
        client.submit([], key="mine")
    first, second, third = (request.headers["Idempotency-Key"] for request in server.requests)
    assert first != second
    assert third == "mine"


def test_interim_answers_are_passed_over(short_dir: Path) -> None:
    path = short_dir / "s"
    raw = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with serve_unix(path, lambda _: Answer(raw=raw)):
        connection = connection_to(path)
        assert connection.request("GET", "/").body == b"ok"
        connection.close()


def test_problems_become_errors(short_dir: Path) -> None:
    path = short_dir / "s"
    problem = {"title": "No", "status": 422, "detail": "65 cpus, there are 4", "exit_code": 65}
    server = serve_unix(path, lambda _: json_answer(problem, 422))
    with server, client_of(path) as client, pytest.raises(ApiError, match="65 cpus") as caught:
        client.job(1)
    assert (caught.value.status, caught.value.exit_code) == (422, 65)


def test_an_error_without_a_problem_is_told_as_it_is(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: Answer(502, b"bad gateway"))
    with server, client_of(path) as client, pytest.raises(ApiError, match="502: bad gateway"):
        client.status()


def test_an_answer_that_is_no_json_is_no_daemon(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: Answer(body=b"<html>"))
    with server, client_of(path) as client, pytest.raises(Unreachable, match="not an rmsd daemon"):
        client.status()


def test_queries_are_encoded(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: json_answer({"jobs": []}))
    with server, client_of(path) as client:
        client.jobs(name="a b&c=ü", states="PD,R", ids=[1, 2])
        client.jobs()
    assert [request.target for request in server.requests] == [
        "/v1/jobs?states=PD%2CR&name=a%20b%26c%3D%C3%BC&ids=1%2C2",
        "/v1/jobs",
    ]


def test_output_carries_its_place(short_dir: Path) -> None:
    path = short_dir / "s"
    headers = {"X-RMS-Offset": "12", "X-RMS-EOF": "1", "X-RMS-Exit-Code": "3"}
    server = serve_unix(path, lambda _: Answer(body=b"\xff\x00data", headers=headers))
    with server, client_of(path) as client:
        output = client.output(5, "stderr", offset=6, limit=100, node="n1", step="s", task=2)
    assert (output.data, output.offset, output.eof) == (b"\xff\x00data", 12, True)
    assert (output.exit_code, output.signal) == (3, None)
    assert output.attempt is None  # the answer of a daemon that does not say
    assert server.requests[0].target.startswith(
        "/v1/jobs/5/output?stream=stderr&offset=6&limit=100"
    )
    assert server.requests[0].target.endswith("&node=n1&step=s&task=2")
    headers["X-RMS-Attempt"] = "2"
    server = serve_unix(path, lambda _: Answer(body=b"", headers=headers))
    with server, client_of(path) as client:
        assert client.output(5, offset=6, attempt=1).attempt == 2
    assert server.requests[0].target.endswith("&attempt=1")


def test_wait_polls_until_the_job_is_over(short_dir: Path) -> None:
    path = short_dir / "s"
    states = ["PENDING", "RUNNING", "COMPLETED"]

    def respond(_: Request) -> Answer:
        return json_answer({"job": {"job_id": 1, "state": states[len(server.requests) - 1]}})

    server = serve_unix(path, respond)
    with server, client_of(path) as client:
        assert client.wait(1)["state"] == "COMPLETED"
    assert len(server.requests) == 3


def test_wait_has_a_limit(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: json_answer({"job": {"job_id": 1, "state": "RUNNING"}}))
    with server, client_of(path) as client, pytest.raises(TimeoutError, match="RUNNING"):
        client.wait(1, timeout_s=0.01)


def test_drain_says_why(short_dir: Path) -> None:
    path = short_dir / "s"
    server = serve_unix(path, lambda _: json_answer({"node": {"name": "n1"}}))
    with server, client_of(path) as client:
        assert client.drain("n1", "disk") == {"name": "n1"}
        client.resume("n1")
    assert [json.loads(request.body) for request in server.requests] == [
        {"action": "drain", "reason": "disk"},
        {"action": "resume"},
    ]


def test_not_permitted_has_a_code_of_its_own() -> None:
    assert NotPermitted("x").exit_code == 77


def test_a_job_asks_with_its_own_token_where_its_users_is_over(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error tells of the user's token where the job's opens nothing either."""

    def answer(request: Request) -> Answer:
        if request.headers["Authorization"] == "Bearer users":
            return json_answer({"error": "the token is expired"}, 401)
        if request.target == "/v1/nodes":
            return json_answer({"nodes": []})
        return json_answer({"error": "not for a job's token"}, 403)

    server, url = serve_tls(answer, short_dir)
    token_file, ca_file = short_dir / "token", short_dir / "ca.pem"
    token_file.touch(mode=0o600)
    token_file.write_text("users\n")
    monkeypatch.setenv("RMSD_TOKEN", "jobs")
    monkeypatch.setenv("RMSD_TOKEN_FILE", str(token_file))
    with server:
        with Client(url, ca_file=str(ca_file)) as client:
            assert client.nodes() == []
            with pytest.raises(ApiError, match="is expired"):
                client.job(1)
        with (
            Client(url, str(token_file), str(ca_file)) as client,
            pytest.raises(ApiError, match="is expired"),
        ):
            client.nodes()
        monkeypatch.delenv("RMSD_TOKEN_FILE")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(short_dir / "none"))
        with Client(url, ca_file=str(ca_file)) as client:
            assert client.nodes() == []
