"""A job: what it asks for, its attempts, and the phases of its life."""
