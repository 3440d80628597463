"""The routes of the API: one table, which the router, the guard and the description read."""

from __future__ import annotations

from rmsd_daemon.domain.errors import (
    Conflict,
    NeverFits,
    NoAnswer,
    NotFound,
    TooLarge,
    TooMany,
    TooSlow,
    Unavailable,
)
from rmsd_daemon.front.operation import (
    ADMIN,
    AGENT,
    COUNT,
    EVENT_STREAM,
    OPERATOR,
    OWN_JOB,
    TEXT,
    USER,
    USER_LIST,
    WAIT,
    Json,
    Operation,
    RequestParameter,
)
from rmsd_daemon.front.step_operations import NODE, STEP_OPERATIONS
from rmsd_daemon.front.submit_operations import SUBMIT_OPERATIONS
from rmsd_daemon.front.usage_operations import USAGE_OPERATIONS
from rmsd_wire.api.audit import AuditReply
from rmsd_wire.api.explanation import ExplainReply
from rmsd_wire.api.jobs import (
    AttemptsReply,
    CancelBody,
    CancelReply,
    JobAction,
    JobReply,
    JobsReply,
    ScriptReply,
)
from rmsd_wire.api.list_limits import DEFAULT_LIMIT, MAX_LIMIT
from rmsd_wire.api.nodes import ForgottenReply, NodeAction, NodeReply, NodesReply
from rmsd_wire.api.partitions import PartitionsReply
from rmsd_wire.api.plan import PlanReply
from rmsd_wire.api.queue import QueueReply
from rmsd_wire.api.reservations import NewReservation, ReservationReply, ReservationsReply
from rmsd_wire.api.status import ShutdownReply, StatusReply
from rmsd_wire.api.tokens import JoinBody, JoinReply, NewToken, TokenReply, TokensReply
from rmsd_wire.api.updates import JobUpdate

