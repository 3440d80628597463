"""Real programs that use PBS: each is run by `python -m tests.pbs_clients`."""
