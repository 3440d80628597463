"""Traces that are replayed through the public API."""
