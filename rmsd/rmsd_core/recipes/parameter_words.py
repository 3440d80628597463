"""The words that parameters of recipes may be, with their meanings."""

from __future__ import annotations

from rmsd_core.recipes.extensions import (
    BACKFILL_ORDERS,
    CORRECTIONS,
    ORDERS,
    PLANNERS,
    PREDICTORS,
    RESERVES,
)
from rmsd_core.recipes.parameter import Words

RESERVE = {
    "nobody": "nothing passes the head of the queue",
    "head": "the head of the queue (EASY)",
    "everyone": "every waiting job (conservative)",
    "starved": "jobs whose expansion factor is past a threshold (selective)",
}
DEPTH = {"unlimited": "as many as wait"}
BACKFILL = {
    "none": "nothing starts that is promised nothing",
    "queue": "in the order of the queue",
    "shortest": "the shortest prediction first (SJBF)",
}
BELIEF = {"prediction": "the system's prediction", "estimate": "the user's estimate"}
EXTRA = {
    "instant": "all that is released at the shadow time",
    "needed": "what is released until the head fits (the thesis)",
}
TYPE = {
    "all": "the user's latest terminated jobs",
    "immediate": "those of the latest that have the new job's estimate",
    "extended": "the latest that have the new job's estimate",
}
FULLNESS = {"full": "a full window is needed", "partial": "one job is enough"}
METRIC = {
    "average": "the mean of the run times",
    "median": "their median",
    "minimum": "the shortest",
    "maximum": "the longest",
}
FALLBACK = {
    "estimate": "the user's estimate",
    "relative": "the estimate times the accuracy the user has shown so far",
}
PROPAGATE = {
    "yes": "predictions of waiting jobs follow when the user's history grows",
    "no": "a job is predicted once, at its arrival",
}
SURVIVED = {
    "yes": "only those that are longer",
    "no": "all of them",
}
CORRECT = {
    "no": "the job counts as about to end",
    "estimate": "the user's estimate",
    "multiplied": "the user's estimate, multiplied as predictions are",
    "gradual": "1 min more, then 15, 30, 60...",
    "exponential": "20% more each time",
}
STARVE = {
    "no": "none: no job precedes others for its wait",
    "virtual-easy": "jobs past a part of the longest wait under an EASY beside, which moves no job",
}
URGENT = {
    "predictions": "predictions, as for any head",
    "estimates": "the users' estimates, so that wrong predictions do not delay it",
}
REMAINING = {
    "no": "their whole prediction",
    "yes": "what is left of it",
}
SPECULATE = {
    "no": "nothing starts there before its turn",
    "yes": "every waiting job that fits and may be restarted",
}
BY = {
    "user": "the user's, in all accounts",
    "account": "the user's in the job's account, and that of this account and of those above it",
}
KILL = {
    "longest-expired": "the one that expired first",
    "least-elapsed": "the one that has run for the shortest time",
}
PLANNER = {"parts": "rmsd's own, by the parts of the recipe"}
THRESHOLD = {
    "conservative": "mean slowdown of a conservative run of the same trace",
    "well-estimated": "the same, of jobs that ran half their estimate or more",
    "adaptive": "mean slowdown of the jobs that have ended so far",
}


def reserves() -> Words:
    return RESERVE | {part.name: part.source for part in RESERVES.values()}


def backfills() -> Words:
    return BACKFILL | {order.name: order.source for order in BACKFILL_ORDERS.values()}


def corrections() -> Words:
    return CORRECT | {part.name: part.source for part in CORRECTIONS.values()}


def planners() -> Words:
    return PLANNER | {part.name: part.source for part in PLANNERS.values()}


def orders() -> Words:
    return {order.name: order.source for order in ORDERS.values()}


def predictors() -> Words:
    return {part.name: part.source for part in PREDICTORS.values()}
