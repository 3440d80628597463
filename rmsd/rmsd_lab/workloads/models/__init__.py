"""Models of workloads: estimates for jobs that have others or none, and jobs themselves. All are
pure functions; what is drawn at random is drawn from a seed."""
