"""Agents that join over TCP: a key of their own, which ends when it is revoked.

Long: daemons with TLS are started, and agents that join them.
"""

from __future__ import annotations

import os
import stat

import pytest

from rmsd_wire.link import Goodbye
from rmsd_wire.tokens import Token, new_token, parse_token
from tests.commands import BIN, rmsd
from tests.daemon.joined_agents import Site, ask_to_join, ended, hello, joined, linked
from tests.waiting import DEADLINE_S, wait_until

soon_dead = pytest.mark.parametrize("site", ['node_dead = "1s"\n'], indirect=True)
"""For a site that does not wait for an agent that is away."""


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_an_agent_joins_once_and_has_a_key_from_then_on(site: Site) -> None:
    join = site.join_file()
    agent = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    key_file = site.state("a") / "key"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    [key] = site.agent_keys()
    assert (key["state"], key["role"]) == ("valid", "agent")
    assert (key["nodes"], key["node_count"]) == (["a1"], 1)
    listed = rmsd("token", "list", "--server", f"unix:{site.daemon.state}/rmsd.sock")
    assert listed.stdout.splitlines()[-1].split()[-1] == "a1"
    assert key_file.read_text().startswith(f"rms_{key['id']}_")
    out = site.daemon.root / "env"
    done = site.daemon.wait(site.daemon.submit("env", stdout=str(out)))
    assert done["state"] == "COMPLETED"
    told = dict(line.partition("=")[::2] for line in out.read_text().splitlines() if "=" in line)
    assert (told["RMSD_SERVER"], told["RMSD_CA_FILE"]) == (site.tcp.url, str(site.tcp.ca))
    assert "RMSD_TOKEN_FILE" not in told
    stepped = site.daemon.submit(f"{BIN}/rrun echo over TLS", stdout=str(out))
    assert site.daemon.wait(stepped)["state"] == "COMPLETED", out.read_text()
    assert out.read_text() == "over TLS\n"
    assert not any(key_file.read_text().strip() in value for value in told.values())
    ended(agent)
    join.unlink()
    site.start("a")
    wait_until(lambda: site.node("a1") == "idle")
    assert [one["id"] for one in site.agent_keys()] == [key["id"]]


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="other agents run all jobs as their own account")
def test_an_agent_of_root_says_that_users_cannot_read_its_authority(site: Site) -> None:
    """The authority in the state directory is closed to users, and their `rrun` failed."""
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    assert f'"ca_file": "{site.tcp.ca}"' in (site.daemon.root / "a.log").read_text()


@pytest.mark.slow
def test_a_join_token_is_good_for_its_uses(site: Site) -> None:
    join = site.join_file(uses=2)
    for name in ("a", "b"):
        site.start(name, "--token-file", join)
        wait_until(lambda name=name: site.node(f"{name}1") == "idle")
    third = site.start("c", "--token-file", join)
    assert third.wait(DEADLINE_S) == 77
    assert "is used up" in (site.daemon.root / "c.log").read_text()
    without = site.start("d")
    assert without.wait(DEADLINE_S) == 77
    assert "rmsd token new --role agent" in (site.daemon.root / "d.log").read_text()


def test_an_agent_that_died_while_it_joined_joins_again(site: Site) -> None:
    """The agent's key is kept, and the daemon has it or has it not."""
    key = new_token()
    site.state("a").mkdir(mode=0o700)
    (site.state("a") / "key").write_text(f"{key.text}\n")  # kept, and not told yet
    join = site.join_file()
    agent = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    assert [one["id"] for one in site.agent_keys()] == [key.id]
    ended(agent)

    agent_id = site.agent_keys()[0]["agent_id"]
    token = parse_token(join.read_text())
    assert token is not None
    other = new_token()
    wrong_digest, other_key = Token(key.id, other.secret), other
    answers = [ask_to_join(site, token, one, agent_id) for one in (key, wrong_digest, other_key)]
    # The same again is no news, though the token is used up; another key is.
    assert answers == [200, 409, 403]
    assert len(site.agent_keys()) == 1


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@soon_dead
def test_a_revoked_key_ends_the_link_at_once(site: Site) -> None:
    agent = site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    [key] = site.agent_keys()
    site.daemon.client.revoke_token(key["id"])
    assert agent.wait(DEADLINE_S) != 0
    assert "its key was revoked" in (site.daemon.root / "a.log").read_text()
    wait_until(lambda: site.node("a1") == "down")
    assert "refused" not in {one["action"] for one in site.daemon.client.audit()}
    assert site.start("a").wait(DEADLINE_S) == 77
    # The agent is the same with a new join token, and has another key.
    site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    assert sorted(one["state"] for one in site.agent_keys()) == ["revoked", "valid"]
    assert len({one["agent_id"] for one in site.agent_keys()}) == 1


async def test_a_key_that_is_revoked_before_the_hello_opens_no_link(site: Site) -> None:
    key = joined(site, "late")

    def revoke() -> None:
        site.daemon.client.revoke_token(key.id)

    [goodbye] = await linked(site, key, hello("late", "x1"), before=revoke)
    assert isinstance(goodbye, Goodbye)
    assert "is revoked" in goodbye.reason
    assert site.node("x1") is None


@pytest.mark.slow
@soon_dead
def test_a_node_belongs_to_the_agent_that_registered_it(site: Site) -> None:
    first = site.start("a", "--token-file", site.join_file())
    wait_until(lambda: site.node("a1") == "idle")
    ended(first)
    wait_until(lambda: site.node("a1") == "down")
    site.start("a", "--token-file", site.join_file(), state="another")
    wait_until(lambda: "belongs to another agent" in (site.daemon.root / "a.log").read_text())
    assert site.node("a1") == "down"
    site.daemon.client.forget_node("a1")
    wait_until(lambda: site.node("a1") == "idle")


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_node_is_its_present_agents_after_a_restore(site: Site) -> None:
    """Another agent has got the node since the backup, and that agent knows what ran there."""
    daemon = site.daemon
    join = site.join_file(uses=2)
    first = site.start("a", "--token-file", join)
    wait_until(lambda: site.node("a1") == "idle")
    daemon.client.drain("a1", "to be given away")
    waits = daemon.submit("echo run >> runs; while [ ! -e go ]; do sleep 0.02; done", tasks=4)
    file = daemon.root / "backup.db"
    daemon.rmsd("backup", file, expect=0)
    ended(first)
    small = ("--emulate", "1x1", "--emulate-prefix", "c")
    first = site.start("a", *small)  # the same agent, without the node
    wait_until(lambda: site.node("c1") == "idle" and site.node("a1") is None)
    site.start("a", "--token-file", join, state="second")
    daemon.wait_for(waits, "RUNNING")
    wait_until(lambda: daemon.lines("runs") == ["run"])
    daemon.stop()
    daemon.rmsd("restore", file, expect=0)

    daemon.start(nodes=0)
    wait_until(
        lambda: daemon.state_of(waits) == "RUNNING" or "node-refused" in daemon.log.read_text()
    )
    assert daemon.state_of(waits) == "RUNNING"
    (daemon.work / "go").touch()
    assert daemon.wait(waits)["attempt"] == 1
    assert daemon.lines("runs") == ["run"]
