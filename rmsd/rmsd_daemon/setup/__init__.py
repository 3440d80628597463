"""The ground floor: configuration, state directory, logs, signals, the clock."""
