"""The machine of an agent: its size, and what its kernel and its accounts allow."""
