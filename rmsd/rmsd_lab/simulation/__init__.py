"""The core on a virtual clock, and what is asked of it there."""
