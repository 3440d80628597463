"""The public Python API: one class over the daemon's HTTP API.

    with Client() as client:
        [job] = client.submit([{"script": "#!/bin/sh\\nhostname\\n", "workdir": "/tmp"}])
        print(client.wait(job["job_id"])["state"])

Arguments and results are the JSON objects that `rmsd_wire.api` defines, as dictionaries. A
submitted job is a `SubmitSpec`, a job is a `JobView`, a node is a `NodeView`. Times named `_us` are
microseconds of model time since the epoch, `_s` seconds.
"""

from __future__ import annotations

import os
import time

from rmsd_client.calls.calls import MOST_DETAIL, ApiCalls, query_of, quote
from rmsd_client.calls.node_calls import NodeCalls
from rmsd_client.calls.output import Output
from rmsd_client.calls.step_calls import NODE_S, StepCalls, portions
from rmsd_client.connection.http import Connection, idempotency_key
from rmsd_client.connection.server import find_ca_file, find_server, job_token, read_token
from rmsd_client.errors import Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Self

    Json = dict[str, Any]
    JobName = int | str

# the length of a long poll; middleboxes close connections that are silent for a minute
_POLL_S = 30.0
_ENTRIES = 100_000  # the entries of the audit trail to list, if no limit is given
IN_PAGE = 2000  # jobs in one page of many: 3 MB of JSON, or 50 MB if they have the longest texts
_EVERYTHING = 1 << 40
CHUNK = 1 << 20
"""Bytes of output in one answer."""
MOST_AT_ONCE = 10_000
"""Jobs that can be cancelled together."""


