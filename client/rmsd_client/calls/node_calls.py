"""The calls about nodes: which there are, what an operator does with them, and when they are set
aside."""

from __future__ import annotations

from rmsd_client.calls.calls import ApiCalls, query_of, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]


class NodeCalls:
    """The part of `Client` that is about nodes and advance reservations."""

    _calls: ApiCalls

    def nodes(self) -> list[Json]:
        """Return all nodes (`NodeView`s)."""
        nodes: list[Json] = self._calls.ask("NodesReply", "GET", "/v1/nodes")["nodes"]
        return nodes

    def drain(self, node: str, reason: str) -> Json:
        """Let nothing new start on a node; jobs there run on."""
        return self._node_action(node, {"action": "drain", "reason": reason})

    def resume(self, node: str) -> Json:
        """End a drain."""
        return self._node_action(node, {"action": "resume"})

    def reboot(
        self, node: str, reason: str = "", *, asap: bool = False, next_state: str = ""
    ) -> Json:
        """Have a node rebooted once it is idle (`NodeAction`). Raises ApiError 409 if the node
        cannot be rebooted."""
        action = {"action": "reboot", "reason": reason, "asap": asap, "next_state": next_state}
        return self._node_action(node, action)

    def cancel_reboot(self, node: str) -> Json:
        """Cancel the reboot of a node. Raises ApiError 409 if there is none, or it has begun."""
        return self._node_action(node, {"action": "cancel-reboot"})

    def forget_node(self, node: str, *, force: bool = False) -> None:
        """Take a node that is down off the list. With `force`, give up one that is suspect: its
        jobs are requeued as if it were down. Raises ApiError 409 if the node is neither."""
        query = "?force=true" if force else ""
        self._calls.call("DELETE", f"/v1/nodes/{quote(node)}{query}")

    def reservations(self) -> list[Json]:
        """Return the advance reservations that are not over (`ReservationView`s)."""
        answer = self._calls.ask("ReservationsReply", "GET", "/v1/reservations")
        found: list[Json] = answer["reservations"]
        return found

    def reservation_changes(self, since_us: int = 0) -> list[Json]:
        """Return the advance reservations that there were since a model time
        (`ReservationChangeView`s)."""
        target = f"/v1/reservation-changes{query_of(since_us=since_us)}"
        answer = self._calls.ask("ReservationChangesReply", "GET", target)
        found: list[Json] = answer["changes"]
        return found

    def reserve(self, asked: Mapping[str, Any]) -> Json:
        """Make an advance reservation (`NewReservation`), and return it (`ReservationView`). Raises
        ApiError 409 if it cannot be made."""
        answer = self._calls.ask("ReservationReply", "POST", "/v1/reservations", asked)
        made: Json = answer["reservation"]
        return made

    def unreserve(self, name: str) -> Json:
        """Delete an advance reservation, and return it as it was."""
        target = f"/v1/reservations/{quote(name)}"
        deleted: Json = self._calls.ask("ReservationReply", "DELETE", target)["reservation"]
        return deleted

    def _node_action(self, node: str, action: Json) -> Json:
        view: Json = self._calls.ask("NodeReply", "POST", f"/v1/nodes/{quote(node)}", action)[
            "node"
        ]
        return view
