"""The groups of the daemon's settings, which are headings in the documents."""

from __future__ import annotations

ACCESS = "Places and access"
NODES = "Nodes and clock"
SCHEDULING = "Scheduling"
JOBS = "Limits of jobs"
REQUESTS = "Limits of requests"
HISTORY = "History"
MAIL = "Mail"

GROUPS = (ACCESS, NODES, SCHEDULING, JOBS, REQUESTS, HISTORY, MAIL)
