"""The links of node agents, and the agent of the daemon's own machine."""
