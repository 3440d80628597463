"""Recipes: their parameters, their names, and the parts that predict and order."""
