"""Databases as daemons of earlier schemas left them, as SQL text."""
