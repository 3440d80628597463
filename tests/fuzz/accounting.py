"""Listings of Slurm's sacct, which `rmsd trace convert` makes traces of."""

from __future__ import annotations

from contextlib import suppress
from zoneinfo import ZoneInfo

from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.reading import LogReader
from rmsd_lab.workloads.swf import MOST, TraceError
from rmsd_lab.workloads.swf_log import line_of
from rmsd_lab_cli.trace.local_time import local_time
from rmsd_lab_cli.trace.sacct import FORMAT, Accounting, header_of, is_sacct, read_sacct
from tests.fuzz.harness import Harness

_ZONE = ZoneInfo("Europe/Berlin")
_HEAD = FORMAT.replace(",", "|").encode()


def listing(lines: list[str]) -> None:
    """Expect a trace or a TraceError, whatever is tolerated. What is written of the trace is read
    again, and no value is beyond what a trace may have."""
    found = _read(lines, Tolerance.TOLERANT)
    with suppress(TraceError):
        careful = read_sacct(lines, _ZONE, Problems(Tolerance.CAREFUL))
        assert found is not None
        assert careful.jobs == found.jobs
    if found is None:
        return
    assert 0 <= found.start_s <= MOST
    assert all(-1 <= value <= MOST for job in found.jobs for value in job)
    assert [job.submit_s for job in found.jobs] == sorted(job.submit_s for job in found.jobs)
    began = local_time(found.start_s, _ZONE)
    for anonymous in (False, True):
        header = header_of(found, None, "Europe/Berlin", anonymous=anonymous, began=began)
        written = [*header.lines, *map(line_of, found.jobs)]
        reader = LogReader(written, Problems(Tolerance.TOLERANT))
        assert list(reader) == found.jobs
        assert reader.header.processors == (found.processors or None)


def _read(lines: list[str], tolerance: Tolerance) -> Accounting | None:
    try:
        return read_sacct(lines, _ZONE, Problems(tolerance))
    except TraceError:
        return None


def check(data: bytes) -> None:
    lines = data.decode(errors="replace").splitlines(keepends=True)
    if is_sacct(next(iter(lines), "")):
        listing(lines)
    listing([_HEAD.decode(), *lines])


HARNESS = Harness(
    what="listings of sacct",
    check=check,
    readers=("rmsd_lab_cli.trace.sacct",),
    seeds=(
        _HEAD + b"\n7|ann|staff|2024-03-01T10:00:00|2024-03-01T10:00:05|2024-03-01T11:00:05|3600|"
        b"120|8|8|1|16Gn|02:30:00|COMPLETED|a.sh|batch|normal\n",
        b"8_1|bob|x|1709285000|Unknown|Unknown|0|UNLIMITED|0|4|1|500Mc||CANCELLED by 0|b|p|q\n",
        b"9|bob|x|2024-03-01T10:00:00+02:00|2024-03-01T10:00:05|None|1||2|2|1|1?|1-00:00:00.5|"
        b"NODE_FAIL|b|p|q\n",
        b"JobID|Submit|Start|State|NCPUS|Elapsed|ReqMem|Timelimit|NNodes\n"
        b"1.batch|||||||||\n2+1|2024-01-01|2024-01-02|TIMEOUT|3|1-02:03:04.5|3T|10:00|2\n",
        b"1|a|b|1709285000|99999999999999999999|0|-5|" + b"9" * 40 + b"|1|1|1|1e300Tn|inf|FAILED|"
        b"|||\n",
        b"1|a|b|0|0|0|1e3|nan|-1|-7|-2|-3Gn|-4:5|COMPLETED|\x1b[2J|;|\xc2\x85\n",
    ),
)
