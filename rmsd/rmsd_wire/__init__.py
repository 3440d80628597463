"""What daemon, agents and clients say to each other. No I/O.

`durations`, `sizes`, `hostlist` are standard library only, because `rsub` must start in
milliseconds; `link` and `api` use msgspec and are for the daemon and the agents.
"""

PROTOCOL = 1
"""Version of the agent link; a daemon talks to agents of its own version and the one before."""
