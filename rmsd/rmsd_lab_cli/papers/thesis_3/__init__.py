"""Chapter 3 of the thesis: what inaccurate estimates do to backfilling.

Its results are figures without numbers, and findings; so what is judged here are trends.
"""
