"""Look at traces in the Standard Workload Format, convert and change them. TRACE is a file, gzipped
or not, or - for standard input. A command writes to standard output or to the file of -o, so that
commands can be piped into each other. The output has the header of the input and notes of what was
done. The same arguments give the same bytes.
"""

from __future__ import annotations

COMMANDS = {
    "info": ("rmsd_lab_cli.trace.info", "show what is in a trace, and what is wrong with it"),
    "fetch": ("rmsd_lab_cli.trace.fetch", "a log of the Parallel Workloads Archive"),
    "convert": ("rmsd_lab_cli.trace.convert", "SWF or sacct's output to SWF or to evalys's CSV"),
    "head": ("rmsd_lab_cli.trace.head", "the first jobs"),
    "filter": ("rmsd_lab_cli.trace.filter", "jobs by user, size, run time, submit time or status"),
    "clean": ("rmsd_lab_cli.trace.clean", "drop what cannot be simulated, sort, number anew"),
    "scale": ("rmsd_lab_cli.trace.scale", "change load or machine size"),
    "shake": ("rmsd_lab_cli.trace.shake", "move every arrival a little, at random"),
    "merge": ("rmsd_lab_cli.trace.merge", "several traces as one"),
}

EPILOG = """\
exit codes:
  0  done
  1  a trace cannot be read, or has no job that is asked for
  2  wrong usage
"""
