"""The database's tables.

`event` is append-only: one row per input and per decision. The other tables have the result of
folding the events, and change in the same transaction; restarts and queries read them. The class of
a table is named after it: `JobRow` is a row of `job`.

Times are model microseconds since the epoch; NULL where there is none (yet).
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Column, Index, Text, text
from sqlmodel import Field, SQLModel

from rmsd_core.lifecycle.ending import TELLS_RUN_TIME

APPLICATION_ID = 0x726D7364
"""\"rmsd\", in the header of the file."""
BASE = "0024"
"""The first revision that there is. Lower numbers were schemas of rmsd before it was released."""
REVISION = "0035"
"""The revision of the tables below (`migrations`). Its number is the `user_version` in the file's
header."""
EVENT_VERSION = 16
"""The version of the payloads that are written; each row names its own."""


def _us(**options: Any) -> Any:
    return Field(sa_type=BigInteger, **options)


def _json(**options: Any) -> Any:
    return Field(sa_type=JSON, **options)


_ONE_TREE = {"sqlite_with_rowid": False}
"""Tables without row ids: the key is the table. An index beside it would be one more page in every
commit."""


class MetaRow(SQLModel, table=True):
    """Counters and the clock's position, as text."""

    __tablename__ = "meta"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    key: str = Field(primary_key=True)
    value: str


class EventRow(SQLModel, table=True):
    """The inputs and decisions, in the order in which they took effect.

    All events of one call of the core share `batch` and `model_us`; a call without inputs and
    decisions is a `no-op` event. A `restored` event says that the core was rebuilt from the tables,
    and with which recipe. So the events are all that the core was ever told (`verification`).
    """

    __tablename__ = "event"

    id: int = Field(primary_key=True)
    batch: int
    model_us: int = _us()
    kind: str
    job_id: int | None
    version: int
    payload: Any = _json()


class JobRow(SQLModel, table=True):
    """A job as it is now. `request` is a list of components, `details` what the core ignores."""

    __tablename__ = "job"

    # A submit fixes these (`records.given_columns`).
    id: int = Field(primary_key=True)
    user: str
    name: str
    submit_us: int = _us()
    estimate_us: int = _us()
    deadline_us: int | None = _us()
    request: Any = _json()
    size: int  # the processors that the request asks for
    requeue: bool
    restartable: bool
    details: Any = _json()
    array_id: int | None  # the array that the job is, or belongs to
    array_index: int | None  # the index of a task
    # These columns change in the job's life (`records.CHANGING_COLUMNS`).
    seq: int
    eligible_us: int = _us()
    conditions: Any = _json()
    requeue_hold: str | None
    array: Any = _json()
    state: str
    live: bool
    attempt: int
    prediction_us: int = _us()
    corrections: int
    overruns: int
    rank: int | None
    backfilled: bool
    behind: int | None
    cancelled_by: str | None
    reserved_at_us: int | None = _us()
    reserved_rank: int | None
    reserved_us: int | None = _us()
    promoted_us: int | None = _us()
    tried: bool
    refusals: Any = _json()
    avoids: Any = _json()
    trial_end_us: int | None = _us()
    lost_us: int = _us()
    survived_us: int = _us()
    start_us: int | None = _us()
    suspended_us: int = _us()
    suspended_since_us: int | None = _us()
    expected_end_us: int | None = _us()
    end_us: int | None = _us()
    partition: str
    allocation: Any = _json()
    open_nodes: Any = _json()
    claim: Any = _json()
    awaits: Any = _json()
    draining: bool
    stop_cause: str | None
    cause: str | None
    exit_code: int | None
    signal: int | None
    cpu_s: float | None
    max_rss_mib: int | None
    message: str


class ScriptRow(SQLModel, table=True):
    """The payload of a job, written once and read at its launch: script, arguments, environment."""

    __tablename__ = "script"

    job_id: int = Field(primary_key=True)
    payload: str = Field(sa_column=Column(Text, nullable=False))


class AttemptRow(SQLModel, table=True):
    """One start of a job, and its end."""

    __tablename__ = "attempt"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    job_id: int = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    start_us: int = _us()
    end_us: int | None = _us()
    allocation: Any = _json()
    cause: str | None
    exit_code: int | None
    signal: int | None
    cpu_s: float | None
    max_rss_mib: int | None
    message: str


class WorstStepRow(SQLModel, table=True):
    """The highest exit code of the steps of an attempt, with its signal. An attempt without a
    failed step has no row."""

    __tablename__ = "worst_step"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    job_id: int = Field(primary_key=True)
    attempt: int = Field(primary_key=True)
    exit_code: int
    signal: int


class NodeRow(SQLModel, table=True):
    """A node that has ever registered."""

    __tablename__ = "node"

    name: str = Field(primary_key=True)
    agent_id: str
    kind: str
    cores: int
    mem_mib: int
    features: Any = _json()
    gres: Any = _json()
    hostname: str
    os: str
    cpu_model: str
    agent_version: str
    memory_limit: str
    unable: str
    boot_id: str
    link: str
    drain_reason: str | None
    drain_by: str
    drain_us: int | None = _us()
    reboot: Any = _json()
    failures: Any = _json()


class ReservationRow(SQLModel, table=True):
    """An advance reservation that is not over."""

    __tablename__ = "reservation"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    name: str = Field(primary_key=True)
    start_us: int = _us()
    end_us: int = _us()
    nodes: Any = _json()
    cores: int
    users: Any = _json()
    accounts: Any = _json()
    is_maintenance: bool
    groups: Any = _json()
    members: Any = _json()
    every_us: int = _us()
    until_us: int = _us()
    weekdays: int


