"""The invariants of a core hold after every step, whatever comes in."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Decision, End
from rmsd_core.lifecycle.inputs import (
    AskReboot,
    Cancel,
    CancelReboot,
    Drain,
    Input,
    Launched,
    NodeDead,
    NodeSuspect,
    NodeUp,
    RebootFailed,
    Resume,
    Submit,
)
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.text import parse_recipe
from rmsd_core.vocabulary import Cause, JobState
from tests.core.small_cluster import exited, job

NODES = ["n1", "n2", "n3"]

NEWS = [
    *("up", "unable", "suspect", "dead", "drain", "resume"),
    *("reboot", "asap", "down", "keep", "failed", "booted"),
]
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("submit"),
            st.integers(1, 5),
            st.integers(1, 3),
            st.booleans(),
            st.sampled_from([0, 300, 900]),
            st.integers(1, 50),
        ),
        st.tuples(st.just("exit"), st.integers(0, 50)),
        st.tuples(st.just("cancel"), st.integers(0, 50)),
        st.tuples(st.just("launched"), st.integers(0, 50)),
        st.tuples(st.sampled_from(NEWS), st.integers(0, 2)),
        st.tuples(st.just("restart")),
    ),
    max_size=60,
)


class Harness:
    """Feeds a core as a daemon would and checks the invariants after every step."""

    def __init__(self, recipe: str) -> None:
        self.recipe = recipe
        self.now_us = 0
        self.next_id = 1
        self.ended: dict[int, JobState] = {}
        self.core = Core(parse_recipe(recipe), "nodes")
        self.boots = dict.fromkeys(NODES, 1)
        self.feed([self.up(name) for name in NODES])

    def up(self, name: str, unable: str = "") -> NodeUp:
        return NodeUp(name, 4, 1000, unable=unable, boot_id=f"b{self.boots[name]}")

    def feed(self, inputs: list[Input]) -> list[Decision]:
        self.now_us += SECOND_US
        effects = self.core.handle(self.now_us, inputs)
        for decision in effects.decisions:
            if isinstance(decision, End):
                assert decision.job_id not in self.ended
                assert decision.state.terminal
                self.ended[decision.job_id] = decision.state
        self.check()
        self.core.sanity_check()
        return effects.decisions

    def check(self) -> None:
        for name, node in self.core.nodes.items():
            assert 0 <= self.core.used_on(name).cores <= node.cores
            assert 0 <= self.core.used_on(name).mem_mib <= node.mem_mib
        for live in self.core.jobs.values():
            assert live.id not in self.ended
            assert (live.state is JobState.PENDING) == (not live.open_nodes)
        assert len(self.core.jobs) + len(self.ended) == self.next_id - 1

    def step(self, what: str, *with_: int) -> None:
        live = sorted(self.core.jobs.values(), key=lambda job: job.id)
        held = [job for job in live if job.open_nodes]
        if what == "submit":
            units, cores, spread, mem_mib, estimate_s = with_
            asked = job(
                self.next_id,
                units,
                cores,
                spread=bool(spread),
                mem_mib=mem_mib,
                estimate_s=estimate_s,
                user=f"u{self.next_id % 2}",
            )
            asked.submit_us = self.now_us
            if self.core.never_fits(asked.request) is None:
                self.next_id += 1
                self.feed([Submit(asked)])
        elif what == "exit" and held:
            one = held[with_[0] % len(held)]
            held_on = [piece.node for piece in one.holding()]
            node = held_on[with_[0] % len(held_on)]
            cause = one.stop_cause or Cause.EXIT
            self.feed([exited(one, node, self.now_us // SECOND_US, cause)])
        elif what == "cancel" and live:
            self.feed([Cancel(live[with_[0] % len(live)].id)])
        elif what == "launched" and held:
            one = held[with_[0] % len(held)]
            self.feed([Launched(one.id, one.attempt)])
        elif what in NEWS:
            name = NODES[with_[0]]
            boot_id = f"b{self.boots[name]}"
            self.boots[name] += what == "booted"
            self.feed(
                [
                    {
                        "up": self.up(name),
                        "booted": self.up(name),
                        "unable": self.up(name, "full"),
                        "reboot": AskReboot(name, "", "root"),
                        "asap": AskReboot(name, "", "root", asap=True, next_state="resume"),
                        "down": AskReboot(name, "", "root", next_state="down"),
                        "keep": CancelReboot(name, "root"),
                        "failed": RebootFailed(name, boot_id, "test"),
                        "suspect": NodeSuspect(name),
                        "dead": NodeDead(name),
                        "drain": Drain(name, "test"),
                        "resume": Resume(name),
                    }[what]
                ]
            )


def restored(core: Core, history: list[tuple[str, int, int, int, int]]) -> Core:
    """Return what a restart makes of the same facts."""
    again = Core(core.recipe, "nodes")
    nodes = [replace(node) for node in core.nodes.values()]
    again.restore(nodes, copy.deepcopy(list(core.jobs.values())), history, core.memory())
    return again


_LOSES_A_NODE_AS_IT_EXPIRES = [
    *[("submit", 1, 1, False, 0, 1), ("exit", 0)],
    *[("submit", 1, 1, False, 0, 1), ("submit", 1, 1, False, 0, 1), ("exit", 0)],
    *[("submit", 3, 1, True, 0, 1), ("suspect", 0), ("exit", 1)],
]


@pytest.mark.slow
@settings(max_examples=150)
@example(_LOSES_A_NODE_AS_IT_EXPIRES, "timed-easy++,trial=1")
@given(
    steps,
    st.sampled_from(
        [
            "fcfs",
            "easy",
            "easy++",
            "conservative",
            "selective,threshold=2",
            "timed-easy,trial=3",
            "timed-easy++,trial=1",
            "timed-conservative,trial=2",
        ]
    ),
)
def test_invariants_hold_after_every_step(script, recipe) -> None:  # type: ignore[no-untyped-def]
    harness = Harness(recipe)
    for what, *with_ in script:
        if what == "restart":
            harness.core = restored(harness.core, [])
            harness.check()
            up = [n.name for n in harness.core.nodes.values() if n.link == "suspect"]
            harness.feed([harness.up(name) for name in up])
        else:
            harness.step(what, *with_)
    for name in NODES:
        harness.boots[name] += 1
        harness.feed([harness.up(name), Resume(name)])
    while harness.core.jobs:
        held = [job for job in harness.core.jobs.values() if job.open_nodes]
        assert held, "jobs wait on an idle cluster that could hold them"
        harness.step("exit", 0)
    assert len(harness.ended) == harness.next_id - 1
