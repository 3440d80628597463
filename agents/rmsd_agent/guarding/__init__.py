"""Looking at what attempts use of memory, processes and threads."""
