"""A Slurm for tests: a private cluster with Slurm's commands, which can be told to fail.

with rmsd.testing.slurm(nodes=2, cores=4) as cluster:
    job = cluster.output("sbatch", "--parsable", "--wrap", "hostname").strip()
    cluster.wait(job)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from rmsd.testing.cluster import Cluster


def slurm(
    *,
    nodes: int = 2,
    cores: int = 4,
    mem_mib: int | None = None,
    partitions: Sequence[str] = ("main",),
    rate: float = 1.0,
    seed: int | None = None,
) -> AbstractContextManager[Cluster]:
    """Run a private cluster as long as the context lasts; see docs/slurm-for-tests.md.

    Each of the `nodes` has `cores` and `mem_mib` (2 GiB for each core). Each partition has all
    nodes, and the first one is the default. `rate` is how fast the cluster's clock runs. With a
    `seed`, faults come at submits that the seed alone decides.
    """
    from rmsd.testing.cluster import running  # a starter of a command does without
    from rmsd.testing.settings import Settings

    return running(Settings(nodes, cores, mem_mib, tuple(partitions), rate, seed))
