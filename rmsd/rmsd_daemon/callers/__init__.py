"""Who asks, what for, and how much: accounts, roles, tokens, the audit trail, what users add."""
