"""The task that owns the core: works in, batches committed, commands out; restarts and restores."""
