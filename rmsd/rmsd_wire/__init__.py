"""What daemon, agents and clients say to each other. No I/O.

`durations`, `sizes`, `hostlist` are standard library only, because `rsub` must start in
milliseconds; `link` and `api` use msgspec and are for the daemon and the agents.
"""

PROTOCOL = 1
"""Version of the agent link. Fields and messages are added without another number: what is added
has a default, and a message that an earlier agent does not know is sent only to those that say in
their `Hello` that they do. What an earlier agent would misunderstand raises it."""

OLDEST_PROTOCOL = 1
"""A daemon talks to agents of its own version and the one before."""
