"""What this machine has, and what its kernel and its accounts allow."""
