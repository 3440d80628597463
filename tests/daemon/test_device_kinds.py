"""The bounds on devices that agents tell of: no agent leaves none for others, or takes the loop."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from rmsd_daemon.agents.admission import Admission
from rmsd_daemon.agents.device_kinds import DeviceKinds
from rmsd_wire import gres
from rmsd_wire.link import Hello
from rmsd_wire.node_info import NodeDevices, NodeInfo


class _SomeCore:
    """A core of which nobody asks anything."""


class _Cluster:
    """The nodes that a core knows, as far as their devices matter."""

    def __init__(self) -> None:
        self.scheduler = SimpleNamespace(core=_SomeCore(), node_rows={})
        self.kinds = DeviceKinds(cast("Any", self.scheduler))

    def tell(self, agent_id: str, *kinds: str, trusted: bool = False) -> str:
        """Have an agent come with a node of these kinds; why it may not."""
        return self.kinds.of(agent_id).why_not({*kinds}, trusted=trusted)

    def store(self, agent_id: str, *kinds: str) -> None:
        told = [[kind, [0]] for kind in kinds]
        self.scheduler.node_rows[agent_id] = {"agent_id": agent_id, "gres": told}

    def next_core(self) -> None:
        self.scheduler.core = _SomeCore()


def _made_up(first: int, count: int) -> list[str]:
    return [f"k{at}" for at in range(first, first + count)]


def test_no_agent_leaves_no_kinds_for_the_others() -> None:
    """An agent could tell of 64 made-up kinds, and none was left while the daemon ran."""
    cluster = _Cluster()
    assert not cluster.tell("liar", *_made_up(0, 16))
    for at in range(1, 5):
        assert "can bring 16 kinds" in cluster.tell("liar", *_made_up(16 * at, 16))
    cluster.store("liar", *_made_up(0, 16))
    assert "can bring 16 kinds" in cluster.tell("liar", "one-more")
    assert not cluster.tell("honest", "gpu:a100", "k3")
    assert not cluster.tell("liar", *_made_up(0, 16))
    # A kind that another agent has does not count.
    assert not cluster.tell("liar", "gpu:a100")


def test_kinds_that_no_node_has_are_free_with_the_next_core() -> None:
    cluster = _Cluster()
    for at in range(4):
        assert not cluster.tell(f"a{at}", *_made_up(16 * at, 16))
    assert "at most 64 kinds" in cluster.tell("honest", "gpu")
    # A refusal takes nothing from those who have the kind.
    assert "at most 64 kinds" in cluster.tell("honest", "gpu", "k0")
    assert not cluster.tell("honest", "k0")
    cluster.store("a0", *_made_up(0, 16))
    cluster.next_core()
    assert not cluster.tell("honest", "gpu")
    assert "can bring 16 kinds" in cluster.tell("a0", "another")


def test_the_daemons_own_agent_may_bring_more_kinds() -> None:
    cluster = _Cluster()
    assert not cluster.tell("own", *_made_up(0, 16), trusted=True)
    assert not cluster.tell("own", *_made_up(16, 16), trusted=True)


def test_the_devices_of_a_hello_have_a_bound() -> None:
    """The check of a Hello of 16 MiB that was full of devices occupied the event loop for 26 s."""
    owners = SimpleNamespace(nodes_of=lambda _: [])
    admission = Admission(cast("Any", None), cast("Any", owners))
    devices = tuple(NodeDevices(f"k{at}", (0,) * 1024) for at in range(16))
    nodes = [NodeInfo(f"n{at}", "emulated", 1, 1, gres=devices) for at in range(13)]
    assert not admission.too_much(Hello("a", 1, "1", "1", nodes[:12], []))
    assert "212992 devices" in admission.too_much(Hello("a", 1, "1", "1", nodes, []))


def test_the_kinds_of_a_hello_count_on_each_node() -> None:
    """Sixteen kinds on each of 10,000 nodes occupied the event loop for 2 s, with few devices."""
    owners = SimpleNamespace(nodes_of=lambda _: [])
    admission = Admission(cast("Any", None), cast("Any", owners))
    kinds = tuple(NodeDevices(f"k{at}", (0,)) for at in range(16))
    nodes = [NodeInfo(f"n{at}", "emulated", 1, 1, gres=kinds) for at in range(1251)]
    assert not admission.too_much(Hello("a", 1, "1", "1", nodes[:1250], []))
    assert "20016 kinds" in admission.too_much(Hello("a", 1, "1", "1", nodes, []))


def test_each_device_of_a_node_is_looked_at_once() -> None:
    looks = 0

    class Counted(list[tuple[str, int]]):
        def __iter__(self) -> Iterator[tuple[str, int]]:
            nonlocal looks
            looks += len(self)
            return super().__iter__()

    devices = Counted((f"k{at}", number) for at in range(16) for number in range(1000))
    gres.check_kinds({f"k{at}" for at in range(16)}, devices)
    assert looks <= 4 * len(devices)
