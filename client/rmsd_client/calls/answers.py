"""The check of a daemon's answers before anything uses them: the server may be no daemon, or lie.

`rmsd_wire.api` defines the answers. These tables repeat it, since importing that module takes
longer than `rsub`. A missing field is an error only when it is used: a daemon of another version
has other fields.
"""

from __future__ import annotations

import json

from rmsd_client.errors import Unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    _Test = tuple[str, frozenset[type], frozenset[type]]
    """A type, the Python types of values that are right, and those of numbers that have bounds."""

_MOST = 1 << 62
"""The bound of all numbers in a daemon's answers."""

VIEWS = {
    "SubmitReply": "[Submitted] jobs; str schema",
    "RunOutReply": "int model_us live; bool over; str schema",
    "JobReply": "JobView job; str schema",
    "JobsReply": "[JobView] jobs; int? before; str schema",
    "AttemptsReply": "[AttemptView] attempts; str schema",
    "ScriptReply": "str script schema; bool is_whole",
    "CancelReply": "[int] job_ids; str schema",
    "PlanReply": "int made_us left_out more later; int? far_made_us; str made_time recipe schema; "
    "[StartView] starts",
    "TestReply": "int job_id cpus; int? start_us end_us; str? start_time basis; "
    "str nodelist partition no_start schema",
    "NodesReply": "[NodeView] nodes; str schema",
    "UsageRow": "str? account user partition day; int jobs attempts; "
    "float processor_s lost_s cpu_s",
    "OrdersReply": "[OrderView] orders; str schema",
    "ReservationChangesReply": "[ReservationChangeView] changes; str schema",
    "ReservationChangeView": "int at_us start_us end_us cores every_us until_us weekdays; "
    "str name nodelist; bool deleted maintenance",
    "OrderView": "int since_us; str order",
    "UsageReply": "int since_us; int until_us; float capacity_s; [UsageRow] usage; str schema",
    "ReservationsReply": "[ReservationView] reservations; str schema",
    "ReservationReply": "ReservationView reservation; str schema",
    "ReservationView": "str name life nodelist; int start_us end_us nodes cores; "
    "[str]? users accounts groups; bool maintenance; int every_s; int? until_us; str repeat",
    "PartitionsReply": "[PartitionView] partitions; str schema",
    "PartitionView": "str name state nodelist preempt; bool is_default; "
    "int nodes cores cores_available cores_used tier priority; float preempt_exempt_s; "
    "float? max_time_s default_time_s preempt_grace_s; int? max_nodes max_cpus default_mem_mib; "
    "[str]? users",
    "AccountsReply": "str? user; str default_account schema; [AccountView] accounts; "
    "[QosView] qos; [AssociationView] associations; [ShareView] shares; [LicenseView] licenses",
    "LicenseView": "str name; int total used",
    "AccountView": "str name; str? parent; [str]? members; bool is_own; LimitsView limits; "
    "InUseView in_use; int shares; AccountShareView? fair_share",
    "AccountShareView": "float used_s part factor; float? share",
    "QosView": "str name; bool is_default; [str] accounts; [str]? users; LimitsView limits; "
    "InUseView in_use; [str] preempts; str preempt; float? preempt_grace_s; "
    "float preempt_exempt_s; int priority",
    "AssociationView": "str user account; InUseView in_use",
    "ShareView": "str user account; float used_s part factor",
    "LimitsView": "int? max_running max_running_per_user max_cpus max_cpus_per_user "
    "max_submitted max_submitted_per_user max_cpu_minutes; float? max_time_s",
    "InUseView": "int submitted running cpus",
    "NodeReply": "NodeView node; str schema",
    "TokensReply": "[TokenView] tokens; str schema",
    "TokenReply": "TokenView token; str schema",
    "AuditReply": "[AuditView] entries; int? before; str schema",
    "TaskReply": "str schema",
    "TaskInputReply": "int taken; bool over; str schema",
    "StepReply": "int number; str schema",
    "JobUseReply": "int job_id attempt; [NodeUse] nodes; str schema",
    "NodeUse": "str node problem processors; int cpus; float? cpu_s; "
    "int? mem_mib max_rss_mib processes threads; [GpuUseView] gpus",
    "GpuUseView": "int number; int? busy_percent mem_used_mib mem_mib",
    "StepsReply": "[StepView] steps; [WorstStep] worst; str schema; int known_from_us",
    "SignalReply": "int nodes; str schema",
    "ExplainReply": "JobView job; str recipe schema; int plan_us held_up_count; StartView? start; "
    "int? expected_end_us promised_us promised_at_us; PredictionView prediction; "
    "[PredictionChange] changes; WaitView? wait; [OtherJob] held_up; [AttemptView] attempts; "
    "[NodeState] unable",
    "StatusReply": "str version user state_dir recipe capacity pages schema; str? listen socket; "
    "int pid cores cores_used passes commits left_out_count; float uptime_s; "
    "[str] operators admins awaited cannot_launch unable unknown_accounts reload_refused "
    "awaits_restart; "
    "You you; Clock clock; {int} jobs nodes; "
    "{float} pass_ms commit_ms; [TroubleView] failing; DamageView? damage; [LeftOutView] left_out; "
    "SettingsView? settings; CountedView? counted; int? last_job_id",
    "CountedView": "int submitted started backfilled; {int} ended",
    "SettingsView": "str order; bool backfills bind_processors has_accounts; "
    "float kill_grace_s overrun_s; float? default_time_s; int? default_mem_mib; "
    "[str] propagate_limits; int max_jobs_per_user",
    "Submitted": "int job_id tasks cpus mem_mib mem_per_cpu_mib nice; "
    "str name stdout gres gres_per_task; bool exclusive all_mem; int? nodes array_tasks; "
    "float? time_limit_s; [str] mail_types",
    "JobView": "int job_id submit_us corrections tasks cpus_per_task cpus mem_mib "
    "mem_per_cpu_mib attempt nice; "
    "str name user state state_code reason submit_time nodelist message workdir stdout stderr "
    "partition comment command account qos licenses stdin notify mail_user reservation; "
    "int? start_us end_us deadline_us nodes trial_end_us exit_code signal max_rss_mib; "
    "str? start_time end_time constraint cause stop_cause requeue_hold cancelled_by; "
    "bool backfilled restartable append requeue; "
    "int? eligible_us; ConditionsView? conditions; "
    "float lost_s suspended_s; float? elapsed_s wait_s estimate_s time_limit_s prediction_s cpu_s; "
    "[int] node_cpus node_mem_mib; [ComponentView] request; WarnSignal? warn_signal; "
    "str notify_problem array_task_str; "
    "int? array_job_id array_task_id array_tasks array_max_tasks; "
    "[JobChange] changes; [JobPart] parts; [str] mail_types node_gres; DecisionsView? decisions",
    "DecisionsView": "int? rank behind reserved_at_us reserved_rank reserved_us; "
    "[PredictedView]? predictions",
    "PredictedView": "int at_us; float? prediction_s",
    "JobChange": "int at_us; str by field before after",
    "ConditionsView": "str? held_by; int? begin_us; [DependencyView] dependencies; "
    "bool any_of never; [UnmetView] unmet",
    "UnmetView": "str relation; int job_id; str? state",
    "DependencyView": "str relation; int job_id; float delay_s; int? due_us",
    "ComponentView": "int units cores mem_mib; bool spread exclusive all_mem unit_mem; "
    "str gres gres_per_unit; str? feature partition; [str] require exclude",
    "JobPart": "str name; int nodes tasks cpus_per_task",
    "WarnSignal": "int number; float before_s; bool batch",
    "AttemptView": "int attempt start_us; int? end_us exit_code signal; str nodelist message; "
    "[int] node_cpus; str? cause",
    "StepView": "int job_id attempt number tasks cpus start_us exit_code signal; "
    "str name nodelist cause; int? end_us max_rss_mib; float? cpu_s; TaskFigures? figures; "
    "[StepShare] parts",
    "StepShare": "int part tasks cpus; str nodelist",
    "TaskFigures": "float ave_cpu_s min_cpu_s ave_rss_mib; int min_cpu_task max_rss_task; "
    "str min_cpu_node max_rss_node",
    "WorstStep": "int job_id attempt exit_code signal",
    "StartView": "int job_id start_us end_us; str start_time basis",
    "NodeView": "str name kind state reason hostname os cpu_model agent_version memory_limit "
    "device_limit drain_by reservation reboot reboot_by; bool is_drained is_in_maintenance; "
    "int? drain_us reboot_us; "
    "int cores cores_used mem_mib mem_used_mib; [int] jobs; [str] features partitions; "
    "[DevicesView] devices",
    "DevicesView": "str kind; [int] numbers used",
    "TokenView": "str id user role name state created_by; int created_us; int? expires_us uses; "
    "str? agent_id; [str] nodes; int node_count",
    "AuditView": "int id at_us; str user role via action subject outcome",
    "OtherJob": "int job_id cpus; str name user state; "
    "int? start_us end_us promised_us array_job_id array_task_id",
    "UsedRun": "int job_id; float run_s",
    "PredictionView": "str predict correct metric; float times; [UsedRun] used; bool used_known",
    "PredictionChange": "int at_us; str kind; float? prediction_s; int? was_end_us end_us start_us",
    "NodeState": "str name state reason",
    "WaitView": "int place waiting free_cpus beside_cpus holders_count before_count "
    "unavailable_count; bool fits_now in_turn; OtherJob? head; [OtherJob] holders before; "
    "[int] awaits; [NodeState] unavailable; str? never_fits; str no_start; [str] refused_by; "
    "PriorityView? priority; [ReservationView] reservations; [LicenseView] licenses",
    "PrioritiesReply": "str order schema; [JobPriorityView] priorities",
    "JobPriorityView": "int job_id; PriorityView priority",
    "PriorityView": "float total age size share used_s nice qos partition; float? account_used_s",
    "You": "str user role via; int? token_ends_us; bool token_is_renewable",
    "Clock": "float rate; int model_us monotonic_ns; str boot_id",
    "TroubleView": "str what error; int since_us times; float again_in_s",
    "LeftOutView": "int at_us; str what error",
    "DamageView": "int times since_us; str error kept_as; [int] lost_jobs",
}

