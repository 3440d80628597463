"""The core decides: jobs, the machine, recipes, planning and the life of a job.

Nothing in here does I/O, imports asyncio, reads a clock or draws an unseeded random number.
"""