class Client(StepCalls, NodeCalls):
    """A connection to a daemon; use it in a `with` statement, from one thread at a time.

    `server` is `unix:/path` or `https://host:port`; without it, RMSD_SERVER, RMSD_STATE_DIR and the
    user's state directory are looked at, as the commands do. `token_file` and `ca_file`, or
    RMSD_TOKEN_FILE and RMSD_CA_FILE, or the files token and ca.pem in ~/.config/rmsd, are for
    https. `retry_for_s` is how long every call waits for a daemon that is away; `notice` is called
    with a text for each outage.

    Every call raises `ApiError`, with a message, a status and an exit code, if the daemon refuses.
    It raises `Unreachable` if there is no daemon. Both are `ClientError`s.
    """

    def __init__(
        self,
        server: str | None = None,
        token_file: str | None = None,
        ca_file: str | None = None,
        *,
        retry_for_s: float = 5.0,
        notice: Callable[[str], None] | None = None,
    ) -> None:
        address = find_server(server)
        token = of_job = None
        if address.host:
            token, of_job = read_token(token_file), None if token_file else job_token()
            address.ca_file = find_ca_file(ca_file)
        self._connection = Connection(address, token, retry_for_s, notice, of_job)
        super().__init__(ApiCalls(self._connection))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def connection(self) -> Connection:
        """Return the connection below, for requests that this class has no method for."""
        return self._connection

    @property
    def server(self) -> str:
        """Return the address of the daemon in the form of RMSD_SERVER."""
        return str(self._connection.address)

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        self._connection.close()

    @property
    def retry_for_s(self) -> float:
        """Return how long a call waits for a daemon that is away [s]."""
        return self._connection.retry_for_s

    @retry_for_s.setter
    def retry_for_s(self, seconds: float) -> None:
        self._connection.retry_for_s = seconds

    @property
    def connections(self) -> int:
        """Return the number of connections made so far. Behind a new connection there may be
        another daemon."""
        return self._connection.made

    # ------------------------------------------------------------------ jobs

    def submit(self, specs: Sequence[Mapping[str, Any]], key: str | None = None) -> list[Json]:
        """Submit jobs (`SubmitSpec`s), all or none. Returns one `Submitted` for each, in order,
        once they are on the daemon's disk. A repetition with the same `key` submits nothing and
        returns the first answer."""
        headers = {"Idempotency-Key": key or idempotency_key()}
        try:
            jobs: list[Json] = self._calls.ask(
                "SubmitReply", "POST", "/v1/jobs", {"jobs": specs}, headers
            )["jobs"]
            if len(jobs) != len(specs):
                raise self._calls.no_daemon(f"it took {len(jobs)} jobs of {len(specs)}")
        except Unreachable as error:
            if not error.sent:
                raise
            what = "the job was" if len(specs) == 1 else "the jobs were"
            raise Unreachable(
                f"{error}; it is not known whether {what} taken, 'rstat --me' tells once it "
                "answers again",
                sent=True,
            ) from error
        return jobs

    def test_submit(self, spec: Mapping[str, Any]) -> Json:
        """Return when and where a job (`SubmitSpec`) would start if submitted (`TestReply`)."""
        return self._calls.ask("TestReply", "POST", "/v1/plan", {"job": spec})

    def job(self, job_id: JobName, wait_s: float = 0.0, *, inside: bool = False) -> Json:
        """Return a job as it is now (`JobView`); with `wait_s`, once it is over or that time is
        up. `inside`: this process runs in the job, so that a daemon which a backup was restored to
        does not answer before it knows that."""
        target = f"/v1/jobs/{job_id}"
        target += query_of(wait_s=wait_s or None, inside="true" if inside else None)
        job: Json = self._calls.ask("JobReply", "GET", target, wait_s=wait_s)["job"]
        return job

    def attempts(self, job_id: JobName) -> list[Json]:
        """Return the starts of a job (`AttemptView`), the first one first."""
        target = f"/v1/jobs/{job_id}/attempts"
        attempts: list[Json] = self._calls.ask("AttemptsReply", "GET", target)["attempts"]
        return attempts

    def wait(self, job_id: JobName, timeout_s: float | None = None) -> Json:
        """Return the job once it is over.

        Raises:
            TimeoutError: it is not over after `timeout_s`.
        """
        # imported here, since `rsub` does not need it
        from rmsd_core.vocabulary import TERMINAL_STATES

        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left_s = _POLL_S if deadline is None else max(deadline - time.monotonic(), 0.0)
            job = self.job(job_id, min(left_s, _POLL_S))
            if job["state"] in TERMINAL_STATES:
                return job
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"job {job_id} is {job['state']} after {timeout_s} seconds")

    def jobs(
        self,
        *,
        states: str | None = None,
        user: str | None = None,
        name: str | None = None,
        partition: str | None = None,
        ids: Iterable[JobName] | None = None,
        apart: bool = False,
        since_us: int | None = None,
        ended_since_us: int | None = None,
        limit: int | None = None,
        brief: bool = False,
    ) -> list[Json]:
        """Return jobs (`JobView`s) by id; live ones unless `states` ("PD,CD", "all") or `ids` says
        otherwise. `since_us`: those submitted at this model time or later; `ended_since_us`: those
        that are not over, or over at this model time or later. `apart`: each waiting task of an
        array by itself, instead of one row for all. `limit`: the newest jobs, up to this number;
        without it all of them. `brief`: without paths, comments and notices, which take most of the
        memory."""
        jobs: list[Json] = []
        for some in [None] if ids is None else portions(ids):
            listed = None if some is None else ",".join(map(str, some))
            wanted: dict[str, str | int | None] = {
                "states": states,
                "user": user,
                "name": name,
                "partition": partition,
                "ids": listed,
                "tasks": "apart" if apart else None,
                "since_us": since_us,
                "ended_since_us": ended_since_us,
            }
            jobs += self._calls.newest("JobsReply", "/v1/jobs", "jobs", wanted, limit, brief)
        return jobs[-limit:] if limit else jobs

    def job_pages(
        self,
        *,
        states: str,
        since_us: int | None = None,
        ended_since_us: int | None = None,
        limit: int | None = None,
        decisions: bool = False,
        apart: bool = False,
    ) -> Iterator[list[Json]]:
        """Yield jobs (`JobView`s, as `jobs` has them if they are brief) in pages, the newest page
        first and each page by id. One page at a time is in memory, however many jobs there are. A
        job is on one page only; jobs that are submitted meanwhile are on none. `decisions`: with
        their order, reservations and predictions, as metrics need them. `apart`: as for
        `jobs`."""
        wanted = {
            "states": states,
            "since_us": since_us,
            "ended_since_us": ended_since_us,
            "decisions": "true" if decisions else None,
            "tasks": "apart" if apart else None,
        }
        most = limit or _EVERYTHING
        return self._calls.pages(
            "JobsReply", "/v1/jobs", "jobs", wanted, most, brief=True, in_page=IN_PAGE
        )

    def queue(self, user: str | None = None) -> dict[str, Sequence[Any]]:
        """Return the jobs that are not over in columns: the values of each field of `QueueRow`, by
        number. `user`: of these users alone, with commas. It takes a tenth of the time of `jobs`.
        """
        from rmsd_client.calls.queue import columns_of

        return columns_of(self._calls, f"/v1/queue{query_of(user=user)}")

    def plan(self, until_us: int | None = None, limit: int | None = None) -> Json:
        """Return the expected starts of the waiting jobs (`PlanReply`), all of them by default."""
        query = query_of(until_us=until_us, limit=limit)
        return self._calls.ask("PlanReply", "GET", f"/v1/plan{query}")

    def priorities(self) -> Json:
        """Return the priorities of the jobs that wait for their turn (`PrioritiesReply`)."""
        return self._calls.ask("PrioritiesReply", "GET", "/v1/priorities")

    def explain(self, job_id: JobName) -> Json:
        """Return why a job waits, until when it runs, and the source of its prediction
        (`ExplainReply`)."""
        return self._calls.ask("ExplainReply", "GET", f"/v1/jobs/{job_id}/explain")

    def cancel(self, job_id: JobName) -> Json:
        """Cancel a job. Returns its state then (`JobView`). Raises ApiError 409 if it was over
        already."""
        job: Json = self._calls.ask("JobReply", "DELETE", f"/v1/jobs/{job_id}")["job"]
        return job

    def change(self, job_id: JobName, action: str, *, hold: bool = False) -> Json:
        """Hold a job ("hold"), end its hold ("release"), or have a running job run again
        ("requeue"), or one that is over ("restart"), or whichever it is ("run-again"). With `hold`,
        the job that is to run again is held first. Returns its state then (`JobView`). Raises
        ApiError 409 if the job is in no state for that."""
        body = {"action": action, **({"hold": True} if hold else {})}
        job: Json = self._calls.ask("JobReply", "POST", f"/v1/jobs/{job_id}", body)["job"]
        return job

    def update(self, job_id: JobName, asked: Mapping[str, Any]) -> Json:
        """Change what a waiting job asks for, or the limit of a running one (`JobUpdate`). Returns
        the job as it is then (`JobView`). Raises ApiError 409 if the job is in no state for
        that."""
        job: Json = self._calls.ask("JobReply", "PATCH", f"/v1/jobs/{job_id}", asked)["job"]
        return job

    def cancel_all(self, job_ids: Iterable[int]) -> list[int]:
        """Cancel up to `MOST_AT_ONCE` jobs, all at once, so that none starts on what another one
        leaves. Returns those that were not over already. If one of them does not exist, raises
        ApiError 404 and cancels none."""
        body = {"job_ids": list(job_ids)}
        cancelled: list[int] = self._calls.ask("CancelReply", "POST", "/v1/cancel", body)["job_ids"]
        return cancelled

    def cancel_named(self, names: Sequence[str] = (), waiting: Sequence[int] = ()) -> list[int]:
        """Cancel jobs and tasks of arrays by name ("12", "12_3", "12_[3-5,7]"), and the waiting
        tasks of the arrays `waiting`. Returns the numbers of the jobs and arrays that were not
        over."""
        body = {"jobs": list(names), "waiting": list(waiting)}
        cancelled: list[int] = self._calls.ask("CancelReply", "POST", "/v1/cancel", body)["job_ids"]
        return cancelled

    def output(
        self,
        job_id: JobName,
        stream: str = "stdout",
        *,
        offset: int = 0,
        limit: int = CHUNK,
        wait_s: float = 0.0,
        node: str | None = None,
        step: str | None = None,
        task: int | None = None,
        attempt: int | None = None,
    ) -> Output:
        """Return up to `limit` bytes of "stdout" or "stderr" from `offset`.

        If there is nothing more yet, the call waits up to `wait_s` for more or for the end. A job
        that starts again writes another output: it is read from its beginning if `attempt` says to
        which attempt `offset` belongs. With `node`, `step` and `task`: of that task instead of the
        job's script.
        """
        query = query_of(
            stream=stream,
            offset=offset,
            limit=limit,
            wait_s=wait_s,
            node=node,
            step=step,
            task=task,
            attempt=attempt,
        )
        target = f"/v1/jobs/{job_id}/output{query}"
        most = max(limit, MOST_DETAIL)  # an answer may also say why there is no output
        response = self._calls.call("GET", target, wait_s=wait_s + NODE_S, most=most)
        try:
            output = Output(response)
        except (KeyError, ValueError) as error:
            raise self._calls.no_daemon(f"an output without a usable {error}") from None
        size = len(output.data)
        if size > limit or (size and output.offset not in (offset + size, size)):
            raise self._calls.no_daemon(
                f"{size} bytes up to {output.offset} are not what was asked for"
            )
        return output

    # ------------------------------------------------------------------ nodes and the daemon

    def partitions(self) -> list[Json]:
        """Return all partitions (`PartitionView`s)."""
        found: list[Json] = self._calls.ask("PartitionsReply", "GET", "/v1/partitions")[
            "partitions"
        ]
        return found

    def usage(
        self, since_us: int = 0, until_us: int | None = None, by: str = "user", user: str = ""
    ) -> Json:
        """Return the processor time that jobs have used (`UsageReply`). Times are those of the
        model; `by`: some of account, user, partition and day, with commas."""
        query = query_of(since_us=since_us, until_us=until_us, by=by, user=user or None)
        return self._calls.ask("UsageReply", "GET", f"/v1/usage{query}")

    def accounts(self, user: str = "", *, of_all: bool = False) -> Json:
        """Return the accounts and QOS, with the jobs and the shares of a user, by default the
        caller (`AccountsReply`). Operators may ask for another user, or for all."""
        query = query_of(user=user or None, all="true" if of_all else None)
        return self._calls.ask("AccountsReply", "GET", f"/v1/accounts{query}")

    def orders(self, since_us: int, until_us: int | None = None) -> list[Json]:
        """Return the orders that the queue was in between two model times (`OrderView`s)."""
        query = query_of(since_us=since_us, until_us=until_us)
        found: list[Json] = self._calls.ask("OrdersReply", "GET", f"/v1/orders{query}")["orders"]
        return found

    def status(self) -> Json:
        """Return the state of the daemon (`StatusReply`)."""
        return self._calls.ask("StatusReply", "GET", "/v1/status")

    def script(self, job_id: JobName) -> Json:
        """Return the script of a job, or its beginning (`ScriptReply`)."""
        return self._calls.ask("ScriptReply", "GET", f"/v1/jobs/{job_id}/script")

    def user(self) -> str:
        """Return the name that the daemon knows this caller by, which its jobs get."""
        if self._connection.address.path:
            return current_user()
        return str(self.status()["you"]["user"])

    def shutdown(self) -> None:
        """Stop the daemon; jobs run on."""
        self._calls.call("POST", "/v1/shutdown", b"{}")

    # ------------------------------------------------------------------ tokens, audit trail

    def make_token(self, asked: Mapping[str, Any]) -> Json:
        """Tell the daemon of a token (`NewToken`) by its digest. Returns its `TokenView`."""
        token: Json = self._calls.ask("TokenReply", "POST", "/v1/tokens", asked)["token"]
        return token

    def tokens(self) -> list[Json]:
        """Return the caller's tokens (`TokenView`s); for administrators all, with agents' keys."""
        tokens: list[Json] = self._calls.ask("TokensReply", "GET", "/v1/tokens")["tokens"]
        return tokens

    def renew_token(self) -> Json:
        """Let the token that this client shows hold longer. Returns its `TokenView`."""
        token: Json = self._calls.ask("TokenReply", "POST", "/v1/renew-token", {})["token"]
        return token

    def revoke_token(self, token_id: str) -> Json:
        """End a token, and the link of an agent whose key it is, at once. Returns its
        `TokenView`."""
        token: Json = self._calls.ask("TokenReply", "DELETE", f"/v1/tokens/{quote(token_id)}")[
            "token"
        ]
        return token

    def audit(
        self, since_us: int = 0, user: str | None = None, limit: int | None = None
    ) -> list[Json]:
        """Return the entries of the audit trail (`AuditView`s) since `since_us`, the oldest first;
        of these the newest `limit`."""
        return self._calls.newest(
            "AuditReply",
            "/v1/audit",
            "entries",
            {"since_us": since_us, "user": user},
            limit or _ENTRIES,
        )


def current_user() -> str:
    """Return the user name of this process, or the number if it has no name."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
