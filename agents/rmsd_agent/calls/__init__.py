"""Calls of the daemon for its users: tasks, signals, output."""
