"""The file that `rmsd study --example` prints."""

EXAMPLE = """\
# A study: every trace, at every load, once for each seed, through every recipe.
#   rmsd study study.toml --out results.csv
#   rmsd compare results.csv --baseline easy

# Schedulers; `rmsd recipes` lists them. Parts are overridden after commas.
recipes = ["easy", "easy++", "conservative", "timed-easy,trial=60"]

# Offered loads (interarrival times are multiplied); "recorded": as it is, which is the default.
loads = ["recorded", 0.7, 0.9]

# How many seeds, or which: seeds = [1, 2, 7]. A recorded trace is shaken with each, every arrival
# by up to shake_s seconds either way; a model draws other jobs with each. All recipes meet the
# same jobs. Without seeds a trace is run once as it is, and a model once with seed 1.
seeds = 5
shake_s = 30

# What is measured besides waits, slowdowns and utilization: groups of docs/metrics.md, or ["all"].
metrics = ["waits", "categories"]

# "thesis": without the first 1% of terminated jobs and those that end after the last arrival.
trim = "none"

# Where jobs begin to be long, wide (categories) and short (failures).
long_above_s = 3600
wide_above = 8
# short_up_to_s = 90     the trial length of a recipe that has one, else 90

# For recipes with trial runs: how much longer a job runs that starts anew, and the share of the
# jobs that may not be restarted.
restart_cost_s = 0
exempt = 0.0

# Jobs that are drawn from a model, one of `rmsd generate`: sample or lublin (with jobs and procs),
# dynp-1, dynp-2, or fitted (with file and weeks), which draws users of a recorded trace.
[[traces]]
model = "sample"
jobs = 2000
procs = 64

# Jobs that were recorded. Files are looked for beside this one. If nothing else is to be said,
# traces = ["KTH-SP2-1996-2.1-cln.swf.gz", "CTC-SP2-1996-3.1-cln.swf.gz"] above will do.
# [[traces]]
# file = "KTH-SP2-1996-2.1-cln.swf.gz"
# name = "KTH"            # in the results; default: the file's name
# procs = 100             # default: what the header says
# jobs = 5000             # only the first ones; default: all
# estimates = "f"         # default: "user". "exact": run times, "shuffled": the users', dealt out
#                         # again, "modes": the mode model (max_estimate_s: its longest), "f": from
# badness = 3             # the run time to (badness + 1) times that
# kill_at_estimate = true # cut jobs that run longer than their estimate; default: false
# loads = [0.8]           # in place of the study's
# closed_loop = true      # jobs come a think time after the job they follow; loads = ["recorded"]
"""
