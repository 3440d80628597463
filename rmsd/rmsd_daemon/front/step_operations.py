"""The routes of the API that are about steps, tasks and signals."""

from __future__ import annotations

from rmsd_daemon.domain.errors import Conflict, NoAnswer, NotFound, TooLarge, TooSlow
from rmsd_daemon.front.operation import COUNT, OWN_JOB, TEXT, USER_LIST, Operation, RequestParameter
from rmsd_wire.api.jobs import SignalBody, SignalReply
from rmsd_wire.api.steps import JobUseReply, StepBody, StepEndBody, StepReply, StepsReply
from rmsd_wire.api.tasks import TaskInput, TaskInputReply, TaskReply, TaskSpec

NODE = RequestParameter("node", "a node of the job; its first one by default", TEXT)

STEP_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "start_task",
        "POST",
        "/v1/jobs/{id}/tasks",
        OWN_JOB,
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
        OWN_JOB,
        "Send a signal to all processes of a task.",
        TaskReply,
        parameters=(RequestParameter("signal", "its number", COUNT | {"default": 15}), NODE),
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
        OWN_JOB,
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
        OWN_JOB,
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
        OWN_JOB,
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
        USER_LIST,  # users see their own
        "The steps of jobs that the daemon remembers: the latest ones since its start. And the "
        "highest exit code of all the steps of an attempt, which is stored.",
        StepsReply,
        parameters=(RequestParameter("ids", "job numbers, with commas", TEXT),),
    ),
    Operation(
        "job_use",
        "GET",
        "/v1/jobs/{id}/use",
        OWN_JOB,
        "What a running job uses now on each of its nodes.",
        JobUseReply,
        problems=(
            NotFound,
            Conflict,
        ),
    ),
    Operation(
        "signal_job",
        "POST",
        "/v1/jobs/{id}/signal",
        OWN_JOB,
        "Send a signal to a running job's script, to a step or all, or to all of its processes.",
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
)
