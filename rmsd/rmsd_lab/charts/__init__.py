"""The content of charts of schedules, as data: distributions, series over time, rows of a Gantt
chart.
"""
