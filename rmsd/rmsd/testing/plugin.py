"""The plugin of pytest: the fixture `slurm`. What the fixture needs is imported when a test asks
for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rmsd.testing.cluster import Cluster
    from rmsd.testing.settings import Settings


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "slurm(nodes=2, cores=4, mem_mib=None, partitions=('main',), rate=1.0, seed=None): the "
        "cluster that the fixture `slurm` has",
    )


@pytest.fixture(scope="session")
def _slurm_clusters() -> Iterator[Callable[[Settings], Cluster]]:
    """Keep the clusters of this session, by their settings: one serves many tests."""
    from contextlib import ExitStack

    from rmsd.testing.cluster import running

    with ExitStack() as stack:
        kept: dict[Settings, Cluster] = {}

        def of(settings: Settings) -> Cluster:
            if settings not in kept:
                kept[settings] = stack.enter_context(running(settings))
            return kept[settings]

        yield of


@pytest.fixture
def slurm(
    request: pytest.FixtureRequest,
    _slurm_clusters: Callable[[Settings], Cluster],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Cluster]:
    """Have a private Slurm cluster, whose commands are in PATH. Mark the test with
    `slurm(nodes=...)` for another cluster than one of two nodes with four cores each."""
    from rmsd.testing.cluster import running
    from rmsd.testing.settings import Settings

    mark = request.node.get_closest_marker("slurm")
    asked = dict(mark.kwargs) if mark is not None else {}
    settings = Settings.of(**asked)
    if settings.seed is not None:  # a story begins anew with each test
        with running(settings) as cluster:
            _use(cluster, monkeypatch)
            yield cluster
        return
    cluster = _slurm_clusters(settings)
    _use(cluster, monkeypatch)
    yield cluster
    cluster.reset()


def _use(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in os.environ.keys() - cluster.env.keys():
        monkeypatch.delenv(name)
    for name in ("PATH", "RMSD_SERVER", "RMSD_TEST_CLUSTER"):
        monkeypatch.setenv(name, cluster.env[name])
