"""The partitions of the site, as far as Slurm's commands tell of them."""

from __future__ import annotations

from rmsd_wire.hostlist import expand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd_client.api import Client


class SitePartition:
    """A partition: its nodes by name, its limits (None: there is none), and its tier: jobs in a
    higher one are scheduled first. `preempt`: whether these may take the place of running jobs of
    this one, and how: off, requeue, cancel. `priority`: the points of its jobs. `state`: up, down,
    drain or inactive. `users`: for whom it is, with `@` before groups; empty: for all, None: that
    is not told to this caller, who is not among them."""

    __slots__ = (
        "default_mem_mib",
        "default_time_s",
        "is_default",
        "max_nodes",
        "max_time_s",
        "name",
        "nodes",
        "preempt",
        "preempt_grace_s",
        "priority",
        "state",
        "tier",
        "users",
    )

    def __init__(self, name: str, nodes: list[str], *, is_default: bool) -> None:
        self.name = name
        self.nodes = nodes
        self.is_default = is_default
        self.state = "up"
        self.max_time_s: float | None = None
        self.default_time_s: float | None = None
        self.default_mem_mib: int | None = None
        self.max_nodes: int | None = None
        self.tier = 1
        self.preempt = "off"
        self.preempt_grace_s = 0
        self.priority = 1
        self.users: list[str] | None = []

    @property
    def availability(self) -> str:
        """Return the state as sinfo has it."""
        return "inact" if self.state == "inactive" else self.state

    def groups(self, everyone: str) -> str:
        """Return for whom it is as Slurm lists groups, where `everyone` stands for all."""
        if self.users is None:
            return "N/A"
        return ",".join(name.removeprefix("@") for name in self.users) or everyone


def load_partitions(client: Client) -> list[SitePartition]:
    """Return the partitions of the site, in the order of its configuration."""
    found = []
    settings = client.status().get("settings") or {}  # older daemons do not tell these
    default_time_s = settings.get("default_time_s")
    for view in client.partitions():
        one = SitePartition(view["name"], expand(view["nodelist"]), is_default=view["is_default"])
        one.state = view["state"]
        one.users = view.get("users", [])
        one.max_time_s = view["max_time_s"]
        one.default_time_s = view["default_time_s"] or default_time_s
        one.default_mem_mib = view.get("default_mem_mib") or settings.get("default_mem_mib")
        one.max_nodes = view["max_nodes"]
        one.tier = view["tier"]
        one.preempt = view.get("preempt", "off")  # older daemons do not tell it
        one.preempt_grace_s = int(view.get("preempt_grace_s") or 0)
        one.priority = view.get("priority") or 1  # the factor that Slurm has if none is given
        found.append(one)
    return found
