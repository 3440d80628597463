"""The basis of the daemon: settings, state directory, logs, signals, the clock."""
