"""Planning: which waiting jobs start now, and when the others are expected to."""
