"""Terminals on nodes, and jobs that are held for a program outside of them."""
