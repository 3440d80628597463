"""The task that owns the core: it takes works, commits batches and sends commands, also after
restarts."""
