"""What a live history is as a schedule, and as a trace."""
