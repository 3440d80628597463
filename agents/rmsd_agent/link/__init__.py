"""The link to the daemon, and the key that opens it."""
