"""The keys of `rmsd top`, for its help in the terminal and on the command line."""

KEYS = """\
keys:
  arrows  choose a job                 e  explain it
  /       search                       c  cancel it, after a question
  s       waiting, running, all        h  hold it while it waits
  a       my jobs, or everybody's      r  release it
  o       sort the page                l  its error output, or its output
  < >     newer, older jobs            n  nodes
  ?       help                         q  quit"""
