"""The parts of a trace that distort it as a workload: flurries, robots."""
