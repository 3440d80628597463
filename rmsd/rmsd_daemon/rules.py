"""The rules that follow from the configuration, for submits, requests and jobs that run."""

from __future__ import annotations

import contextlib
import os
import pwd

from rmsd_daemon.callers.job_tokens import JobTokens
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.domain.submission import Rules
from rmsd_daemon.front.request_limits import RequestLimits
from rmsd_daemon.loop.launch import JobRules
from rmsd_daemon.setup.config import Config


def job_rules(config: Config, job_tokens: JobTokens) -> JobRules:
    """Return the rules for all jobs that run."""
    return JobRules(
        config.kill_grace_s,
        config.overrun_s,
        config.trial_output == "keep",
        config.max_processes,
        config.max_output_bytes,
        as_users=config.runs_as_users,
        token=job_tokens.text if config.listen else None,
        limit_memory=config.limit_memory,
    )


def submit_rules(config: Config, partitions: Partitions, accounts: AccountRules) -> Rules:
    """Return the rules for all submits."""
    return Rules(
        config.capacity,
        config.default_time_limit_s,
        config.max_script_bytes,
        _home(),
        config.restartable,
        config.default_mem_mib,
        partitions,
        config.propagate_limits,
        accounts,
        sends_mail=config.mail is not None,
    )


def request_limits(config: Config) -> RequestLimits:
    """Return the limits of all requests."""
    return RequestLimits(
        config.max_request_bytes,
        config.max_jobs_per_request,
        config.max_jobs_per_user,
        config.max_request_rate,
    )


def _home() -> str:
    with contextlib.suppress(KeyError):
        return pwd.getpwuid(os.getuid()).pw_dir
    return "/"
