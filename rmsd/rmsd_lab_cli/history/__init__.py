"""A live history as a schedule, and as a trace."""
