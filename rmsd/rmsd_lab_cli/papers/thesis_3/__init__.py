"""Chapter 3 of the thesis: the effect of inaccurate estimates on backfilling.

Its results are figures without numbers, and findings, so trends are judged here.
"""
