"""The published tables and claims, and what it takes to show them: one file for each paper."""
