"""The way to the daemon: its address and the token, and HTTP in a few lines."""
