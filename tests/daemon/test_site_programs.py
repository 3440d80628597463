"""The prolog and the epilog of the site, from the configuration to what people are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_daemon.setup.loading import ConfigError, load
from rmsd_wire import link
from tests.daemon.fold import assert_events_fold_to_tables
from tests.daemon.scripted_agent import node, off_loop, scripted
from tests.live import Daemon, node_state
from tests.waiting import wait_until

pytestmark = pytest.mark.live


def program(path: Path, commands: str) -> Path:
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(0o755)
    return path


def the_node(daemon: Daemon) -> str:
    """Return the name of this machine as a node."""
    [name] = [one["name"] for one in daemon.client.nodes() if one["kind"] == "real"]
    return str(name)


def drain_reason(daemon: Daemon, name: str) -> str:
    [found] = [one for one in daemon.client.nodes() if one["name"] == name]
    return str(found["reason"])


@pytest.mark.slow
def test_a_failed_prolog_sends_the_job_elsewhere_and_drains_the_node(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """The drain outlives a restart of the daemon, and ends by `rnode resume`."""
    prolog = program(tmp_path / "prolog", f"[ -e {tmp_path}/mended ]")
    config = f'prolog = "{prolog}"\n'
    daemon = start_daemon("--cores", "2", config=config)
    wait_until(lambda: daemon.nodes_up() == 1)
    local = the_node(daemon)
    job_id = daemon.submit("echo here")
    wait_until(lambda: node_state(daemon, local) == "drained")
    why = f"the prolog of job {job_id} failed: {prolog} exited with 1"
    assert drain_reason(daemon, local) == why
    assert why in daemon.run("rnode", expect=0).stdout
    assert "node-drained" in daemon.log.read_text()
    job = daemon.client.job(job_id)
    assert (job["state"], job["attempt"]) == ("PENDING", 1)
    daemon.kill()
    daemon.start()
    wait_until(lambda: node_state(daemon, local) == "drained")
    assert drain_reason(daemon, local) == why
    (tmp_path / "mended").touch()
    daemon.run("rnode", "resume", local, expect=0)
    ended = daemon.wait(job_id)
    assert (ended["state"], ended["attempt"]) == ("COMPLETED", 2)
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
def test_a_failed_epilog_drains_the_node_and_the_job_has_its_own_end(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    epilog = program(tmp_path / "epilog", "exit 9")
    daemon = start_daemon("--cores", "2", config=f'epilog = "{epilog}"\n')
    wait_until(lambda: daemon.nodes_up() == 1)
    ended = daemon.wait(daemon.submit("exit 3"))
    assert (ended["state"], ended["exit_code"]) == ("FAILED", 3)
    reason = drain_reason(daemon, the_node(daemon))
    assert reason == f"the epilog of job 1 failed: {epilog} exited with 9"
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.parametrize(
    ("mode", "lines", "said"),
    [
        (0o755, "local_node = false\n", "prolog, epilog, health_check and reboot_program are of"),
        (0o777, "", "can be changed by others"),
        (None, "", "No such file or directory"),
    ],
)
def test_unusable_programs_are_refused_at_the_start(
    tmp_path: Path, mode: int | None, lines: str, said: str
) -> None:
    path = tmp_path / "prolog"
    if mode is not None:
        program(path, "true").chmod(mode)
    file = tmp_path / "rmsd.toml"
    file.write_text(f'{lines}prolog = "{path}"\n')
    with pytest.raises(ConfigError, match=said):
        load({"state_dir": str(tmp_path)}, str(file))


@pytest.mark.slow
async def test_an_agent_drains_its_own_nodes_alone_and_each_of_them_once(
    start_daemon: Callable[..., Daemon],
) -> None:
    """A report that is repeated adds nothing to the database, and no job need be there for it."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")

    def report(seq: int, name: str, reason: str) -> link.ExitedReport:
        return link.ExitedReport(seq, 77, 1, name, Cause.EXIT, exit_code=0, drain=reason)

    async with scripted(daemon) as agent:
        await agent.hello(node("mine"))
        await off_loop(wait_until, lambda: node_state(daemon, "mine") == "idle")
        many = [report(seq, "mine", "a\x1b[31m disk\n" + "!" * 5000) for seq in range(1, 1001)]
        await agent.say(*many, report(1001, "e1", "a lie"))
        while (await agent.hear(link.Ack)).seq < 1001:
            pass  # the daemon takes the reports in several batches
        assert await off_loop(node_state, daemon, "mine") == "drained"
        await off_loop(daemon.run, "rnode", "resume", "mine", expect=0)
        await agent.say(report(1002, "mine", "again"))
        await off_loop(wait_until, lambda: node_state(daemon, "mine") == "drained")
        assert await off_loop(drain_reason, daemon, "mine") == "again"
        assert await off_loop(node_state, daemon, "e1") == "idle"
    drains = [line for line in daemon.log.read_text().splitlines() if "node-drained" in line]
    assert len(drains) == 2
    assert "[31m disk!" in drains[0]
    daemon.stop()
    assert_events_fold_to_tables(daemon)


@pytest.mark.slow
def test_a_failed_health_check_drains_the_node_until_one_passes(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """The reason is what the program prints. What an operator drains stays drained."""
    check = program(tmp_path / "check", f"echo; cat {tmp_path}/broken && exit 1; exit 0")
    (tmp_path / "broken").write_text("the scratch disk\nis full\n")
    config = f'health_check = "{check}"\nhealth_check_interval = "0.1s"\n'
    daemon = start_daemon("--cores", "2", config=config)
    why = "its health check failed: the scratch disk"
    wait_until(lambda: [one["reason"] for one in daemon.client.nodes()] == [why])
    local = the_node(daemon)
    assert node_state(daemon, local) == "drained"
    assert why in daemon.run("rnode", expect=0).stdout
    job_id = daemon.submit("true")
    assert daemon.client.job(job_id)["state"] == "PENDING"
    daemon.client.drain(local, "a fan")
    (tmp_path / "broken").unlink()
    wait_until(lambda: drain_reason(daemon, local) == "a fan")
    assert node_state(daemon, local) == "drained"
    daemon.client.resume(local)
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    daemon.stop()
    assert_events_fold_to_tables(daemon)


def test_what_a_health_check_prints_beyond_its_reason_is_not_kept(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """The file of its output would be in memory. What it leaves behind is not waited for."""
    size = f"exec 3>&1; stat -L -c %s /dev/fd/3 > {tmp_path}/size; exec 3>&-"
    prints = f"echo too much; head -c 1000000 /dev/zero; {size}; sleep 5 & exit 1"
    check = program(tmp_path / "check", prints)
    daemon = start_daemon("--cores", "2", config=f'health_check = "{check}"\n')
    why = "its health check failed: too much"
    wait_until(lambda: [one["reason"] for one in daemon.client.nodes()] == [why])
    assert int((tmp_path / "size").read_text()) == 0
