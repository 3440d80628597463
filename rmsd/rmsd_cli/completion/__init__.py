"""The completion of commands in shells: what may follow on a command line, and the shells' way to
ask for it."""
