"""Tasks that callers name: any names cost what they are worth, and those that change nothing are
not written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.array import Indices
from rmsd_core.jobs.ranks import Ranks
from rmsd_core.vocabulary import JobState
from rmsd_daemon.api.cancels import Cancels
from rmsd_daemon.api.submits import Submits
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.arrays import indices_of, ranks_of
from rmsd_daemon.domain.errors import Malformed, TooLarge, TooManyJobs
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.front.request_limits import RequestLimits
from rmsd_daemon.queries.dependencies import Dependencies
from rmsd_daemon.queries.filters import ANY, Filter
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.names import narrowed
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import ConditionsSpec, EmulateSpec, SubmitSpec
from rmsd_wire.arrays import indices_text, parse_indices
from tests.daemon.requests import Request
from tests.daemon.scheduling import scheduling

ANN = Caller("ann", Role.USER, "")
RULES = Rules("counted", None, 1 << 20, "/")
_MANY = 1500

_runs = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 12), st.integers(1, 4)), min_size=1, max_size=4
)


def _text(runs: list[tuple[int, int, int]]) -> str:
    return indices_text((first, first + count * step, step) for first, count, step in runs)


@given(_runs, _runs)
def test_the_ranks_of_names_are_those_of_each_index(
    array: list[tuple[int, int, int]], named: list[tuple[int, int, int]]
) -> None:
    indices = indices_of(_text(array))
    runs = parse_indices(_text(named))
    wanted = {index for first, last, step in runs for index in range(first, last + 1, step)}
    ranks = {rank for rank, index in enumerate(indices) if index in wanted}
    assert set(Ranks(ranks_of(indices, runs))) == ranks


def test_names_of_a_million_tasks_are_not_looked_up_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Thirty such names in one request for jobs kept the daemon from all others for 12 s."""
    looks = 0
    rank = Indices.rank

    def counted(self: Indices, index: int) -> int | None:
        nonlocal looks
        looks += 1
        return rank(self, index)

    monkeypatch.setattr(Indices, "rank", counted)
    for array, named, expected in (
        ("0-9", "0-999999", ((0, 10),)),
        ("5,7-9", "6-999999", ((1, 4),)),
        ("0-999998:2", "0-999998:2", ((0, 500_000),)),
        ("0-999998:2", "10-999998:2", ((5, 500_000),)),
    ):
        assert ranks_of(indices_of(array), parse_indices(named)) == expected
    assert looks < 20
    with pytest.raises(Malformed, match="name ranges of tasks"):
        ranks_of(indices_of("0-9"), parse_indices("0-999999:3"))
    assert looks < 20


def _emulated(**fields: Any) -> dict[str, Any]:
    return {"emulate": {"run_s": 1e6}, **fields}


async def test_a_submit_with_too_many_tasks_is_refused_at_the_first_that_is_too_many(
    tmp_path: Path,
) -> None:
    """A thousand arrays of half a million tasks each were all made before they were counted."""
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        limits = RequestLimits(1 << 20, 100, 1000, 1e6)
        api = Submits(scheduler, RULES, limits, Growth(), history, lambda _: Role.USER)
        jobs = [_emulated(array="0-599")] * 2 + [_emulated(array="never looked at")]
        with pytest.raises(TooManyJobs, match="1200 jobs of ann"):
            await api.submit(cast("Any", Request(ANN, jobs=jobs)))
        history.close()


async def test_a_submit_with_too_many_names_of_nodes_is_refused(tmp_path: Path) -> None:
    """A thousand jobs with a thousand names each kept the daemon for 1.8 s."""
    async with scheduling(Store(tmp_path / "rmsd.db")) as scheduler:
        history = JobHistory(scheduler)
        rules, limits = Rules("nodes", None, 1 << 20, "/"), RequestLimits(1 << 20, 100, 1000, 1e6)
        api = Submits(scheduler, rules, limits, Growth(), history, lambda _: Role.USER)
        jobs = [_emulated(exclude="n[1-1000]")] * 51 + [_emulated(array="never looked at")]
        with pytest.raises(TooLarge, match="more than 50000 nodes"):
            await api.submit(cast("Any", Request(ANN, jobs=jobs)))
        history.close()


async def test_arrays_that_await_one_array_have_its_tasks_read_once(tmp_path: Path) -> None:
    """Each of a thousand arrays of a submit had all tasks of the awaited one read and looked up."""
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        now_us = scheduler.clock.now_us()
        emulate = EmulateSpec(run_s=1.0)
        first = new_job(SubmitSpec(emulate=emulate, array="0-99"), "ann", now_us, RULES)
        [array_id] = await scheduler.submit([first], None, "", 1000)
        reads = 0
        tasks_over = history.tasks_over

        async def counted(*asked: Any) -> dict[int, bool]:
            nonlocal reads
            reads += 1
            return await tasks_over(*asked)

        history.tasks_over = counted  # type: ignore[method-assign]
        after = ConditionsSpec(after_corr=array_id)
        specs = [SubmitSpec(emulate=emulate, array="7", conditions=after)] * 20
        new = [new_job(spec, "ann", now_us, RULES) for spec in specs]
        await Dependencies(scheduler, history).settle(new, ANN, now_us)
        assert reads == 1
        history.close()


