"""A daemon that is measured, for as long as that takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rmsd_client.api import Client
from rmsd_lab_cli.replay.private_daemon import await_nodes, private_state, running_daemon


@contextmanager
def private_daemon(options: Sequence[str]) -> Iterator[Client]:
    """Run `rmsd start OPTIONS` in a temporary state directory, and yield a client once its nodes
    are up.

    The daemon and its agent are gone afterwards, and so is the directory.

    Raises:
        CommandError: it does not come up; the message has the end of its log.
    """
    with private_state() as state_dir, running_daemon(state_dir, options) as client:
        await_nodes(client, state_dir)
        client.retry_for_s = 5.0
        yield client
