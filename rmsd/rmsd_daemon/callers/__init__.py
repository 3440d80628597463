"""The callers of the API: accounts, roles, tokens, the audit trail, and what users may add."""
