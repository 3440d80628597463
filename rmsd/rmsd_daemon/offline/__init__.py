"""Databases whose daemon may be down: reading, backups, deciding everything again."""
