"""Stories of faults: the seed decides them, and the cluster carries them out."""

from __future__ import annotations

from collections import Counter

import pytest

from rmsd.testing.cluster import Cluster
from rmsd.testing.story import drawn
from tests.fresh import seed_of

_NODES = ("node1", "node2")
_SEED = 32


def test_a_seed_gives_the_same_story_each_time_and_another_seed_another(
    pytestconfig: pytest.Config,
) -> None:
    seed = seed_of(pytestconfig)
    story = drawn(seed, _NODES, 2000)
    assert story == drawn(seed, _NODES, 2000)
    assert story != drawn(seed + 1, _NODES, 2000)
    assert drawn(seed, _NODES, 50) == [act for act in story if act["at"] <= 50]
    kinds = Counter(act["act"] for act in story)
    assert len(kinds) == 7
    assert all(count > 20 for count in kinds.values())


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.slurm(seed=_SEED)
def test_a_cluster_has_its_story(slurm: Cluster) -> None:
    """Each submit ends as its story says. An unreachable controller is reachable again at once."""
    acts = {act["at"]: act["act"] for act in drawn(_SEED, slurm.settings.node_names, 16)}
    assert {"refuse", "unreachable"} <= set(acts.values())
    assert {"timeout", "memory"} & set(acts.values())
    unreachable = slurm.bin.parent / "faults" / "unreachable"
    wanted = {"timeout": "TIMEOUT", "memory": "OUT_OF_MEMORY"}
    for at in range(1, 17):
        how = acts.get(at)
        script = "sleep 1000" if how in wanted else "true"
        before = unreachable.read_text() if unreachable.exists() else ""
        done = slurm.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", script)
        assert (done.returncode != 0) == (how == "refuse")
        after = unreachable.read_text() if unreachable.exists() else ""
        assert (after != before) == (how == "unreachable")
        slurm.unreachable(0)
        if how != "refuse":
            assert slurm.wait(done.stdout.strip()) == wanted.get(str(how), "COMPLETED")
