"""Selective reservation strategies (Srinivasan, Kettimuthu, Subramani, Sadayappan, JSSPP 2002).

The subsets of about 5,000 jobs are the first 5,000 of each log. They meet the paper's tables of job
categories exactly on CTC and LANL, and nearly on the cleaned KTH and SDSC.
"""
