"""Steps: tasks in a job, their places, their devices, and their ends."""
