"""The pure half of rmsd: jobs, capacity, recipes, planner, prediction, simulation, metrics.

Nothing in here does I/O, imports asyncio, reads a clock or draws an unseeded random number.
"""
