"""Bodies about the daemon itself: its status, its troubles and its shutdown."""

from __future__ import annotations

import msgspec

from rmsd_wire.link import Clock


class You(msgspec.Struct, frozen=True):
    """The caller as the daemon knows it: `role` is user, operator or admin. `token_ends_us`: when
    the caller's token expires, in UTC of the wall clock; None: never, or there is none.
    `token_is_renewable`: the token can be renewed until then."""

    user: str
    role: str
    via: str
    token_ends_us: int | None = None
    token_is_renewable: bool = False


class TroubleView(msgspec.Struct, frozen=True, kw_only=True):
    """A failure that repeats, until the action succeeds again.

    `what`: `commit` (decisions cannot be stored), `pass` (the scheduler raises an error), `input`
    (the scheduler raises an error after some reports of agents, which wait), `reload` (the state
    cannot be read back), `launch` (commands to agents cannot be sent), `notices` (ends of jobs
    cannot be told). `since_us` is the first failure, UTC; `error` is of the latest one.
    """

    what: str
    since_us: int
    times: int
    error: str
    again_in_s: float


class LeftOutView(msgspec.Struct, frozen=True, kw_only=True):
    """An input that the scheduler could not apply and has left out. Times are UTC."""

    at_us: int
    what: str
    error: str


class DamageView(msgspec.Struct, frozen=True, kw_only=True):
    """Damage of the database that was met since the daemon's start.

    `times`: reads and writes that failed because of it; `since_us`: the first of them, UTC;
    `error`: of the latest. `kept_as` is the damaged file once a new one with its readable rows has
    replaced it, "" before. `lost_jobs` could not be read then; only operators are told of them.
    """

    times: int
    since_us: int
    error: str
    kept_as: str
    lost_jobs: list[int]


class SettingsView(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the site that hold for all jobs; durations are in seconds.

    `order`: the order of the queue, as recipes name it. `backfills`: whether a job may pass the
    first one of the queue. `default_mem_mib`: None: scripts that ask for no memory are not limited.
    `propagate_limits`: names of resource limits, or ALL; none: NONE. `default_time_s`: the limit of
    jobs that ask for none, where their partition has no other; None: no limit. `has_accounts`:
    whether jobs run under accounts of the configuration alone.
    """

    order: str
    backfills: bool
    kill_grace_s: float
    overrun_s: float
    default_mem_mib: int | None
    bind_processors: bool
    propagate_limits: list[str]
    max_jobs_per_user: int
    default_time_s: float | None = None
    has_accounts: bool = False


class CountedView(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of what happened to jobs since the daemon's start. `submitted`: jobs, with each
    task of arrays. `started`: attempts. `backfilled`: those of them that passed a job before them.
    `ended`: jobs that are over, by state."""

    submitted: int
    started: int
    backfilled: int
    ended: dict[str, int]


class StatusReply(msgspec.Struct, frozen=True, kw_only=True):
    """GET /v1/status. `awaited`: nodes that must be heard after a restore, before anything is
    started. `socket` serves every account of the machine; None: there is no such socket.
    `operators`, `admins`: as configured, names and @groups. `failing`: the present failures.
    `damage`: None if none was met. `pages`: what is known of the database's file since the start,
    "unchecked", "checking", "sound" or "damaged". `left_out_count`: inputs that were left out since
    the start; `left_out` are the latest of them, and only operators are told of these.
    `cannot_launch`: the nodes that are drained since launches have failed there, the first 20 by
    name. `unable`: the linked nodes whose agents can start no job now, likewise.
    `unknown_accounts`: those of `operators` and `admins` that this machine does not have.
    `reload_refused`: why the latest SIGHUP has left configuration or certificate as they were; only
    operators are told. `awaits_restart`: the settings that it has found changed, and that hold
    after a restart; likewise. `last_job_id`: the highest number that was given to a job or a task.
    `settings`, `counted`, `last_job_id`: None from an older daemon."""

    version: str
    pid: int
    user: str
    state_dir: str
    listen: str | None
    socket: str | None
    operators: list[str]
    admins: list[str]
    you: You
    recipe: str
    capacity: str
    clock: Clock
    uptime_s: float
    jobs: dict[str, int]
    nodes: dict[str, int]
    cores: int
    cores_used: int
    passes: int
    pass_ms: dict[str, float]  # p50, p99, max of the recent passes
    commits: int
    commit_ms: dict[str, float]  # likewise, until the decisions of a pass are on disk
    awaited: list[str] = []
    failing: list[TroubleView] = []
    damage: DamageView | None = None
    pages: str = "unchecked"
    left_out_count: int = 0
    left_out: list[LeftOutView] = []
    cannot_launch: list[str] = []
    unable: list[str] = []
    unknown_accounts: list[str] = []
    reload_refused: list[str] = []
    awaits_restart: list[str] = []
    settings: SettingsView | None = None
    counted: CountedView | None = None
    last_job_id: int | None = None
    schema: str = "rmsd.status/1"


class ShutdownReply(msgspec.Struct, frozen=True):
    """POST /v1/shutdown."""

    schema: str = "rmsd.shutdown/1"
