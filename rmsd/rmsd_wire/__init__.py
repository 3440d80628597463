"""The protocols between daemon, agents and clients. No I/O.

`durations`, `sizes`, `hostlist`, `output_pattern` are standard library only, because `rsub` must
start in milliseconds; `link` and `api` use msgspec and are for the daemon and the agents.
"""

PROTOCOL = 1
"""The version of the agent link. Fields and messages are added without another number. An added
field has a default. A message that an earlier agent does not know is sent only to agents that
announce it in their `Hello`. A change that an earlier agent would misunderstand raises the
number."""

OLDEST_PROTOCOL = 1
"""A daemon talks to agents of its own version and the one before."""