_SCALARS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "str": (str,),
    "bool": (bool,),
}


class _Object(dict[str, object]):
    """An object of an answer."""

    def __missing__(self, name: str) -> NoReturn:
        raise Unreachable(f"the server is not an rmsd daemon: '{name}' is missing", sent=True)


def read(body: bytes, view: str) -> dict[str, Any]:
    """Return the answer in `body`, after a check that all its fields are as in the `view` of
    `rmsd_wire.api`.

    Raises:
        ValueError, RecursionError: the body is something else; the message says what.
    """
    answer = json.loads(body, object_hook=_Object)
    _check(answer, view, "the answer")
    found: dict[str, Any] = answer
    return found


def fields(view: str) -> dict[str, str]:
    """Return the fields of a view with their types: `int`, `[str]`, `JobView?`, ..."""
    if (known := _FIELDS.get(view)) is None:
        known = _FIELDS[view] = {}
        for group in VIEWS[view].split("; "):
            kind, *names = group.split(" ")
            known |= dict.fromkeys(names, kind)
    return known


_FIELDS: dict[str, dict[str, str]] = {}


def _check(value: object, kind: str, name: str) -> None:
    """Raise ValueError if a value is not of this type."""
    if kind.endswith("?"):
        if value is None:
            return
        kind = kind[:-1]
    if types := _SCALARS.get(kind):
        if type(value) not in types:
            raise ValueError(f"'{name}' is no {kind}")
        # This also refuses NaN, which JSON does not have and Python reads.
        if isinstance(value, int | float) and not -_MOST < value < _MOST:
            raise ValueError(f"'{name}' is a number that cannot be")
    elif kind[0] == "[":
        if not isinstance(value, list):
            raise ValueError(f"'{name}' is no list")
        for one in value:
            _check(one, kind[1:-1], name)
    elif not isinstance(value, dict):
        raise ValueError(f"'{name}' is no object")
    elif kind[0] == "{":
        for one in value.values():
            _check(one, kind[1:-1], name)
    else:
        _check_view(value, kind)


def _check_view(value: Mapping[str, object], view: str) -> None:
    """Check the fields of an object. A long list has millions of them, and the type alone settles
    the matter for most."""
    if (tests := _TESTS.get(view)) is None:
        tests = _TESTS[view] = {name: _test(kind) for name, kind in fields(view).items()}
    for name, one in value.items():
        if (test := tests.get(name)) is None:
            continue  # a field of a newer daemon
        kind, settled, bounded = test
        found = type(one)
        if found in settled or (found in bounded and -_MOST < one < _MOST):  # type: ignore[operator]
            continue
        _check(one, kind, name)


def _test(kind: str) -> _Test:
    """Return how fields of a type are checked."""
    scalar = kind.removesuffix("?")
    settled = {type(None)} if kind.endswith("?") else set()
    if scalar in ("str", "bool"):
        settled.update(_SCALARS[scalar])
    bounded = _SCALARS[scalar] if scalar in ("int", "float") else ()
    return kind, frozenset(settled), frozenset(bounded)


_TESTS: dict[str, dict[str, _Test]] = {}
