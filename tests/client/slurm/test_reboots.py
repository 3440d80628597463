"""Reboots of nodes as scontrol asks for them, and as sinfo and scontrol show them."""

from __future__ import annotations

import os
import signal

import pytest

from tests.client.slurm.site import SlurmSite
from tests.waiting import wait_until


def state(site: SlurmSite, node: str) -> str:
    """Return the state of a node as sinfo shows it, short."""
    return site.out("sinfo", "-h", "-p", "main", "-N", "-n", node, "-o", "%t").strip()


@pytest.mark.slow
def test_a_busy_node_is_to_be_rebooted(site: SlurmSite) -> None:
    job = site.submit("-w", "e4", "-n", "8", "--wrap", "sleep 1000")
    site.wait_for(job, "RUNNING")
    ask = ("scontrol", "reboot", "ASAP", "nextstate=RESUME", "reason=new kernel", "e4")
    assert site.out(*ask) == ""
    assert state(site, "e4") == "drng@"
    shown = site.out("scontrol", "show", "node", "e4")
    assert " State=ALLOCATED+DRAIN+REBOOT_REQUESTED " in " ".join(shown.split())
    assert "Reason=new kernel: to be rebooted when idle [" in shown
    assert "new kernel" in site.out("sinfo", "-R")
    assert "e4" in site.out("sinfo", "-h", "-t", "reboot_requested", "-o", "%N")
    assert site.out("scontrol", "cancel_reboot", "e4") == ""
    assert state(site, "e4") == "alloc"
    again = site.run("scontrol", "cancel_reboot", "e4")
    assert again.returncode == 1
    assert "no reboot of node e4 was asked for" in again.stderr
    site.out("scontrol", "reboot", "e4")
    assert state(site, "e4") == "alloc@"
    site.out("scancel", job)
    wait_until(lambda: state(site, "e4") == "idle")


@pytest.mark.slow
def test_an_idle_node_reboots_at_once(site: SlurmSite) -> None:
    """The agent of the node stands still, so that the reboot lasts until all is looked at."""
    wait_until(lambda: state(site, "e3") == "idle")
    agent = site.daemon.agent_pid
    os.kill(agent, signal.SIGSTOP)
    try:
        site.out("scontrol", "reboot", "nextstate=down", "reason=new disk", "e3")
        assert state(site, "e3") == "boot^"
        shown = " ".join(site.out("scontrol", "show", "node", "e3").split())
        assert " State=DOWN+REBOOT_ISSUED " in shown
        assert "Reason=new disk: rebooting" in shown  # Other tests may have left more there.
        refused = site.run("scontrol", "reboot", "e3")
        assert refused.returncode == 1
        assert "it is rebooting already" in refused.stderr
    finally:
        os.kill(agent, signal.SIGCONT)
    wait_until(lambda: state(site, "e3") == "drain")
    assert "new disk" in site.out("sinfo", "-R")
    site.out("scontrol", "update", "NodeName=e3", "State=RESUME")
    assert state(site, "e3") == "idle"


def test_what_scontrol_reboot_does_not_take(site: SlurmSite) -> None:
    for words, said in (
        ((), "too few arguments for keyword:reboot"),
        (("e1", "e2"), "too many arguments for keyword:reboot"),
        (("nextstate=up", "e1"), "Invalid nextstate: up"),
        (("e9",), "Invalid node name specified"),
    ):
        done = site.run("scontrol", "reboot", *words)
        assert done.returncode == 1
        assert said in done.stderr
