"""The Ansible role of `deploy/ansible` names what the project has, and writes what rmsd reads."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from rmsd_cli import tls, token
from rmsd_daemon.setup.loading import load

ROOT = Path(__file__).parents[1]
ANSIBLE = ROOT / "deploy/ansible"
ROLE = ANSIBLE / "roles/rmsd"
DEFAULTS = yaml.safe_load((ROLE / "defaults/main.yml").read_text())
SETTINGS: dict[str, Any] = {
    "default_time": "1.5h",
    "operators": ["ann", "@wheel"],
    "max_processes": 512,
    "notify_commands": True,
    "partitions": {"batch": {"nodes": "n[01-16]", "default": True, "max_time": "2d"}},
    "accounts": {"physics": {"members": ["ann"]}},
}


def _tasks(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted((ROLE / folder).glob("*.yml")):
        for task in yaml.safe_load(path.read_text()):
            yield task
            yield from task.get("block", ())


TASKS = [*_tasks("tasks"), *_tasks("handlers")]


def _given(module: str) -> list[dict[str, Any]]:
    """Return the arguments of all tasks that use a module."""
    return [
        task[f"ansible.builtin.{module}"] for task in TASKS if f"ansible.builtin.{module}" in task
    ]


def _rendered(template: str) -> str:
    """Return what a template gives with the defaults, as Ansible renders it."""
    environment = jinja2.Environment(
        trim_blocks=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    values = DEFAULTS | {"rmsd_head_names": ["head"], "rmsd_settings": SETTINGS}
    return environment.from_string((ROLE / "templates" / template).read_text()).render(values)


def test_the_configuration_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rmsd.toml"
    path.write_text(_rendered("rmsd.toml.j2"))
    path.chmod(0o644)
    told = tomllib.loads(path.read_text())
    own = {"state_dir": "/var/lib/rmsd", "listen": "0.0.0.0:7632", "local_node": False}
    assert told == own | SETTINGS
    config = load({}, str(path), {})
    assert (config.listen, config.local_node) == ("0.0.0.0:7632", False)
    assert config.operators == ("ann", "@wheel")


def test_the_units_find_what_the_role_writes() -> None:
    """The files of the daemon and the agent are those that the units name on the command line."""
    units = [
        (ROOT / f"systemd/{name}.service").read_text() for name in ("rmsd-root", "rmsd-agent-root")
    ]
    named = set(re.findall(r"/etc/rmsd/[\w.-]+", "\n".join(units)))
    copied = {one["dest"] for module in ("copy", "template") for one in _given(module)}
    assert named <= copied
    assert "RMSD_HEAD=https://head:7632\n" in _rendered("agent.env.j2")
    for one in _given("systemd_service"):
        assert f"/etc/systemd/system/{one['name']}.service" in copied


def test_client_settings_are_those_that_commands_read() -> None:
    told = tomllib.loads(_rendered("client.toml.j2"))
    written = tomllib.loads((ROOT / "deploy/client.toml").read_text())
    assert told == written


def test_each_file_that_is_named_is_there() -> None:
    for one in _given("copy"):
        source = one.get("src", "")
        if source.startswith("{{ rmsd_source }}/"):
            assert (ROOT / source.removeprefix("{{ rmsd_source }}/")).is_file()
    for one in _given("template"):
        assert (ROLE / "templates" / one["src"]).is_file()
    parts = [one for one in _given("include_tasks") if "{{" not in one]
    assert all(
        (ROLE / "tasks" / one).is_file() for one in [*parts, "head.yml", "node.yml", "login.yml"]
    )


def test_each_handler_that_is_notified_is_there() -> None:
    handlers = {task["name"] for task in _tasks("handlers")}
    notified = {task["notify"] for task in TASKS if "notify" in task}
    inside = {name for one in notified for name in re.findall(r"'((?:Restart|Reload)[^']*)'", one)}
    assert {one for one in notified if "{{" not in one} | inside == handlers


def test_the_programs_are_those_that_are_installed() -> None:
    programs = yaml.safe_load((ROLE / "vars/main.yml").read_text())["rmsd_programs"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(programs) == project["project"]["scripts"].keys()


def test_the_commands_of_rmsd_take_their_arguments() -> None:
    made = argparse.ArgumentParser()
    tls.add_arguments(made)
    [words] = [one["argv"] for one in _given("command") if "'tls'" in str(one["argv"])]
    fixed = re.findall(r"'([^']+)'", words)
    assert fixed[:2] == ["/opt/rmsd/bin/rmsd", "tls"]
    assert made.parse_args([*fixed[2:], "--host", "head"]).host == ["head"]
    made = argparse.ArgumentParser()
    token.add_arguments(made)
    [words] = [one["argv"] for one in _given("command") if "token" in one["argv"]]
    assert words[:2] == ["/opt/rmsd/bin/rmsd", "token"]
    asked = made.parse_args(words[2:])
    assert (asked.role, asked.uses, asked.expires) == ("agent", 1, "1h")


def test_each_variable_is_documented() -> None:
    rows = re.findall(r"^\| `(rmsd_\w+)`", (ANSIBLE / "README.md").read_text(), re.MULTILINE)
    assert rows == [*DEFAULTS]


@pytest.mark.slow
def test_ansible_understands_the_playbook(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ansible", "playbook", "-i", "inventory.example.ini"]
    home = os.environ | {"ANSIBLE_HOME": str(tmp_path)}
    subprocess.run([*command, "--syntax-check", "site.yml"], cwd=ANSIBLE, env=home, check=True)
