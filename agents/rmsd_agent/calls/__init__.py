"""What the daemon asks an agent for people: tasks, signals, output."""
