"""Features of nodes: told by agents, changed by SIGHUP, asked for by jobs, kept over a kill."""

from __future__ import annotations

import msgspec
import pytest

from rmsd_agent.machine.inventory import emulated_nodes
from rmsd_core.vocabulary import FEATURE_PATTERN
from rmsd_wire import PROTOCOL
from rmsd_wire.features import MOST_FEATURES, parse_features
from rmsd_wire.link import Hello
from rmsd_wire.node_info import NodeInfo
from tests.daemon.configured import reload
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until

OPTIONS = ("--no-local-node", "--emulate", "1x2")


def test_features_as_administrators_write_them() -> None:
    assert parse_features("") == parse_features("none") == ()
    assert parse_features("bigmem, ib,bigmem") == ("bigmem", "ib")
    for text in ("a&b", "a b", "-a", "real", "x,emulated", "a,,b", "a" * 65):
        with pytest.raises(ValueError, match="feature"):
            parse_features(text)
    most = ",".join(f"f{at}" for at in range(MOST_FEATURES))
    assert len(parse_features(most)) == MOST_FEATURES
    with pytest.raises(ValueError, match="at most"):
        parse_features(f"{most},more")


def test_an_agent_can_tell_of_no_other_features() -> None:
    [node] = emulated_nodes(1, 2, 1024, "e")
    told = msgspec.to_builtins(node)
    assert msgspec.convert(told | {"features": ["a", "b:c"]}, NodeInfo).features == ("a", "b:c")
    for features in (["a b"], ["a\n"], [""], ["x" * 65], ["f"] * (MOST_FEATURES + 1)):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(told | {"features": features}, NodeInfo)
    assert FEATURE_PATTERN.startswith("[A-Za-z0-9_]")
    assert Hello(PROTOCOL, "0", "agent", 1, [node], []).nodes[0].features == ()


@pytest.mark.slow
@pytest.mark.live
def test_jobs_wait_for_a_feature_that_a_reload_brings(daemon: Daemon) -> None:
    daemon.stop()
    daemon.options = OPTIONS
    daemon.configure_anew('features = "old"\n')
    daemon.start()
    [node] = daemon.client.nodes()
    assert node["features"] == ["emulated", "old"]
    assert daemon.wait(daemon.submit("true", constraint="old"))["state"] == "COMPLETED"
    refused = daemon.run("rsub", "-C", "fast", "--wrap", "true")
    assert "feature 'fast'" in refused.stderr
    waits = daemon.submit("true", constraint="old&emulated", conditions={"hold": True})
    reload(daemon, 'features = "fast,new"\n')
    wait_until(lambda: daemon.client.nodes()[0]["features"] == ["emulated", "fast", "new"])
    daemon.client.change(waits, "release")
    assert daemon.wait(daemon.submit("true", constraint="fast|none"))["state"] == "COMPLETED"
    assert daemon.client.job(waits)["state"] == "PENDING"
    daemon.kill()
    daemon.start()
    reload(daemon, 'features = "old"\n')
    assert daemon.wait(waits)["state"] == "COMPLETED"
    assert daemon.verdict().difference is None


@pytest.mark.live
def test_an_agent_says_the_features_of_its_nodes(daemon: Daemon) -> None:
    options = ("--emulate", "2x2", "--emulate-prefix", "big", "--features", "ib,bigmem")
    with other_agent(daemon, *options):
        wait_until(lambda: node_state(daemon, "big2") == "idle")
        assert "emulated,ib,bigmem" in daemon.run("rnode").stdout
        job = daemon.client.job(daemon.submit("sleep 600", constraint="ib"))
        wait_until(lambda: daemon.client.job(job["job_id"])["nodelist"].startswith("big"))
