"""Bugs by which a lying agent is believed."""

from __future__ import annotations

from collections.abc import Callable

from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.machine.nodes import Nodes
from rmsd_daemon.agents.admission import Admission
from rmsd_daemon.agents.hearing import Hearing
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.loop import cluster_state
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_wire.link_calls import Reply


def _believe_any_agent() -> None:
    """Agents may tell of the jobs on others' nodes."""
    Hearing._may_tell = lambda *_: True


def _take_any_name() -> None:
    """Give a node's name to the agent that claims it last."""
    Admission.why_not_hosted = lambda *_, **__: ""


def _use_up_the_numbers() -> None:
    """Every number is passed over that an agent says it knows of."""
    cluster_state.MOST_FORGOTTEN = 1 << 62


def _take_any_time() -> None:
    """Take the agent's word for the time of an end."""
    news = ClusterState.news

    def as_told(self: ClusterState, exited: Exited) -> Exited | None:
        return None if news(self, exited) is None else exited

    ClusterState.news = as_told


def _fail_of_an_answer() -> None:
    """Resolve the call of each answer, also of an answer to no question."""

    def reply(self: Session, message: Reply) -> None:
        self._calls[message.call].set_result(message)

    Session.reply = reply


def _keep_claims() -> None:
    """Keep claims on a node, though the node has less now."""
    Nodes.shrinks = lambda *_: False


BUGS: dict[str, Callable[[], None]] = {
    "believe-any-agent": _believe_any_agent,
    "take-any-name": _take_any_name,
    "use-up-the-numbers": _use_up_the_numbers,
    "take-any-time": _take_any_time,
    "fail-of-an-answer": _fail_of_an_answer,
    "keep-claims": _keep_claims,
}
