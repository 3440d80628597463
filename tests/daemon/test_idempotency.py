"""The number of idempotency keys that are known, and the users whose keys are forgotten first."""

from __future__ import annotations

import asyncio

import pytest

from rmsd_daemon.store import idempotency as module
from rmsd_daemon.store.idempotency import IdempotencyKeys, Numbers, key_of
from rmsd_daemon.store.records import Row


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> IdempotencyKeys:
    monkeypatch.setattr(module, "REMEMBERED", 10)
    return IdempotencyKeys()


async def submit(keys: IdempotencyKeys, key: str, first_id: int) -> None:
    done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
    keys.begin(key, "digest", Numbers(first_id, 1, []), done)
    keys.committed(key)


async def test_a_users_keys_do_not_push_those_of_others_out(keys: IdempotencyKeys) -> None:
    await submit(keys, "ann:1", 1)
    for number in range(2, 100):
        await submit(keys, f"bob:{number}", number)
    assert await keys.repeated("ann:1", "digest") == [1]
    assert await keys.repeated("bob:91", "digest") == [91]
    assert await keys.repeated("bob:90", "digest") is None
    for number in range(100, 109):  # a user with many keys shares with later users
        await submit(keys, f"ann:{number}", number)
    assert await keys.repeated("ann:108", "digest") == [108]
    assert await keys.repeated("bob:99", "digest") == [99]


async def test_what_is_known_is_what_is_stored_and_what_is_under_way(keys: IdempotencyKeys) -> None:
    row: Row = {"key": "ann:stored", "digest": "digest", "first_id": 7, "count": 2, "arrays": []}
    done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
    keys.begin("ann:fails", "digest", Numbers(1, 1, []), done)
    keys.begin("ann:begun", "digest", Numbers(2, 1, []), done)
    await submit(keys, "ann:undone", 3)
    keys.failed("ann:fails")
    keys.reload([row])
    done.set_result([2])
    assert await keys.repeated("ann:stored", "digest") == [7, 8]
    assert await keys.repeated("ann:begun", "digest") == [2]
    for gone in ("ann:undone", "ann:fails"):
        assert await keys.repeated(gone, "digest") is None


def test_no_user_has_a_key_of_another() -> None:
    users = ("ann", "ann:x", "ann:x:y", "ann%3Ax", "%", ":")
    keys = [key_of(user, key) for user in users for key in ("1", "x:1", "x:y:1", "3Ax:1", ":1")]
    assert len(set(keys)) == len(keys)
    assert key_of("ann", "x:1") == "ann:x:1"  # the form before names were escaped
