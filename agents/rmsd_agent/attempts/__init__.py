"""Attempts at jobs: beginning and ending them, with processes or with timers."""
