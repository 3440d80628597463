"""The routes of the API that take new jobs."""

from __future__ import annotations

from rmsd_daemon.domain.errors import Conflict, NeverFits, TooLarge, TooSlow
from rmsd_daemon.front.operation import OPERATOR, USER, WAIT, Operation, RequestParameter
from rmsd_wire.api.plan import TestBody, TestReply
from rmsd_wire.api.submission import RunOutReply, SubmitBody, SubmitReply

_KEY = RequestParameter(
    "Idempotency-Key",
    "makes repetitions of one submit known as such: they get the first answer",
    {"type": "string", "minLength": 1, "maxLength": 255},
    "header",
)

SUBMIT_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "submit",
        "POST",
        "/v1/jobs",
        USER,  # users submit as themselves, operators also for others
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
        "test_submit",
        "POST",
        "/v1/plan",
        USER,
        "When and where a job would start if it were submitted now; nothing is submitted.",
        TestReply,
        body=TestBody,
        problems=(
            TooSlow,
            TooLarge,
            NeverFits,
        ),
    ),
    Operation(
        "run_out",
        "POST",
        "/v1/run-out",
        OPERATOR,
        "Say that no more jobs come with `at_us`: a paced clock goes on until nothing is left to "
        "happen.",
        RunOutReply,
        parameters=(WAIT,),
    ),
)
