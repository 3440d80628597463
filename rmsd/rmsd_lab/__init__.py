"""The pure half of the lab: simulations, workloads, measures and charts, on top of the core."""
