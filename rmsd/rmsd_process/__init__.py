"""The code that both long-lived processes, daemon and agent, need of their machine: logs, the limit
of open files, clocks, the installation. Clients use the parts that need the standard library alone.
"""
