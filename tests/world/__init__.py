"""The whole system in one process: the real daemon, link and agents on a virtual clock, with an
in-memory network, and faults by a seed.

What happens is decided by the seed alone, so a failure can be seen again: `python -m tests.world
--seed N`. World code runs in no process; everything else belongs to one, and can be killed between
any two steps of the loop.
"""