class SubmissionRow(SQLModel, table=True):
    """An idempotency key, and the ids that its first request used: `count` from `first_id` on.
    `arrays` has the arrays among the jobs, with the number of their tasks, whose ids follow.

    In the order of the jobs, a start reads the latest keys without a look at the others. A key that
    was forgotten and came again has two rows, of which the later one holds.
    """

    __tablename__ = "submission"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    key: str
    digest: str
    first_id: int = Field(primary_key=True)
    count: int
    arrays: Any = _json()


class PlannedRow(SQLModel, table=True):
    """The start that the standing plan has for a waiting job. The rest of the planner's memory is
    in `meta`."""

    __tablename__ = "planned"

    job_id: int = Field(primary_key=True)
    planned_us: int = _us()


class UsedRow(SQLModel, table=True):
    """The decayed usage of a user under recipes with fair shares: `planner_memory.UserUsage`."""

    __tablename__ = "used"

    user: str = Field(primary_key=True)
    processor_s: float
    at_us: int = _us()


class UsedInRow(SQLModel, table=True):
    """The decayed usage of a user in an account, if shares are divided by accounts; the user "" has
    that of the account (`planner_memory.PlannerMemory.used_in`)."""

    __tablename__ = "used_in"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    account: str = Field(primary_key=True)
    user: str = Field(primary_key=True)
    processor_s: float
    at_us: int = _us()


class VirtualRow(SQLModel, table=True):
    """A job of the virtual EASY under recipes with urgent jobs: `planner_memory.VirtualJob`. It may
    be there longer than the job itself."""

    __tablename__ = "virtual"

    job_id: int = Field(primary_key=True)
    seq: int
    eligible_us: int = _us()
    size: int
    estimate_us: int = _us()
    start_us: int | None = _us()
    run_us: int | None = _us()
    look_us: int | None = _us()


class NoticeRow(SQLModel, table=True):
    """A URL, a command or an address that is still to be told of an event of a job. A mail has a
    `subject`. Where `target` is empty, the event was told, and is not told again while the job
    lives."""

    __tablename__ = "notice"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    job_id: int = Field(primary_key=True)
    event: str = Field(primary_key=True)
    target: str
    subject: str


class TokenRow(SQLModel, table=True):
    """A token, of which the digest alone is known, or an agent's key: a `tokens.Grant`."""

    __tablename__ = "token"
    __table_args__: ClassVar[dict[str, bool]] = _ONE_TREE

    id: str = Field(primary_key=True)
    digest: str
    user: str
    role: str
    name: str
    created_us: int = _us()
    created_by: str
    expires_us: int | None = _us()
    revoked_us: int | None = _us()
    uses: int | None
    agent_id: str | None
    made_with: str


class AuditRow(SQLModel, table=True):
    """The actions and refusals of callers, in the order of the commits. `at_us` is UTC of the wall
    clock."""

    __tablename__ = "audit"

    id: int = Field(primary_key=True)
    at_us: int = _us()
    user: str
    role: str
    via: str
    action: str
    subject: str
    outcome: str


metadata = SQLModel.metadata


JSON_COLUMNS = frozenset(
    column.name
    for table in metadata.tables.values()
    for column in table.c
    if isinstance(column.type, JSON)
)
"""The names of columns with JSON. (`payload` of the table `script` is JSON too, in a text.)"""

META = metadata.tables["meta"]
EVENT = metadata.tables["event"]
JOB = metadata.tables["job"]
SCRIPT = metadata.tables["script"]
ATTEMPT = metadata.tables["attempt"]
WORST_STEP = metadata.tables["worst_step"]
NODE = metadata.tables["node"]
RESERVATION = metadata.tables["reservation"]
SUBMISSION = metadata.tables["submission"]
PLANNED = metadata.tables["planned"]
USED = metadata.tables["used"]
USED_IN = metadata.tables["used_in"]
VIRTUAL = metadata.tables["virtual"]
NOTICE = metadata.tables["notice"]
TOKEN = metadata.tables["token"]
AUDIT = metadata.tables["audit"]

Index("notice_open", NOTICE.c.job_id, NOTICE.c.event, sqlite_where=text("target != ''"))
Index("job_live", JOB.c.id, sqlite_where=text("live"))
Index("job_user", JOB.c.user, JOB.c.seq)
# The index finds the jobs that ended, or were submitted, since some time: a job that was submitted
# since then has not ended before. A job enters the index when it is over, so that submits and
# starts write no more pages.
Index(
    "job_end",
    JOB.c.end_us,
    JOB.c.submit_us,
    sqlite_where=text("end_us IS NOT NULL"),
)

_TELLING = ", ".join(f"'{cause.value}'" for cause in sorted(TELLS_RUN_TIME))
RAN = f"NOT live AND start_us IS NOT NULL AND cause IN ({_TELLING})"
"""The jobs whose run times predictions look at."""
# A start reads the latest runs of every user from it, and no more.
Index(
    "job_ran",
    JOB.c.user,
    JOB.c.seq,
    JOB.c.start_us,
    JOB.c.end_us,
    JOB.c.estimate_us,
    JOB.c.size,
    sqlite_where=text(RAN),
)

EXPLAINING = "kind IN ('correct', 'repredict', 'promise')"
"""The events that `rstat --explain` looks for. They are few, so their index costs commits
nothing."""
EVENT_EXPLAINING = Index(
    "event_explaining",
    EVENT.c.job_id,
    sqlite_where=text(EXPLAINING),
)

SETTING_ASIDE = "kind IN ('reserve', 'unreserve')"
"""The events that say which advance reservations there were."""
EVENT_SETTING_ASIDE = Index(
    "event_setting_aside",
    EVENT.c.id,
    sqlite_where=text(SETTING_ASIDE),
)
