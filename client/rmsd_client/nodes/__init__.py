"""Nodes, their reboots and their reservations."""
