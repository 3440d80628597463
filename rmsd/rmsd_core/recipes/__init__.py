"""Recipes: what they are made of, their names, and the parts that predict and order."""