async def test_a_cancel_of_tasks_that_changes_nothing_is_not_written(tmp_path: Path) -> None:
    """A user could have each cancel of the same tasks written, 15,000 of them in a request."""
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store, "counted") as scheduler:
        history = JobHistory(scheduler)
        spec = SubmitSpec(emulate=EmulateSpec(run_s=1.0), array="0-99")
        new = new_job(spec, "ann", scheduler.clock.now_us(), RULES)
        [array_id] = await scheduler.submit([new], None, "", 1000)
        cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))

        async def cancel(*names: str) -> int:
            """Return how many entries of the audit trail the cancel adds."""
            before, _ = await history.audit_page(0, None, None, 1000)
            asked = [f"{array_id}_{name}" for name in names]
            await cancels.cancel_all(cast("Any", Request(ANN, jobs=asked)))
            after, _ = await history.audit_page(0, None, None, 1000)
            return len(after) - len(before)

        assert await cancel("[10-19]", "[10-19]", "12") == 1
        assert await cancel("[10-19]", "15", "[11-13]") == 0
        assert await cancel("[10-20]") == 1
        assert await cancel("[0-99]", "[0-99]") == 1
        assert await cancel("[0-99]") == 0
        history.close()


async def test_a_large_array_is_cancelled_in_parts(tmp_path: Path) -> None:
    """An array of 40,000 tasks that another one awaits task by task was cancelled at once: 11 s of
    processor time, in which no other caller was answered."""
    count = 3000
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        now_us = scheduler.clock.now_us()
        emulate = EmulateSpec(run_s=1.0)
        made = [new_job(SubmitSpec(emulate=emulate, array=f"0-{count - 1}"), "ann", now_us, RULES)]
        [array_id] = await scheduler.submit(made, None, "", 1 << 20)
        after = ConditionsSpec(after_corr=array_id, end_if_never=True)
        spec = SubmitSpec(emulate=emulate, array="0-2999", conditions=after)
        made = [new_job(spec, "ann", now_us, RULES)]
        await Dependencies(scheduler, history).settle(made, ANN, now_us)
        [follower_id] = await scheduler.submit(made, None, "", 1 << 20)
        dropped: list[int] = []
        carry_out = scheduler.carry_out

        async def counted(*inputs: Any, audit_entries: Any) -> bool:
            array = scheduler.core.jobs[array_id].array
            before = array.waiting if array is not None else 0
            done = await carry_out(*inputs, audit_entries=audit_entries)
            now = scheduler.core.jobs.get(array_id)
            dropped.append(before - (now.array.waiting if now is not None and now.array else 0))
            return done

        scheduler.carry_out = counted  # type: ignore[method-assign]
        cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))
        await cancels.cancel_all(cast("Any", Request(ANN, jobs=[f"{array_id}_[1000-2999]"])))
        assert dropped[0] == 100
        assert sum(dropped) == 2000
        await cancels.cancel_all(cast("Any", Request(ANN, job_ids=[array_id])))
        assert sum(dropped) >= count - 1  # one may have become a job
        for job_id in (array_id, follower_id):
            assert (await history.find(job_id))[0].state is JobState.CANCELLED
        entries, _ = await history.audit_page(0, None, None, 1000)
        assert len(entries) == 2
        history.close()


@pytest.mark.slow
async def test_any_number_of_arrays_is_looked_up(tmp_path: Path) -> None:
    """A comparison for each of 1,100 arrays is an expression that SQLite does not take."""
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        spec = SubmitSpec(emulate=EmulateSpec(run_s=1.0), array="0,1")
        now_us = scheduler.clock.now_us()
        new = [new_job(spec, "ann", now_us, RULES) for _ in range(_MANY)]
        ids = await scheduler.submit(new, None, "", 1 << 20)
        await _cancel_all(scheduler, ids[:-1], history)
        wanted = await narrowed(
            Filter(frozenset(JobState), limit=10 * _MANY), ",".join(map(str, ids)), history
        )
        found, before = await history.page(wanted)
        assert set(found) >= {ids[-1]}
        assert before is None
        named = ",".join(f"{array_id}_1" for array_id in ids)
        found, _ = await history.page(await narrowed(ANY, named, history))
        assert ids[-1] + 2 in found
        history.close()


async def _cancel_all(scheduler: Any, ids: list[int], history: JobHistory) -> None:
    cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))
    await cancels.cancel_all(cast("Any", Request(ANN, job_ids=ids)))
