"""The values that can be proposed: jobs, nodes, partitions and recipes. The daemon is asked for
those that it alone knows."""

from __future__ import annotations

from rmsd_client.errors import ClientError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rmsd_client.api import Client

Candidates = dict[str, str]
"""Proposals, each with a line about it, which may be empty."""

_MOST_JOBS = 500


def values(dest: str) -> Candidates:
    """Return the values of an argument that is kept under `dest`; none where there is no daemon,
    and where the argument may be anything."""
    if dest in _OF_A_DAEMON:
        return _asked(_OF_A_DAEMON[dest])
    return _KNOWN[dest]() if dest in _KNOWN else {}


def _asked(question: Callable[[Client], Candidates]) -> Candidates:
    from rmsd_client.api import Client

    try:
        with Client(retry_for_s=0.0) as client:  # the user waits meanwhile
            return question(client)
    except (ClientError, OSError):
        return {}  # a completion says nothing of errors: they would be amid the user's line


def _jobs(client: Client) -> Candidates:
    from rmsd_client.show.job_fields import label

    # one page of the newest: a list of a hundred thousand would not help
    own = client.jobs(user=client.user(), limit=_MOST_JOBS, brief=True)
    return {label(job): f"{job['state'].lower()} {job['name']}" for job in own}


def _nodes(client: Client) -> Candidates:
    return {str(node["name"]): str(node.get("state", "")) for node in client.nodes()}


def _partitions(client: Client) -> Candidates:
    return {str(partition["name"]): "" for partition in client.partitions()}


def _recipes() -> Candidates:
    from rmsd_core.recipes.presets import PRESETS

    return dict.fromkeys(PRESETS, "")


def _states() -> Candidates:
    from rmsd_core.vocabulary import CODES

    return {code: state.lower() for state, code in CODES.items()}


_OF_A_DAEMON: Mapping[str, Callable[[Client], Candidates]] = {
    "job": _jobs,
    "jobs": _jobs,
    "names": _nodes,
    "nodelist": _nodes,
    "exclude": _nodes,
    "partition": _partitions,
}
_KNOWN: Mapping[str, Callable[[], Candidates]] = {
    "recipe": _recipes,
    "recipes": _recipes,
    "states": _states,
}
