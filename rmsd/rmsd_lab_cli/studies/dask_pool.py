"""Many runs at a time, on the workers of a Dask cluster that is there already."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from rmsd_cli.errors import INSTALL_LAB, CommandError
from rmsd_lab_cli.studies.pools import AHEAD, Result, Task

_CONNECT_WITHIN = "30s"


class DaskPool:
    """The workers behind the scheduler at `address`; each must have the same code as we."""

    def __init__(self, address: str, digests: Callable[[], str]) -> None:
        """Connect to the scheduler. Raises CommandError if Dask is not installed, if no scheduler
        or worker answers, or if a worker has other code."""
        try:
            self._distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise CommandError(f"--dask needs distributed ({INSTALL_LAB})") from None
        self._where = f"--dask {address}"
        try:
            self._client: Any = self._distributed.Client(address, timeout=_CONNECT_WITHIN)
        except (OSError, ValueError) as error:
            raise CommandError(f"{self._where}: no scheduler answers there: {error}") from None
        try:
            self._check(digests)
        except BaseException:
            self.close()
            raise

    def _check(self, digests: Callable[[], str]) -> None:
        if not self._client.nthreads():
            raise CommandError(f"{self._where}: the cluster has no worker")
        try:
            found = self._client.run(digests)
        except Exception as error:  # the import of rmsd on a worker may raise anything
            raise CommandError(
                f"{self._where}: rmsd must be installed where the workers run: {error}"
            ) from None
        ours = digests()
        others = sorted(worker for worker, theirs in found.items() if theirs != ours)
        if others:
            raise CommandError(
                f"{self._where}: another version of rmsd, or of a third party's part, is installed "
                f"at {others[0]}"
            )

    def close(self) -> None:
        """Close the client; the cluster keeps running."""
        self._client.close()

    def run(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        done: Callable[[Task, Result], None],
    ) -> None:
        """See `WorkerPool`."""
        lost = (self._distributed.KilledWorker, self._distributed.CancelledError)
        remaining = iter(tasks)
        running: dict[Any, Task] = {}
        ended = self._distributed.as_completed()

        def hand_out(most: int) -> None:
            for _, task in zip(range(most), remaining, strict=False):
                future = self._client.submit(work, task, pure=False)
                running[future] = task
                ended.add(future)

        hand_out(AHEAD * sum(self._client.nthreads().values()))
        try:
            for future in ended:
                done(running.pop(future), future.result())
                hand_out(1)
        except lost as error:
            raise CommandError(f"{self._where}: a run was lost with its worker: {error}") from None
        finally:
            self._client.cancel(list(running))
