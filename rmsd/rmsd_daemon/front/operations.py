"""The routes of the API: one table, which the router, the guard and the description read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.errors import (
    Conflict,
    DaemonError,
    NeverFits,
    NoAnswer,
    NotFound,
    TooLarge,
    TooSlow,
)
from rmsd_wire.api.audit import AuditReply
from rmsd_wire.api.explanation import ExplainReply
from rmsd_wire.api.jobs import (
    AttemptsReply,
    CancelBody,
    CancelReply,
    JobAction,
    JobReply,
    JobsReply,
    SignalBody,
    SignalReply,
)
from rmsd_wire.api.list_limits import DEFAULT_LIMIT, MAX_LIMIT
from rmsd_wire.api.nodes import ForgottenReply, NodeAction, NodeReply, NodesReply
from rmsd_wire.api.partitions import PartitionsReply
from rmsd_wire.api.plan import PlanReply
from rmsd_wire.api.status import ShutdownReply, StatusReply
from rmsd_wire.api.steps import StepBody, StepEndBody, StepReply, StepsReply
from rmsd_wire.api.submission import SubmitBody, SubmitReply
from rmsd_wire.api.tasks import TaskInput, TaskInputReply, TaskReply, TaskSpec
from rmsd_wire.api.tokens import JoinBody, JoinReply, NewToken, TokenReply, TokensReply

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
_BOOL: Json = {"type": "boolean", "default": False}
COUNT: Json = {"type": "integer", "minimum": 0}
_LIMIT: Json = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_LIMIT,
    "default": DEFAULT_LIMIT,
}
_SECONDS: Json = {"type": "number", "minimum": 0, "maximum": 3600, "default": 0}


class Needs(NamedTuple):
    """The rights that a route needs. `role`: the least role. `own_job`: a caller who is no operator
    must own the job that the path names. Another user's job is answered as one that does not
    exist."""

    role: Role
    own_job: bool = False


_USER, _OPERATOR, _ADMIN, _AGENT = map(Needs, (Role.USER, Role.OPERATOR, Role.ADMIN, Role.AGENT))
_OWN_JOB = Needs(Role.USER, own_job=True)


@dataclass(frozen=True, slots=True)
class RequestParameter:
    """A parameter of the query string, or with `place` "header" a header; all may be left out."""

    name: str
    about: str
    schema: Json
    place: str = "query"


@dataclass(frozen=True, slots=True)
class Operation:
    """A route of the API. Its handler has its name.

    needs: the callers that may use it. answer: the type of the answer; None: bytes, with `headers`.
    problems: the errors that it can have beside those of all routes.
    """

    name: str
    method: str
    path: str
    needs: Needs
    about: str
    answer: type | None
    status: int = 200
    body: type | None = None
    parameters: tuple[RequestParameter, ...] = ()
    problems: tuple[type[DaemonError], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    described: bool = True


_WAIT = RequestParameter(
    "wait_s", "how long the answer may be held back until there is news", _SECONDS
)
_NODE = RequestParameter("node", "a node of the job; its first one by default", TEXT)
_KEY = RequestParameter(
    "Idempotency-Key",
    "makes repetitions of one submit known as such: they get the first answer",
    {"type": "string", "minLength": 1, "maxLength": 255},
    "header",
)
_BEFORE = RequestParameter(
    "before", "with numbers below this alone: the `before` of an answer gives the next ones", COUNT
)
_LIST = (
    RequestParameter(
        "states", "states or their codes, with commas; `all`; live ones by default", TEXT
    ),
    RequestParameter("user", "only jobs of these users, with commas", TEXT),
    RequestParameter(
        "name", "only jobs of these names, with commas, or of the whole text as one name", TEXT
    ),
    RequestParameter("partition", "only jobs of these partitions, with commas", TEXT),
    RequestParameter("ids", "job numbers, with commas", TEXT),
    RequestParameter("since_us", "submitted at this model time or later", COUNT),
    RequestParameter("ended_since_us", "not over, or over at this model time or later", COUNT),
    RequestParameter(
        "limit", "the most jobs to list, the newest; with `ids` all by default", _LIMIT
    ),
    _BEFORE,
)
_AUDIT = (
    RequestParameter("since_us", "only entries from this time on, UTC", COUNT),
    RequestParameter("user", "only entries of this user", TEXT),
    RequestParameter("limit", "the most entries, the newest", _LIMIT),
    _BEFORE,
)
_OUTPUT = (
    RequestParameter("stream", "which", {"enum": ["stdout", "stderr"], "default": "stdout"}),
    RequestParameter("offset", "bytes to leave out", COUNT),
    RequestParameter(
        "attempt",
        "the attempt that `offset` is of: in the output of another attempt it counts as 0",
        COUNT,
    ),
    RequestParameter("limit", "bytes at most", COUNT),
    _WAIT,
    _NODE,
    RequestParameter(
        "step", "the step of a task whose output is wanted, instead of the script's", TEXT
    ),
    RequestParameter("task", "the number of the task", COUNT),
)
_OUTPUT_HEADERS = (
    ("X-RMS-Offset", "where the bytes end"),
    ("X-RMS-EOF", "1: the job, or the task, is over, and this is the end of its output"),
    ("X-RMS-Attempt", "the attempt whose output this is; 0: none has begun"),
    ("X-RMS-Exit-Code", "the exit code of a task that is over"),
    ("X-RMS-Signal", "which has ended a task"),
    ("X-RMS-CPU-S", "the processor time of a task that is over, in seconds"),
    ("X-RMS-Max-RSS-MiB", "the memory of its largest process"),
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "submit",
        "POST",
        "/v1/jobs",
        _USER,  # users submit as themselves, operators also for others
        "Submit jobs, all or none.",
        SubmitReply,
        201,
        SubmitBody,
        parameters=(_KEY,),
        problems=(
            TooSlow,
            Conflict,
            TooLarge,
            NeverFits,
        ),
    ),
    Operation(
        "jobs",
        "GET",
        "/v1/jobs",
        _USER,  # lists what the caller sees
        "Jobs, by number.",
        JobsReply,
        parameters=_LIST,
    ),
    Operation(
        "job",
        "GET",
        "/v1/jobs/{id}",
        _OWN_JOB,
        "A job; with `wait_s`, once it is over or that time is up.",
        JobReply,
        parameters=(_WAIT,),
        problems=(NotFound,),
    ),
    Operation(
        "job_action",
        "POST",
        "/v1/jobs/{id}",
        _OWN_JOB,
        "Hold a waiting job, release it, or have a running one run again.",
        JobReply,
        body=JobAction,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
        ),
    ),
    Operation(
        "cancel",
        "DELETE",
        "/v1/jobs/{id}",
        _OWN_JOB,
        "Cancel a job.",
        JobReply,
        problems=(
            NotFound,
            Conflict,
        ),
    ),
    Operation(
        "cancel_all",
        "POST",
        "/v1/cancel",
        _USER,  # users see a part, operators all
        "Cancel jobs, all at once; those that are over are left out of the answer. If one is not "
        "there, or another user's, none is cancelled.",
        CancelReply,
        body=CancelBody,
        problems=(
            NotFound,
            TooSlow,
            TooLarge,
        ),
    ),
    Operation(
        "attempts",
        "GET",
        "/v1/jobs/{id}/attempts",
        _OWN_JOB,
        "The starts of a job, the first one first.",
        AttemptsReply,
        problems=(NotFound,),
    ),
    Operation(
        "explain",
        "GET",
        "/v1/jobs/{id}/explain",
        _OWN_JOB,  # other users' jobs appear there by number, without names
        "Why a job waits, until when it runs, what its prediction is made of.",
        ExplainReply,
        problems=(NotFound,),
    ),
    Operation(
        "output",
        "GET",
        "/v1/jobs/{id}/output",
        _OWN_JOB,
        "Output of a job's script, or of one of its tasks.",
        None,
        parameters=_OUTPUT,
        problems=(
            NotFound,
            Conflict,
            NoAnswer,
        ),
        headers=_OUTPUT_HEADERS,
    ),
    Operation(
        "start_task",
        "POST",
        "/v1/jobs/{id}/tasks",
        _OWN_JOB,
        "Start a task of a step on a node of a running job. A repeat is no news.",
        TaskReply,
        201,
        TaskSpec,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
            NoAnswer,
        ),
    ),
    Operation(
        "stop_task",
        "DELETE",
        "/v1/jobs/{id}/tasks/{step}/{task}",
        _OWN_JOB,
        "Send a signal to all processes of a task.",
        TaskReply,
        parameters=(RequestParameter("signal", "its number", COUNT | {"default": 15}), _NODE),
        problems=(
            NotFound,
            Conflict,
            NoAnswer,
        ),
    ),
    Operation(
        "task_input",
        "POST",
        "/v1/jobs/{id}/tasks/{step}/{task}/input",
        _OWN_JOB,
        "Give a task bytes to read. Those that it does not take are to be sent again.",
        TaskInputReply,
        body=TaskInput,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
            NoAnswer,
        ),
    ),
    Operation(
        "begin_step",
        "POST",
        "/v1/jobs/{id}/steps",
        _OWN_JOB,
        "Tell of a step that begins. Returns its number in the job.",
        StepReply,
        201,
        StepBody,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
        ),
    ),
    Operation(
        "end_step",
        "POST",
        "/v1/jobs/{id}/steps/{number}",
        _OWN_JOB,
        "Tell how a step has ended.",
        StepReply,
        body=StepEndBody,
        problems=(
            NotFound,
            TooSlow,
            TooLarge,
        ),
    ),
    Operation(
        "steps",
        "GET",
        "/v1/steps",
        _USER,  # users see their own
        "The steps of jobs that the daemon remembers: the latest ones since its start.",
        StepsReply,
        parameters=(RequestParameter("ids", "job numbers, with commas", TEXT),),
    ),
    Operation(
        "signal_job",
        "POST",
        "/v1/jobs/{id}/signal",
        _OWN_JOB,
        "Send a signal to a running job's script, to its steps, or to all of its processes.",
        SignalReply,
        body=SignalBody,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
            NoAnswer,
        ),
    ),
    Operation(
        "plan",
        "GET",
        "/v1/plan",
        _USER,  # users see a part, operators all
        "When the waiting jobs are expected to start.",
        PlanReply,
    ),
    Operation("nodes", "GET", "/v1/nodes", _USER, "All nodes.", NodesReply),
    Operation("partitions", "GET", "/v1/partitions", _USER, "All partitions.", PartitionsReply),
    Operation(
        "node_action",
        "POST",
        "/v1/nodes/{name}",
        _OPERATOR,
        "Drain a node, or end a drain.",
        NodeReply,
        body=NodeAction,
        problems=(
            NotFound,
            TooSlow,
            TooLarge,
        ),
    ),
    Operation(
        "forget_node",
        "DELETE",
        "/v1/nodes/{name}",
        _OPERATOR,
        "Take a node that is down off the list, or give up a silent one at once.",
        ForgottenReply,
        parameters=(
            RequestParameter("force", "a node that is suspect may be forgotten as well", _BOOL),
        ),
        problems=(
            NotFound,
            Conflict,
        ),
    ),
    Operation("status", "GET", "/v1/status", _USER, "How the daemon is.", StatusReply),
    Operation(
        "make_token",
        "POST",
        "/v1/tokens",
        _USER,  # users make tokens for themselves, of their own role or a lower one
        "Have a token known.",
        TokenReply,
        201,
        NewToken,
        problems=(
            TooSlow,
            Conflict,
            TooLarge,
        ),
    ),
    Operation(
        "tokens",
        "GET",
        "/v1/tokens",
        _USER,  # one's own
        "The caller's own tokens; of administrators: all.",
        TokensReply,
    ),
    Operation(
        "renew_token",
        "POST",
        "/v1/renew-token",
        _USER,  # the one that the request comes with
        "Let the caller's token hold longer.",
        TokenReply,
        problems=(Conflict,),
    ),
    Operation(
        "revoke_token",
        "DELETE",
        "/v1/tokens/{id}",
        _USER,  # one's own
        "Revoke a token.",
        TokenReply,
        problems=(NotFound,),
    ),
    Operation(
        "audit",
        "GET",
        "/v1/audit",
        _ADMIN,
        "The entries of the audit trail, the oldest first.",
        AuditReply,
        parameters=_AUDIT,
    ),
    Operation(
        "join",
        "POST",
        "/v1/join",
        _AGENT,
        "Have the key of an agent known, for a join token.",
        JoinReply,
        body=JoinBody,
        problems=(
            TooSlow,
            Conflict,
            TooLarge,
        ),
    ),
    Operation(
        "shutdown",
        "POST",
        "/v1/shutdown",
        _ADMIN,
        "Stop the daemon; jobs run on.",
        ShutdownReply,
        202,
    ),
    Operation("openapi", "GET", "/v1/openapi.json", _USER, "This description.", dict),
    # The WebSocket of agents, which is not HTTP: `rmsd_wire.link` describes it.
    Operation("agent_link", "GET", "/v1/link", _AGENT, "", None, described=False),
)

BY_ROUTE = {(one.method, one.path): one for one in OPERATIONS}
"""The operations by method and path."""
