"""The details of live jobs by name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import processors
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.live_details import LiveDetails
from rmsd_daemon.loop.live_index import LiveIndex

_PENDING = {JobState.PENDING}
_changes = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(["align", "train", "post", None])), max_size=60
)


@given(_changes, _changes)
def test_jobs_are_found_by_the_name_that_they_have_now(
    first: list[tuple[int, str | None]], later: list[tuple[int, str | None]]
) -> None:
    """A job may get another name, and a job that is over may come back."""
    has = {number: name for number, name in first if name is not None}
    details = LiveDetails({number: Details(name) for number, name in has.items()})
    for number, name in later:
        if name is None:
            found = details.pop(number, None)
            assert (None if found is None else found.name) == has.pop(number, None)
        else:
            details[number], has[number] = Details(name), name
    assert {number: one.name for number, one in details.items()} == has
    for name in ("align", "train", "post", "none"):
        numbers = [number for some in details.with_names({name}) for number in some]
        assert sorted(numbers) == sorted(number for number, its in has.items() if its == name)


def test_jobs_of_a_name_are_found_without_a_look_at_others() -> None:
    """Among 198,000 jobs a look for a name that none of them has took 0.2 s of a processor."""
    index = LiveIndex(Job(number, "ann", 0, processors(1), 1_000_000) for number in range(1, 5001))
    details = LiveDetails({number: Details("train") for number in range(1, 5001)})
    details[17], details[4000] = Details("align"), Details("align")

    def found(name: str, below: int = 1 << 62) -> list[int]:
        return list(index.newest_first(below, _PENDING, None, details.with_names({name})))

    assert found("none") == []
    assert found("align") == [4000, 17]
    assert found("align", below=4000) == [17]
    assert list(index.newest_first(1 << 62, {JobState.RUNNING}, None, [[17]])) == []
