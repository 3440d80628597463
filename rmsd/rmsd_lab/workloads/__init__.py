"""Workloads: traces, models, and what is wrong with them."""
