"""The daemon: it feeds the core what the world reports, and carries out what the core decides."""
