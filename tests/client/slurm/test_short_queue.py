"""squeue's usual lists, of the queue in short: they say what whole views say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rmsd_client.calls.queue import FIELDS, columns_of
from rmsd_client.errors import Unreachable
from rmsd_client.slurm.fields.queue_fields import BY_LETTER
from rmsd_client.slurm.fields.short_queue import suffices
from tests.client.slurm.site import SlurmSite

_READ = "".join(letter for letter, field in BY_LETTER.items() if field.reads is not None)
_WHOLE = "%E"
"""A field that the queue in short does not tell."""


def test_fields_read_what_the_queue_tells() -> None:
    """A field reads no other key than those that it names."""
    for letter in _READ:
        field = BY_LETTER[letter]
        reads = field.reads or ()
        assert set(reads) <= FIELDS.keys()
        shown = {name: "root" if str in FIELDS[name] else 1 for name in reads}
        assert field.show(shown) or not field.same
    assert {"i", "R", "M"} <= set(_READ)


def test_other_lists_need_whole_views() -> None:
    assert suffices({"me": "", "format": "%i"}, frozenset(("PENDING",)))
    assert not suffices({"jobs": "1"}, frozenset(("PENDING",)))
    assert not suffices({}, frozenset(("PENDING", "COMPLETED")))


@pytest.mark.slow
@pytest.mark.live
def test_lists_are_those_of_whole_views(site: SlurmSite) -> None:
    """A list with one more field is made of whole views. Times that pass are left out."""
    runs = site.submit("-J", "runs", "-n", "2", "--mem", "10", "-t", "1-2", "--wrap", "sleep 1000")
    jobs = [
        runs,
        site.submit("-H", "-p", "short", "-a", "1-5,8%2", "--wrap", "true"),
        site.submit("-H", "-J", "a name that is long", "-q", "normal", "--wrap", "true"),
        site.submit("-d", f"afterok:{runs}", "-J", "comma,s", "--wrap", "true"),
    ]
    site.wait_for(runs, "RUNNING")
    letters = [letter for letter in _READ if letter not in "ML"]
    shown = "|".join(f"%.7{letter}" for letter in letters) + "|%.30j%15P%%"
    for options in (
        (), ("-r",), ("-h",), ("--me",), ("-u", "root,nobody"), ("-u", "nobody"), ("-n", "runs"),
        ("-p", "short"), ("-t", "R,PD"), ("-t", "R"), ("-t", "CG"), ("-q", "normal"), ("-A", "x"),
        ("-r", "-p", "main,short", "-t", "PD"),
    ):  # fmt: skip
        short = site.out("squeue", *options, "-o", shown)
        whole = site.out("squeue", *options, "-o", f"{shown}{_WHOLE}")
        assert [line.partition("%")[0] for line in whole.splitlines()] == [
            line.partition("%")[0] for line in short.splitlines()
        ], options
    assert site.out("squeue", "-h", "-r", "-p", "short").count("JobHeldUser") == 6
    site.out("scancel", *jobs)


class _Answered:
    def __init__(self, answer: object) -> None:
        self.body = json.dumps(answer).encode()


class _Calls:
    """Calls of a server that gives one answer."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def call(self, *_: object, **__: object) -> _Answered:
        return _Answered(self._answer)

    no_daemon = staticmethod(lambda why: Unreachable(why, sent=True))


_ROW: list[Any] = [
    *(1, "n", "u", "PENDING", "None", "main", 5, None, 1.5, 1, None, "", 0, "", "normal"),
    *(None, None, "", 3, 0),
]


def test_a_row_of_a_newer_daemon_has_more_fields() -> None:
    calls: Any = _Calls({"jobs": [[*_ROW, "news"]]})
    assert list(columns_of(calls, "")["mem_per_cpu_mib"]) == [3]


@pytest.mark.parametrize("missing", [1, 2])
def test_a_row_of_an_older_daemon_has_fewer_fields(missing: int) -> None:
    calls: Any = _Calls({"jobs": [_ROW[:-missing]] * 2})
    columns = columns_of(calls, "")
    assert list(columns["part_count"]) == [0, 0]
    assert list(columns["mem_per_cpu_mib"]) == ([3, 3] if missing == 1 else [0, 0])


@pytest.mark.parametrize(
    "answer",
    [
        [], {}, {"jobs": 1}, {"jobs": [1]}, {"jobs": [_ROW[:-3]]}, {"jobs": [_ROW, _ROW[:-1]]},
        {"jobs": [["1", *_ROW[1:]]]}, {"jobs": [[True, *_ROW[1:]]]},
        {"jobs": [[1 << 80, *_ROW[1:]]]},
        {"jobs": [[*_ROW[:8], float("nan"), *_ROW[9:]]]}, {"jobs": [[1, ["n"], *_ROW[2:]]]},
    ],
)  # fmt: skip
def test_what_is_no_queue_is_refused(answer: object) -> None:
    calls: Any = _Calls(answer)
    with pytest.raises(Unreachable):
        columns_of(calls, "")
