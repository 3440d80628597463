"""The scenarios: what is done at a site, and when its commands are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.slurm_diff.play import Play

# A shell that waits for the program would end with 143 where the program gets the signal first.
_SLEEP = ("-o", "/dev/null", "--wrap", "exec sleep 1000")


def submit(play: Play) -> None:
    """Run a script with directives that ends well."""
    (play.site.work / "job.sh").write_text(
        "#!/bin/bash\n#SBATCH -J first -t 10 --mem=100M --comment=here\n"
        "until [ -e go ]; do sleep 0.1; done\necho done\n"
    )
    play.submit("job", "-n", "2", "-N", "1", "-o", "out-%j", "job.sh")
    play.until("job", "RUNNING")
    play.look("while it runs", "job")
    play.look_at_nodes("nodes while it runs")
    play.say("widths", "squeue", "-j", "<job>", "-h", "-o", "%.7T|%.9P|%.3t|%5t|%.2T|")
    (play.site.work / "go").touch()
    play.until("job", "COMPLETED")
    play.look("when it has ended", "job")
    play.look_at_nodes("nodes when it has ended")


def whole_nodes(play: Play) -> None:
    """Give a job two nodes of its own."""
    play.submit("job", "-N", "2", "--exclusive", "-p", "short", "-t", "5", *_SLEEP)
    play.until("job", "RUNNING")
    play.look("while it runs", "job")
    play.look_at_nodes("nodes while it runs")
    play.do("scancel", "<job>")
    play.until("job", "CANCELLED")


def array(play: Play) -> None:
    """One task of an array runs at a time."""
    play.submit("job", "-a", "1-4%1", "-c", "2", "-t", "1:00:00", *_SLEEP)
    play.until("job", "RUNNING", "PENDING")
    play.until_reason("job", "JobArrayTaskLimit")
    play.look("while one runs", "job")
    play.do("scancel", "<job>_1")
    play.until("job", "CANCELLED", "RUNNING", "PENDING")
    play.do("scancel", "<job>")
    play.until("job", "CANCELLED")
    play.look("when it is cancelled", "job")


def dependency(play: Play) -> None:
    """Jobs depend on one that fails."""
    play.submit("job", "-H", "-o", "/dev/null", "--wrap", "exit 1")
    play.submit("after", "-d", "afterok:<job>", "-o", "/dev/null", "--wrap", "true")
    play.submit("any", "-d", "afterany:<job>", "-o", "/dev/null", "--wrap", "true")
    play.until_reason("after", "Dependency")
    play.look("while they wait", "after", "any")
    play.do("scontrol", "release", "<job>")
    play.until("any", "COMPLETED")
    play.until_reason("after", "DependencyNeverSatisfied")
    play.look("when it has failed", "job", "after", "any")
    play.do("scancel", "<after>")
    play.until("after", "CANCELLED")


def fail(play: Play) -> None:
    """Jobs end with an exit code and by a signal."""
    play.submit("code", "-o", "/dev/null", "--wrap", "exit 3")
    play.submit("signal", "-o", "/dev/null", "--wrap", "kill -9 $$")
    play.until("code", "FAILED")
    play.until("signal", "FAILED")
    play.look("when they have failed", "code", "signal")


def time_out(play: Play) -> None:
    """Let a job reach its limit."""
    play.submit("job", "-t", "1", "-o", "late-%j", "--wrap", "sleep 1000")
    play.until("job", "TIMEOUT")
    play.look("when it has ended", "job")
    play.say("its output", "cat", f"late-{play.jobs['job']}")


def cancel(play: Play) -> None:
    """Jobs are cancelled while they wait and while they run."""
    play.submit("waits", "-H", *_SLEEP)
    play.submit("runs", *_SLEEP)
    play.until("runs", "RUNNING")
    play.do("scancel", "<waits>", "<runs>")
    play.until("waits", "CANCELLED")
    play.until("runs", "CANCELLED")
    play.look("when they are cancelled", "waits", "runs")


def requeue(play: Play) -> None:
    """Put a running job back; it cannot start again as its node takes no jobs."""
    play.submit("job", "-w", "e3", *_SLEEP)
    play.until("job", "RUNNING")
    play.do("scontrol", "update", "NodeName=e3", "State=DRAIN", "Reason=to keep it waiting")
    play.do("scontrol", "requeue", "<job>")
    play.until("job", "PENDING")
    play.look("when it is put back", "job")
    play.do("scancel", "<job>")
    play.until("job", "CANCELLED")
    play.do("scontrol", "update", "NodeName=e3", "State=RESUME")
    play.until_said(("sinfo", "-h", "-n", "e3", "-p", "main", "-o", "%t"), "idle")


def hold(play: Play) -> None:
    """Hold a job and release it."""
    play.submit("job", "-H", *_SLEEP)
    play.submit("later", "-b", "now+1hour", *_SLEEP)
    play.until_reason("job", "JobHeldUser")
    play.until_reason("later", "BeginTime")
    play.look("while they wait", "job", "later")
    play.do("scontrol", "release", "<job>")
    play.until("job", "RUNNING")
    play.do("scontrol", "update", "JobId=<job>", "TimeLimit=45:00")
    play.look("when it is released", "job")
    play.do("scancel", "<job>", "<later>")
    play.until("job", "CANCELLED")
    play.until("later", "CANCELLED")


def drain(play: Play) -> None:
    """Drain a node while a job runs there, and another job wants it."""
    play.submit("job", "-w", "e1", *_SLEEP)
    play.until("job", "RUNNING")
    play.do("scontrol", "update", "NodeName=e1", "State=DRAIN", "Reason=broken fan")
    play.submit("waits", "-w", "e1", *_SLEEP)
    play.until("waits", "PENDING")
    play.look_at_nodes("while it drains")
    play.do("scancel", "<waits>", "<job>")
    play.until("job", "CANCELLED")
    play.look_at_nodes("when it is drained")
    play.do("scontrol", "update", "NodeName=e1", "State=RESUME")
    play.until_said(("sinfo", "-h", "-n", "e1", "-p", "main", "-o", "%t"), "idle")
    play.look_at_nodes("when it is back")


def words(play: Play) -> None:
    """Commands say what is wrong, and what was done."""
    play.submit("job", *_SLEEP)
    play.until("job", "RUNNING")
    for moment, line in _LINES.items():
        play.say(moment, *line)
    play.do("scancel", "-u", play.site.run("id", "-un").stdout.strip())
    play.until("job", "CANCELLED")
    play.say("scancel of what has ended", "scancel", "<job>")


def titles(play: Play) -> None:
    """Fields have titles and widths."""
    play.look_at_titles("titles")


_LINES: Mapping[str, tuple[str, ...]] = {
    "sbatch": ("sbatch", "-o", "/dev/null", "--wrap", "true"),
    "no partition": ("sbatch", "-p", "nosuch", "--wrap", "true"),
    "no option": ("sbatch", "--nosuch"),
    "no value": ("sbatch", "-n"),
    "no script": ("sbatch", "nosuch.sh"),
    "bad time": ("sbatch", "-t", "abc", "--wrap", "true"),
    "bad count": ("sbatch", "-n", "x", "--wrap", "true"),
    "bad memory": ("sbatch", "--mem", "lots", "--wrap", "true"),
    "bad array": ("sbatch", "-a", "x", "--wrap", "true"),
    "bad dependency": ("sbatch", "-d", "never:1", "--wrap", "true"),
    "dependency on nothing": ("sbatch", "-d", "afterok:99999", "-o", "/dev/null", "--wrap", "true"),
    "bad begin": ("sbatch", "-b", "whenever", "--wrap", "true"),
    "too much memory": ("sbatch", "--mem", "9T", "--wrap", "true"),
    "too many nodes": ("sbatch", "-N", "9", "--wrap", "true"),
    "no node": ("sbatch", "-w", "nosuch", "--wrap", "true"),
    "script and wrap": ("sbatch", "--wrap", "true", "job.sh"),
    "test only": ("sbatch", "--test-only", "-p", "nosuch", "--wrap", "true"),
    "squeue of nothing": ("squeue", "-j", "99999"),
    "squeue of two": ("squeue", "-h", "-j", "99999,99998"),
    "squeue of a word": ("squeue", "-j", "xyz"),
    "squeue of no user": ("squeue", "-u", "nosuchuser"),
    "squeue of no state": ("squeue", "-t", "nosuch"),
    "squeue of no field": ("squeue", "-O", "nosuch"),
    "squeue of no option": ("squeue", "--nosuch"),
    "squeue by name": ("squeue", "-h", "-n", "wrap", "-j", "<job>", "-o", "%j %T"),
    "squeue header": ("squeue", "-t", "BF"),
    "squeue long header": ("squeue", "-l", "-h", "-t", "BF"),
    "squeue start header": ("squeue", "--start", "-t", "BF"),
    "squeue step": ("squeue", "-h", "-s", "-j", "<job>", "-o", "%i %j %P"),
    "sacct of nothing": ("sacct", "-j", "99999"),
    "sacct of a word": ("sacct", "-j", "xyz"),
    "sacct of no field": ("sacct", "-o", "nosuch"),
    "sacct of no user": ("sacct", "-u", "nosuchuser"),
    "sacct of no state": ("sacct", "-s", "nosuch"),
    "sacct with words": ("sacct", "|", "tail"),
    "sacct of widths": ("sacct", "-X", "-j", "<job>", "-o", "jobname%3,State%-12,partition%8"),
    "scancel of nothing": ("scancel", "99999"),
    "scancel of nothing, verbose": ("scancel", "-v", "99999"),
    "scancel of a word": ("scancel", "xyz"),
    "scancel without words": ("scancel",),
    "scancel of no user": ("scancel", "-u", "nosuchuser"),
    "show job of nothing": ("scontrol", "show", "job", "99999"),
    "show node of nothing": ("scontrol", "show", "node", "nosuch"),
    "show partition of nothing": ("scontrol", "show", "partition", "nosuch"),
    "show nothing": ("scontrol", "show", "nosuch"),
    "hold of nothing": ("scontrol", "hold", "99999"),
    "release of nothing": ("scontrol", "release", "99999"),
    "requeue of nothing": ("scontrol", "requeue", "99999"),
    "update of nothing": ("scontrol", "update", "JobId=99999", "TimeLimit=5"),
    "update of no field": ("scontrol", "update", "JobId=<job>", "Nosuch=5"),
    "no verb": ("scontrol", "nosuch"),
    "hostnames": ("scontrol", "show", "hostnames", "e[1-3,5],f01"),
    "hostlist": ("scontrol", "show", "hostlist", "e1,e2,e3,e7,f01"),
    "no hostnames": ("scontrol", "show", "hostnames"),
    "version": ("squeue", "--version"),
    "sinfo": ("sinfo",),
    "sinfo of nodes": ("sinfo", "-N", "-h", "-o", "%N %P %t %C"),
    "sinfo long": ("sinfo", "-h", "-l"),
    "sinfo summary": ("sinfo", "-s"),
    "sinfo of reasons": ("sinfo", "-R"),
    "sinfo of no partition": ("sinfo", "-h", "-p", "nosuch"),
    "sinfo of no field": ("sinfo", "-O", "nosuch"),
    "srun": ("srun", "-n", "2", "echo", "here"),
    "srun fails": ("srun", "sh", "-c", "exit 3"),
    "srun of nothing": ("srun", "/nosuch/program"),
    "srun in no partition": ("srun", "-p", "nosuch", "true"),
    "salloc": ("salloc", "-Q", "-n", "1", "true"),
    "sstat of nothing": ("sstat", "-j", "99999"),
    "sprio header": ("sprio", "-h"),
    "sacctmgr": ("sacctmgr", "-n", "-P", "list", "cluster", "format=cluster"),
    "sacctmgr of users": ("sacctmgr", "-n", "-P", "show", "user", "nosuch", "format=account"),
    "sshare": ("sshare", "-h", "-P", "-U", "-o", "user"),
}  # fmt: skip


SCENARIOS: Mapping[str, Callable[[Play], None]] = {
    one.__name__: one
    for one in (
        titles, submit, whole_nodes, array, dependency, fail, cancel, requeue, hold, drain, words,
        time_out,
    )
}  # fmt: skip