_BOOL: Json = {"type": "boolean", "default": False}
_LIMIT: Json = {
    "type": "integer",
    "minimum": 1,
    "maximum": MAX_LIMIT,
    "default": DEFAULT_LIMIT,
}
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
    RequestParameter(
        "decisions",
        "with the decisions about each job: order, reservation, predictions",
        {"enum": ["true", "false"], "default": "false"},
    ),
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
    WAIT,
    NODE,
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
    *SUBMIT_OPERATIONS,
    Operation(
        "jobs",
        "GET",
        "/v1/jobs",
        USER_LIST,  # lists what the caller sees
        "Jobs, by number.",
        JobsReply,
        parameters=_LIST,
    ),
    Operation(
        "queue",
        "GET",
        "/v1/queue",
        USER,  # users see their own jobs, operators all
        "The jobs that are not over, in short: each is an array of values.",
        QueueReply,
        parameters=(RequestParameter("user", "only jobs of these users, with commas", TEXT),),
    ),
    Operation(
        "job",
        "GET",
        "/v1/jobs/{id}",
        OWN_JOB,
        "A job; with `wait_s`, once it is over or that time is up.",
        JobReply,
        parameters=(
            WAIT,
            RequestParameter(
                "inside",
                "the caller runs in the job: the answer is 503 while it is not known, after a "
                "restore, what became of the job",
                _BOOL,
            ),
        ),
        problems=(NotFound, Unavailable),
    ),
    Operation(
        "job_action",
        "POST",
        "/v1/jobs/{id}",
        OWN_JOB,
        "Hold a waiting job, release it, or have one that runs or is over run again.",
        JobReply,
        body=JobAction,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
            NeverFits,
        ),
    ),
    Operation(
        "update_job",
        "PATCH",
        "/v1/jobs/{id}",
        OWN_JOB,
        "Change what a waiting job asks for, or the limit of a running one.",
        JobReply,
        body=JobUpdate,
        problems=(
            NotFound,
            TooSlow,
            Conflict,
            TooLarge,
            NeverFits,
        ),
    ),
    Operation(
        "cancel",
        "DELETE",
        "/v1/jobs/{id}",
        OWN_JOB,
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
        USER,  # users see a part, operators all
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
        OWN_JOB,
        "The starts of a job, the first one first.",
        AttemptsReply,
        problems=(NotFound,),
    ),
    Operation(
        "script",
        "GET",
        "/v1/jobs/{id}/script",
        OWN_JOB,
        "The script of a job, or its beginning.",
        ScriptReply,
        problems=(NotFound,),
    ),
    Operation(
        "explain",
        "GET",
        "/v1/jobs/{id}/explain",
        OWN_JOB,  # other users' jobs appear there by number, without names
        "Why a job waits, until when it runs, what its prediction is made of.",
        ExplainReply,
        problems=(NotFound,),
    ),
    Operation(
        "output",
        "GET",
        "/v1/jobs/{id}/output",
        OWN_JOB,
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
    *STEP_OPERATIONS,
    Operation(
        "plan",
        "GET",
        "/v1/plan",
        USER,  # users see a part, operators all
        "When the waiting jobs are expected to start.",
        PlanReply,
        parameters=(
            RequestParameter("until_us", "only starts before this model time", COUNT),
            RequestParameter(
                "limit",
                "the most starts, the earliest; all by default",
                {"type": "integer", "minimum": 1},
            ),
        ),
    ),
    Operation(
        "events",
        "GET",
        "/v1/events",
        USER,  # users hear of their own jobs, operators of all
        "What changes, as server-sent events. An event `jobs` has the jobs that have changed, with "
        "their states; an event `nodes` has the names of the nodes that have changed other than by "
        "jobs; an event `anew` says to read everything again. The first event is `anew`, unless "
        "the stream goes on at `Last-Event-ID`.",
        None,
        parameters=(
            RequestParameter(
                "Last-Event-ID",
                "the id of the last event that the caller has had",
                {"type": "string", "maxLength": 64},
                "header",
            ),
        ),
        content=EVENT_STREAM,
    ),
    Operation("nodes", "GET", "/v1/nodes", USER, "All nodes.", NodesReply),
    *USAGE_OPERATIONS,
    Operation("partitions", "GET", "/v1/partitions", USER, "All partitions.", PartitionsReply),
    Operation(
        "reservations",
        "GET",
        "/v1/reservations",
        USER,
        "The advance reservations that are not over.",
        ReservationsReply,
    ),
    Operation(
        "reserve",
        "POST",
        "/v1/reservations",
        OPERATOR,
        "Make an advance reservation, or replace one.",
        ReservationReply,
        201,
        NewReservation,
        problems=(Conflict, TooMany, TooSlow, TooLarge),
    ),
    Operation(
        "unreserve",
        "DELETE",
        "/v1/reservations/{name}",
        OPERATOR,
        "Delete an advance reservation. Jobs that run inside run on.",
        ReservationReply,
        problems=(NotFound,),
    ),
    Operation(
        "node_action",
        "POST",
        "/v1/nodes/{name}",
        OPERATOR,
        "Drain a node, or end a drain; have it rebooted once it is idle, or cancel that.",
        NodeReply,
        body=NodeAction,
        problems=(
            NotFound,
            Conflict,
            TooSlow,
            TooLarge,
        ),
    ),
    Operation(
        "forget_node",
        "DELETE",
        "/v1/nodes/{name}",
        OPERATOR,
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
    Operation("status", "GET", "/v1/status", USER, "How the daemon is.", StatusReply),
    Operation(
        "make_token",
        "POST",
        "/v1/tokens",
        USER,  # users make tokens for themselves, of their own role or a lower one
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
        USER,  # one's own
        "The caller's own tokens; of administrators: all.",
        TokensReply,
    ),
    Operation(
        "renew_token",
        "POST",
        "/v1/renew-token",
        USER,  # the one that the request comes with
        "Let the caller's token hold longer.",
        TokenReply,
        problems=(Conflict,),
    ),
    Operation(
        "revoke_token",
        "DELETE",
        "/v1/tokens/{id}",
        USER,  # one's own
        "Revoke a token.",
        TokenReply,
        problems=(NotFound,),
    ),
    Operation(
        "audit",
        "GET",
        "/v1/audit",
        ADMIN,
        "The entries of the audit trail, the oldest first.",
        AuditReply,
        parameters=_AUDIT,
    ),
    Operation(
        "join",
        "POST",
        "/v1/join",
        AGENT,
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
        ADMIN,
        "Stop the daemon; jobs run on.",
        ShutdownReply,
        202,
    ),
    *(
        Operation(name, "GET", path, USER, about, None, content="text/plain")
        for name, path, about in (
            ("metrics", "/metrics", "Metrics of the daemon, for Prometheus; of no single job."),
            ("slurm_metrics", "/metrics/slurm", "Metrics by the names that Slurm's have."),
            ("healthz", "/healthz", "Whether the daemon answers."),
            ("readyz", "/readyz", "Whether jobs are scheduled; 503: not now, with the reasons."),
        )
    ),
    Operation("openapi", "GET", "/v1/openapi.json", USER, "This description.", dict),
    # The WebSocket of agents, which is not HTTP: `rmsd_wire.link` describes it.
    Operation("agent_link", "GET", "/v1/link", AGENT, "", None, described=False),
)

BY_ROUTE = {(one.method, one.path): one for one in OPERATIONS}
"""The operations by method and path."""
