"""The workload model of U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers:
modeling the characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63(11),
2003.

All constants, and what is done with them, are those of the authors' program (lublin99, Parallel
Workloads Archive), read there one by one. It is made for 128 nodes. For other machines, its
comments say, the upper bound of the sizes is the machine's, and the middle moves with it. How a
machine of another size changes what else there is they leave open; here nothing else changes.

Two things differ from the program: another generator draws the numbers, and sizes beyond the
machine (whose size may be no power of two) become the machine's.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat

from rmsd_lab.workloads.models.gamma import gamma_cdf
from rmsd_lab.workloads.swf import TraceJob

LONGEST_LOG_RUN = 12.0
"""Run times are below e ** 12 s, 45 hours."""

_LONGEST_LOG_GAP = 13.0
_MODELLED_LOG_SIZE = 7.0
_BUCKETS = 48
_BUCKET_S = 86400 // _BUCKETS
_FIRST_BUCKET = 11
"""The day of the arrival cycle begins with this half hour, when least jobs arrive."""


@dataclass(frozen=True, slots=True)
class LublinKind:
    """Parameters of a kind of jobs, under the names of the program.

    serial, power_of_two: the shares of jobs of one node, and of those of a power of two.
    low, middle, high, lower: log2 of the sizes of parallel jobs is uniform from low to middle with
        probability `lower`, and from middle to high otherwise; for 128 nodes.
    a1, b1, a2, b2: shapes and scales of the two gamma distributions of the natural logarithm of the
        run time in seconds; the first has probability pa * size + pb.
    gap_shape, gap_scale: of the gamma distribution of the logarithm of the time between arrivals in
        the rush hours, in seconds; `all_hours` is what its shape is multiplied by for all hours.
    day_shape, day_scale: of the gamma distribution of arrivals over the day, in half hours.
    """

    serial: float
    power_of_two: float
    low: float
    middle: float
    high: float
    lower: float
    a1: float
    b1: float
    a2: float
    b2: float
    pa: float
    pb: float
    gap_shape: float
    gap_scale: float
    all_hours: float
    day_shape: float
    day_scale: float


BATCH = LublinKind(
    serial=0.2927,
    power_of_two=0.6686,
    low=1.2,
    middle=5,
    high=7,
    lower=0.875,
    a1=6.57,
    b1=0.823,
    a2=639.1,
    b2=0.0156,
    pa=-0.003,
    pb=0.6986,
    gap_shape=6.0415,
    gap_scale=0.8531,
    all_hours=1.0519,
    day_shape=6.1271,
    day_scale=5.2740,
)

INTERACTIVE = LublinKind(
    serial=0.1541,
    power_of_two=0.625,
    low=1,
    middle=3,
    high=5.5,
    lower=0.705,
    a1=3.8351,
    b1=0.6605,
    a2=7.073,
    b2=0.6856,
    pa=-0.0118,
    pb=0.9156,
    gap_shape=6.5510,
    gap_scale=0.6621,
    all_hours=0.9797,
    day_shape=8.9186,
    day_scale=3.6680,
)

UNDIVIDED = LublinKind(
    serial=0.244,
    power_of_two=0.576,
    low=0.8,
    middle=4.5,
    high=7,
    lower=0.86,
    a1=4.2,
    b1=0.94,
    a2=312,
    b2=0.03,
    pa=-0.0054,
    pb=0.78,
    gap_shape=10.2303,
    gap_scale=0.4871,
    all_hours=1.0225,
    day_shape=8.1737,
    day_scale=3.9631,
)
"""The parameters of logs in which batch and interactive jobs are not told apart."""


def lublin_jobs(
    jobs: int, processors: int, kinds: Sequence[LublinKind], seed: int
) -> list[tuple[TraceJob, LublinKind]]:
    """Return `jobs` jobs in arrival order from midnight on, each with its kind. Estimates are
    exact.

    Raises:
        ValueError: no job, no kind, or fewer than 2 processors.
    """
    if jobs < 1 or processors < 2 or not kinds:
        raise ValueError("the model needs at least 1 job, 1 kind of jobs and 2 processors")
    rng = random.Random(seed)
    streams = [
        zip(_arrivals_s(kind, random.Random(rng.getrandbits(64))), repeat(number), strict=False)
        for number, kind in enumerate(kinds)
    ]
    generated = []
    for number, (at_s, which) in enumerate(islice(heapq.merge(*streams), jobs), 1):
        kind = kinds[which]
        size = _size(kind, processors, rng)
        run_s = _run_s(kind, size, rng)
        job = TraceJob(number, int(at_s), run_s, size, max(1, run_s), "-1", 1)
        generated.append((job, kind))
    return generated


def _size(kind: LublinKind, processors: int, rng: random.Random) -> int:
    drawn = rng.random()
    if drawn <= kind.serial:
        return 1
    shift = math.log2(processors) - _MODELLED_LOG_SIZE
    high = max(kind.low, kind.high + shift)
    middle = max(kind.low, kind.middle + shift)
    bounds = (kind.low, middle) if rng.random() <= kind.lower else (middle, high)
    log_size = rng.uniform(*bounds)
    if drawn <= kind.serial + kind.power_of_two:
        log_size = math.floor(log_size + 0.5)
    return min(processors, math.floor(2**log_size + 0.5))


def _run_s(kind: LublinKind, size: int, rng: random.Random) -> int:
    first = rng.random() <= kind.pa * size + kind.pb
    shape, scale = (kind.a1, kind.b1) if first else (kind.a2, kind.b2)
    return int(math.exp(_gamma_up_to(LONGEST_LOG_RUN, shape, scale, rng)))


def _arrivals_s(kind: LublinKind, rng: random.Random) -> Iterator[float]:
    """Yield arrival times [s], a gap apart, without end. The gaps are in a time that passes in each
    half hour in proportion to its arrivals; one turn of the clock is a day."""
    weights = _weights(kind)
    bucket, spent = 0, 0.0
    while True:
        shape = kind.gap_shape * kind.all_hours
        spent += math.exp(_gamma_up_to(_LONGEST_LOG_GAP, shape, kind.gap_scale, rng)) / _BUCKET_S
        while spent > weights[bucket % _BUCKETS]:
            spent -= weights[bucket % _BUCKETS]
            bucket += 1
        yield (bucket + spent / weights[bucket % _BUCKETS]) * _BUCKET_S


def _weights(kind: LublinKind) -> list[float]:
    """Return the weights of the half hours from midnight on; their mean is 1."""
    weights = [0.0] * _BUCKETS
    for at in range(_FIRST_BUCKET, _FIRST_BUCKET + _BUCKETS):
        below, above = (
            gamma_cdf(edge, kind.day_shape, kind.day_scale) for edge in (at - 0.5, at + 0.5)
        )
        weights[(at - 1) % _BUCKETS] = above - below
    mean = sum(weights) / _BUCKETS
    return [weight / mean for weight in weights]


def _gamma_up_to(most: float, shape: float, scale: float, rng: random.Random) -> float:
    while True:
        drawn = rng.gammavariate(shape, scale)
        if drawn <= most:
            return drawn
