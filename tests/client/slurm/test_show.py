"""`scontrol show` shows the settings and the partitions of the site."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest

from rmsd_client.api import Client
from rmsd_client.slurm.show.json_views import print_partitions
from rmsd_client.slurm.show.show import config, partition_lines
from rmsd_client.slurm.sinfo import BY_LETTER, NodeGroup
from rmsd_client.slurm.words import jobs
from rmsd_client.slurm.words.partitions import SitePartition, load_partitions
from rmsd_core.recipes.text import parse_recipe
from rmsd_daemon.queries.status import settings_view
from rmsd_daemon.setup.loading import load

_SETTINGS = """
recipe = "{recipe}"
kill_grace = "90s"
overrun = "61s"
default_mem = "2G"
propagate_limits = "CORE,NOFILE"
max_jobs_per_user = 77
bind_processors = false
"""


def shown(tmp_path: Path, recipe: str, capacity: str = "nodes", more: str = "") -> dict[str, str]:
    path = tmp_path / "rmsd.toml"
    path.write_text(_SETTINGS.format(recipe=recipe) + more)
    short = {"state_dir": "/nowhere"}  # the path of its socket is limited
    view = settings_view(load(short, str(path)), parse_recipe(recipe))
    user = pwd.getpwuid(os.getuid()).pw_name
    return config({"user": user, "capacity": capacity, "settings": msgspec.to_builtins(view)})


def test_the_settings_of_the_site_are_shown(tmp_path: Path) -> None:
    lines = shown(tmp_path, "easy")
    assert {
        "AccountingStorageEnforce": "none",
        "DefMemPerNode": "2048",
        "KillWait": "90 sec",
        "MaxJobCount": "77",
        "OverTimeLimit": "2 min",
        "PriorityType": "priority/basic",
        "PropagateResourceLimits": "CORE,NOFILE",
        "SchedulerType": "sched/backfill",
        "SelectTypeParameters": "CR_CPU_MEMORY",
        "TaskPlugin": "task/none",
    }.items() <= lines.items()


def test_accounts_of_the_configuration_are_enforced(tmp_path: Path) -> None:
    lines = shown(tmp_path, "easy", more='[accounts.physics]\nmembers = ["ann"]\n')
    assert lines["AccountingStorageEnforce"] == "associations,limits,qos"


def test_a_partition_without_defaults_of_its_own_has_the_clusters() -> None:
    view = {"name": "main", "nodelist": "e[1-2]", "is_default": True, "state": "up", "tier": 1,
            "max_time_s": None, "max_nodes": None, "default_time_s": None,
            "default_mem_mib": None}  # fmt: skip
    client = SimpleNamespace(
        partitions=lambda: [
            view,
            {**view, "name": "short", "default_time_s": 60.0, "default_mem_mib": 512},
        ],
        status=lambda: {"settings": {"default_time_s": 3600.0, "default_mem_mib": 2048}},
    )
    main, short = load_partitions(cast("Client", client))
    assert "DefaultTime=01:00:00 " in " ".join(partition_lines(main, []))
    assert "DefaultTime=00:01:00 " in " ".join(partition_lines(short, []))
    assert "DefMemPerNode=2048 " in " ".join(partition_lines(main, []))
    assert "DefMemPerNode=512 " in " ".join(partition_lines(short, []))


@pytest.mark.parametrize(
    ("state", "users", "shown", "listed"),
    [
        ("up", [], "AllowGroups=ALL State=UP", "up all"),
        ("drain", ["@lab", "ann"], "AllowGroups=lab,ann State=DRAIN", "drain lab,ann"),
        ("inactive", None, "AllowGroups=N/A State=INACTIVE", "inact N/A"),
    ],
)
def test_a_partition_tells_its_state_and_for_whom_it_is(
    state: str, users: list[str] | None, shown: str, listed: str
) -> None:
    """All but "up" were DOWN, and all partitions were for all."""
    one = SitePartition("main", [], is_default=True)
    one.state, one.users = state, users
    words = " ".join(partition_lines(one, [])).split()
    assert [word for word in words if word.startswith(("AllowGroups", "State="))] == shown.split()
    group = NodeGroup(one, [])
    assert " ".join(BY_LETTER[letter].show(group) for letter in "ag") == listed


@pytest.mark.parametrize(
    ("recipe", "scheduler", "priority"),
    [
        ("fcfs", "sched/builtin", "priority/basic"),
        ("fair-share", "sched/backfill", "priority/multifactor"),
    ],
)
def test_the_scheduler_is_that_of_the_recipe(
    tmp_path: Path, recipe: str, scheduler: str, priority: str
) -> None:
    lines = shown(tmp_path, recipe, "counted")
    assert (lines["SchedulerType"], lines["PriorityType"]) == (scheduler, priority)
    assert lines["SelectTypeParameters"] == "CR_CPU"


def test_an_older_daemon_does_not_tell_its_settings(tmp_path: Path) -> None:
    lines = config({"user": pwd.getpwuid(os.getuid()).pw_name, "capacity": "nodes"})
    assert lines["KillWait"] == lines["PropagateResourceLimits"] == "(null)"
    assert list(lines) == list(shown(tmp_path, "easy"))


def test_the_tier_of_a_partition_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    short = SitePartition("short", [], is_default=True)
    short.tier = 2
    assert " PriorityTier=2 " in " ".join(partition_lines(short, []))
    print_partitions("scontrol", [short], [])
    assert msgspec.json.decode(capsys.readouterr().out)["partitions"][0]["priority_tier"] == 2


def test_a_job_that_waits_for_killed_trials_waits_for_resources() -> None:
    assert jobs.reason({"state": "PENDING", "reason": "Claimed"}) == "Resources"
