"""The HTTP API: its resources and its description."""
