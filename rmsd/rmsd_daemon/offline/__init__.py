"""Work on databases whose daemon may be down: reading, backups, verification."""
