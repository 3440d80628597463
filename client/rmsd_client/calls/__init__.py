"""The calls of the daemon's API, and the check of its answers."""
