"""Every harness takes its seeds, and parts of them; atheris goes on from there."""

from __future__ import annotations

import pytest

from tests.fuzz.harnesses import NAMES, harness


@pytest.mark.parametrize("name", NAMES)
def test_seeds_and_parts_of_them(name: str) -> None:
    found = harness(name)
    assert found.seeds
    for seed in (b"", b"\0", b"\xff\xfe", *found.seeds):
        for part in (seed, seed[: len(seed) // 2], seed[len(seed) // 3 :], seed + seed):
            found.check(part)
