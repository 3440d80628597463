"""The queries on jobs and the cluster, answered from the core's memory and the database
together."""
