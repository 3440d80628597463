"""What is told of jobs and the cluster, from the core's memory and the database together."""
