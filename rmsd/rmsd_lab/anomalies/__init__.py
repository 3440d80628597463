"""What is in a workload that is not its workload: flurries, robots."""
