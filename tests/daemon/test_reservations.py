"""Advance reservations of a live daemon: made, obeyed, kept over a crash, and deleted."""

from __future__ import annotations

import contextlib
import getpass
import grp
import json
import os
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.waiting import wait_until

USER = getpass.getuser()
_OPTIONS = ("--no-local-node", "--emulate", "2x4", "--rate", "100")


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    found = Daemon(*_OPTIONS)
    try:
        yield found.start()
    finally:
        found.close()


def made(daemon: Daemon, name: str = "course", **asked: Any) -> dict[str, Any]:
    """Make a reservation of the first node, by default for this user, in an hour."""
    if "maintenance" not in asked and "accounts" not in asked:
        asked = {"users": [USER], **asked}
    if "cores" not in asked:
        asked = {"nodes": "e1", **asked}
    return daemon.client.reserve({"name": name, "start_in_s": 3600, "duration_s": 3600, **asked})


def reason(daemon: Daemon, job_id: int) -> str:
    return str(daemon.client.job(job_id)["reason"])


@pytest.mark.slow
def test_a_reservation_is_told_and_deleted(daemon: Daemon) -> None:
    found = made(daemon, cores=5, accounts=["physics"])
    assert (found["nodelist"], found["cores"], found["life"]) == ("e[1-2]", 8, "future")
    assert found["end_us"] - found["start_us"] == 3600 * 1_000_000
    assert daemon.client.reservations() == [found]
    assert daemon.client.unreserve("course") == found
    assert daemon.client.reservations() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        ({"nodes": "e9"}, 409, "there is no node e9"),
        ({"nodes": "e1[", "users": ["ann"]}, 400, "'nodes'"),
        ({"nodes": "e[1-1000000]"}, 400, "more than 50000 hosts"),
        ({"nodes": "e1," + "x" * 300_000}, 400, "'nodes' has 300003 characters in all"),
        ({"users": [f"{i}" + "x" * 250 for i in range(900)]}, 400, "characters in all"),
        ({"nodes": "", "users": ["ann"]}, 400, "exactly one of 'nodes' and 'cores'"),
        ({"cores": 9}, 409, "9 cores asked for, and nodes with 8 are available"),
        ({"users": []}, 400, "must say whose jobs run inside"),
        ({"maintenance": True, "users": ["ann"]}, 400, "'maintenance' lets nobody"),
        ({"duration_s": 0}, 400, "'duration_s' is 0"),
        ({"duration_s": None}, 400, "exactly one of 'end_us' and 'duration_s'"),
        ({"name": "a b"}, 400, "no space, comma or ="),
        ({"replace": True}, 409, "there is no such reservation"),
    ],
)
def test_a_reservation_that_cannot_be_made_says_why(
    daemon: Daemon, asked: dict[str, Any], status: int, message: str
) -> None:
    with pytest.raises(ApiError, match=message) as error:
        made(daemon, **asked)
    assert error.value.status == status


def test_reservations_keep_away_from_each_other_and_from_jobs(daemon: Daemon) -> None:
    long = daemon.emulate(10_000, time_limit_s=20_000, tasks=4, nodelist="e1")
    daemon.wait_for(long, "RUNNING")
    with pytest.raises(ApiError, match=f"could still run then, by their limits: {long}"):
        made(daemon)
    made(daemon, ignore_jobs=True)
    with pytest.raises(ApiError, match="there is one of this name already"):
        made(daemon, ignore_jobs=True)
    with pytest.raises(ApiError, match="reservation course has e1 at that time"):
        made(daemon, "other", ignore_jobs=True)
    made(daemon, "repair", ignore_jobs=True, maintenance=True)
    made(daemon, "other", nodes="e2")
    short = daemon.emulate(10_000, time_limit_s=3000, nodelist="e2")
    daemon.wait_for(short, "RUNNING")
    with pytest.raises(ApiError, match="would reach into an advance reservation"):
        daemon.client.update(short, {"time_limit_s": 4000})


@pytest.mark.slow
def test_jobs_keep_off_and_wait_and_it_is_explained(daemon: Daemon) -> None:
    made(daemon, "repair", nodes="ALL", maintenance=True)
    long = daemon.emulate(10, time_limit_s=5000)
    short = daemon.emulate(10, time_limit_s=1000)
    daemon.wait(short)
    assert reason(daemon, long) == "ReservedForMaintenance"
    [repair] = daemon.client.reservations()
    told = daemon.client.explain(long)
    assert [one["name"] for one in told["wait"]["reservations"]] == ["repair"]
    assert told["start"]["start_us"] == repair["end_us"]
    text = daemon.run("rstat", "--explain", str(long)).stdout
    assert "it would reach into the maintenance repair of e[1-2]" in " ".join(text.split())
    chart = daemon.rmsd("gantt").stdout
    assert "reserved e[1-2] for repair: " in chart
    daemon.client.unreserve("repair")
    daemon.wait(long)


@pytest.mark.slow
def test_a_reservation_repeats_over_a_crash() -> None:
    """Jobs run inside some instance of an hour's reservation; a crash loses none of them."""
    hour_us = 3600 * 1_000_000
    with contextlib.closing(Daemon("--no-local-node", "--emulate", "2x4", "--rate", "1000")) as one:
        one.start()
        first = made(one, start_in_s=0, duration_s=1800, repeat="hourly")
        assert first["every_s"] == 3600
        wait_until(lambda: one.client.reservations()[0]["start_us"] > first["start_us"])
        wait_until(lambda: "reservation-repeats" in one.log.read_text())
        job = one.emulate(1, time_limit_s=100, reservation="course")
        one.kill()
        one.start()
        found, [later] = one.wait(job), one.client.reservations()
        assert (found["state"], found["nodelist"]) == ("COMPLETED", "e1")
        assert (found["start_us"] - first["start_us"]) % hour_us <= 1700 * 1_000_000
        assert (later["start_us"] - first["start_us"]) % hour_us == 0
        assert one.rmsd("verify").returncode == 0


@pytest.mark.slow
def test_a_reservation_that_repeats_keeps_its_later_instances(daemon: Daemon) -> None:
    words = ("--start", "now+1hour", "--duration", "30m", "--nodes", "e1", "--users", USER)
    done = daemon.run("rnode", "reserve", "course", *words, "--flags", "weekly")
    assert ", weekly: course" in done.stdout, done.stderr
    with pytest.raises(ApiError, match="reservation course has e1 at that time"):
        made(daemon, "other", start_in_s=3600 + 3 * 7 * 86_400)
    made(daemon, "other", start_in_s=3600 + 3 * 86_400)
    for wrong, message in (
        ({"repeat": "daily", "duration_s": 90_000}, "longer than the time after which it repeats"),
        ({"until_us": 1}, "'until_us' goes with 'repeat'"),
        ({"repeat": "yearly"}, "Invalid enum value 'yearly'"),
    ):
        with pytest.raises(ApiError, match=message):
            made(daemon, "wrong", **wrong)
    site = SlurmSite(daemon)
    assert "Flags=WEEKLY,SPEC_NODES" in site.out("scontrol", "show", "reservation", "course")
    daemon.client.unreserve("other")
    site.out("scontrol", "update", "ReservationName=course", "Flags=DAILY,IGNORE_JOBS")
    assert "Flags=DAILY," in site.out("scontrol", "show", "reservation", "course")


def test_names_that_are_not_here_are_told_to_the_operator(daemon: Daemon) -> None:
    """A misspelled name set nodes aside for nobody, without a word."""
    words = ("--start", "now+1hour", "--duration", "1h", "--nodes", "e1", "--groups", "no-group")
    done = daemon.run("rnode", "reserve", "course", *words, "--users", f"{USER},no-user")
    assert (done.returncode, done.stdout.split()[0]) == (0, "Reserved")
    assert done.stderr.splitlines() == [
        f"rnode: warning: there is no {one} on this machine"
        for one in ("account no-user", "group no-group")
    ]


@pytest.mark.slow
def test_a_reservation_repeats_on_days_of_the_week_over_a_crash() -> None:
    """The start is on a Friday in the daemon's zone, and on a Saturday in UTC. A crash loses no
    day, and verification finds them all."""
    friday = datetime(2026, 11, 27, 22, tzinfo=timezone(timedelta(hours=-5)))
    start_us = int(friday.timestamp()) * 1_000_000
    with contextlib.closing(Daemon("--no-local-node", "--emulate", "2x4", "--rate", "1e5")) as one:
        one.env["TZ"] = "EST5"
        one.start()
        now_us = one.client.status()["clock"]["model_us"]
        week_us = 7 * 86_400_000_000
        start_us += ((now_us - start_us) // week_us + 1) * week_us
        site = SlurmSite(one)
        at = {"start_us": start_us, "duration_s": 3600, "nodes": "e1", "users": [USER]}
        weekday = one.client.reserve({"name": "course", "repeat": "weekday", **at})
        weekend = one.client.reserve({"name": "other", "repeat": "weekend", **at})
        assert (weekday["repeat"], weekend["repeat"]) == ("weekday", "weekend")
        assert weekend["start_us"] - weekday["start_us"] == 86_400_000_000
        flags = [
            re.findall(r"Flags=(\w+)", site.out("scontrol", "show", "reservation", name))
            for name in ("course", "other")
        ]
        assert flags == [["WEEKDAY"], ["WEEKEND"]]
        days = set()

        def later() -> bool:
            found = {view["name"]: view["start_us"] for view in one.client.reservations()}
            days.add((found["course"] - start_us) // 86_400_000_000 % 7)
            days.add(10 + (found["other"] - start_us) // 86_400_000_000 % 7)
            return found["course"] - start_us > week_us

        wait_until(later)
        one.kill()
        one.start()
        later()
        assert days <= {0, 3, 4, 5, 6, 11, 12}
        assert one.rmsd("verify").returncode == 0


@pytest.mark.slow
def test_members_of_a_group_run_inside(daemon: Daemon) -> None:
    """The user is a member of the group; a job of another user is refused."""
    group = grp.getgrgid(os.getgid()).gr_name
    words = ("--start", "now", "--duration", "1h", "--nodes", "e1", "--groups", group)
    done = daemon.run("rnode", "reserve", "course", *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"@{group}" in daemon.run("rnode", "reservations").stdout
    job = daemon.wait(daemon.emulate(1, time_limit_s=100, reservation="course"))
    assert (job["state"], job["nodelist"]) == ("COMPLETED", "e1")
    spec = {"emulate": {"run_s": 1}, "time_limit_s": 100, "reservation": "course"}
    with pytest.raises(ApiError, match="'course' is not for nobody-here"):
        daemon.client.submit([{**spec, "user": "nobody-here"}])
    site = SlurmSite(daemon)
    assert f"Groups={group} " in site.out("scontrol", "show", "reservation", "course")
    site.out("scontrol", "update", "ReservationName=course", "Groups=no-such-group")
    with pytest.raises(ApiError, match=f"'course' is not for {USER}"):
        daemon.emulate(1, time_limit_s=100, reservation="course")


def test_a_job_is_restarted_inside_by_who_may_submit_it_alone(daemon: Daemon) -> None:
    """Who may run inside was asked at the submit alone: whoever had left the group went on with
    restarts, and no job of a member was restarted in a later reservation."""
    group = grp.getgrgid(os.getgid()).gr_name

    def reserve(*whose: str) -> None:
        words = ("--start", "now", "--duration", "1h", "--nodes", "e1", *whose)
        assert daemon.run("rnode", "reserve", "course", *words).returncode == 0

    reserve("--groups", group)
    job_id = daemon.emulate(1, time_limit_s=100, reservation="course")
    daemon.wait(job_id)
    assert daemon.run("rnode", "unreserve", "course").returncode == 0
    with pytest.raises(ApiError, match="there is no reservation 'course'"):
        daemon.client.change(job_id, "restart")
    reserve("--users", "somebody-else")
    with pytest.raises(ApiError, match=f"'course' is not for {USER}"):
        daemon.client.change(job_id, "restart")
    assert daemon.run("rnode", "unreserve", "course").returncode == 0
    reserve("--groups", group)
    daemon.client.change(job_id, "restart")
    assert daemon.wait(job_id)["attempt"] == 2


@pytest.mark.long  # awaits the begin and the end of two reservations, and a restart
def test_jobs_run_inside_their_reservation_alone_over_a_crash(daemon: Daemon) -> None:
    """The daemon is killed before the reservation begins, and again while a job runs inside."""
    made(daemon, start_in_s=200, duration_s=5000)
    inside = daemon.emulate(300, time_limit_s=1000, reservation="course")
    late = daemon.emulate(1, time_limit_s=4950, reservation="course")
    assert reason(daemon, inside) == "Reservation"
    before = daemon.client.reservations()
    daemon.kill()
    daemon.start()
    assert [one["start_us"] for one in daemon.client.reservations()] == [before[0]["start_us"]]
    daemon.wait_for(inside, "RUNNING")
    assert daemon.client.job(inside)["nodelist"] == "e1"
    assert daemon.client.reservations()[0]["life"] == "active"
    daemon.kill()
    daemon.start()
    job = daemon.wait(inside)
    assert job["state"] == "COMPLETED"
    assert job["start_us"] >= before[0]["start_us"]
    wait_until(lambda: daemon.client.reservations() == [])
    found = daemon.client.job(late)
    assert found["reason"] == "ReservationDeleted" or found["state"] == "COMPLETED"
    wait_until(lambda: "reservation-over" in daemon.log.read_text())


@pytest.mark.slow
def test_a_waiting_job_is_given_another_reservation(daemon: Daemon) -> None:
    made(daemon)
    made(daemon, "others", nodes="e2", users=["somebody-else"])
    job = daemon.emulate(1, time_limit_s=100, reservation="course")
    with pytest.raises(ApiError, match="'others' is not for"):
        daemon.client.update(job, {"reservation": "others"})
    done = daemon.run("rjob", "update", str(job), "--reservation", "none")
    assert done.returncode == 0, done.stderr
    found = daemon.wait(job)
    assert (found["state"], found["reservation"]) == ("COMPLETED", "")
    assert [one["field"] for one in found["changes"]] == ["reservation"]
    site = SlurmSite(daemon)
    late = daemon.emulate(1, time_limit_s=1000, conditions={"begin_in_s": 10_000})
    site.out("scontrol", "update", f"JobId={late}", "ReservationName=course")
    assert daemon.client.job(late)["reservation"] == "course"


def test_submits_to_a_reservation_are_checked(daemon: Daemon) -> None:
    made(daemon, users=["somebody-else"])
    made(daemon, "mine", nodes="e2")
    for asked, status, message in (
        ({"reservation": "none"}, 400, "there is no reservation 'none'"),
        ({"reservation": "course"}, 403, f"'course' is not for {USER}"),
        ({"reservation": "mine", "time_limit_s": 3601}, 422, "its limit is longer than the 3600 s"),
        (
            {"reservation": "mine", "time_limit_s": 10, "tasks": 5},
            422,
            "5 cpus asked for|asked for",
        ),
    ):
        with pytest.raises(ApiError, match=message) as error:
            daemon.emulate(1, **asked)  # type: ignore[arg-type]
        assert error.value.status == status


@pytest.mark.slow
def test_the_audit_trail_has_who_reserved(daemon: Daemon) -> None:
    asked = ("rnode", "reserve", "x", "--duration", "1h", "--nodes", "e1", "--flags", "maint")
    done = daemon.run(*asked)
    assert done.returncode == 0, done.stderr
    audit = json.loads(daemon.rmsd("audit", "--json").stdout)
    assert [one["action"] for one in audit["entries"]][-1:] == ["reserve"]


# ---------------------------------------------------------------- the commands


@pytest.mark.slow
def test_rnode_makes_lists_and_deletes(daemon: Daemon) -> None:
    words = ("--start", "now+1hour", "--duration", "2h", "--cores", "4", "--users", f"{USER},bob")
    done = daemon.run("rnode", "reserve", "course", *words)
    assert done.stdout.startswith("Reserved e1 from "), done.stderr
    table = daemon.run("rnode", "reservations").stdout.splitlines()
    assert table[0].split() == [
        *("RESERVATION", "STATE", "START", "END", "REPEAT", "CPUS", "FOR", "NODELIST"),
    ]
    assert table[1].split()[:2] == ["course", "future"]
    listed = json.loads(daemon.run("rnode", "reservations", "--json").stdout)
    assert [one["name"] for one in listed["reservations"]] == ["course"]
    for wrong, message in (
        (("reserve",), "which reservation?"),
        (("reserve", "x", "--start", "soon"), "--start: 'soon'"),
        (("reserve", "x", "--duration", "long"), "--duration: 'long' is not a time"),
        (("reserve", "x", "--cores", "many"), "--cores: 'many'"),
        (("reserve", "x", "--flags", "often"), "--flags: 'often' is not known"),
        (("reserve", "x", "--flags", "daily,weekly"), "either daily or weekly, not both"),
        (("reserve", "x", "--until", "now+3hours"), "--until: 'now+3hours' is no time of its own"),
        (("reserve", "x", "--nodes", "e1", "--flags", "maint"), "--duration or --end, one of"),
        (("reserve", "x", "--duration", "1h", "--flags", "maint"), "--nodes or --cores, one of"),
        (
            ("reserve", "x", "--duration", "1h", "--cores", "1"),
            "either --users, --groups or --accounts",
        ),
        (("reserve", "x", "--end", "now+3hours"), "--end: 'now+3hours' is no time of its own"),
        (("drain", "e1", "why", "--users", "ann"), "--users goes with reserve"),
    ):
        done = daemon.run("rnode", *wrong)
        assert done.returncode == 2
        assert message in done.stderr
    assert daemon.run("rnode", "unreserve", "course").returncode == 0
    done = daemon.run("rnode", "unreserve", "course")
    assert (done.returncode, done.stderr) == (1, "rnode: error: there is no reservation 'course'\n")


@pytest.mark.slow
def test_slurms_commands_know_reservations(daemon: Daemon) -> None:
    site = SlurmSite(daemon)
    assert site.out("sinfo", "-T") == "No reservations in the system\n"
    words = ("starttime=now+1hour", "duration=60", "nodes=e1", f"users={USER}")
    assert site.out("scontrol", "create", "reservation", *words) == (
        f"Reservation created: {USER}_1\n"
    )
    shown = site.out("scontrol", "-o", "show", "reservation", f"{USER}_1")
    assert "Nodes=e1 NodeCnt=1 CoreCnt=4" in shown
    assert f"Users={USER} " in shown
    assert "Duration=01:00:00" in shown
    site.out("scontrol", "update", f"ReservationName={USER}_1", "duration=120", "users=ann")
    assert "Users=ann " in site.out("scontrol", "-o", "show", "res")
    assert site.out("sinfo", "-h", "-T").split()[:2] == [f"{USER}_1", "INACTIVE"]
    refused = site.run("sbatch", f"--reservation={USER}_1", "-t", "1", "--wrap", "true")
    assert "Access denied to requested reservation" in refused.stderr
    site.out("scontrol", "update", f"ReservationName={USER}_1", f"users={USER}")
    script = site.write("j.sh", f"#!/bin/sh\n#SBATCH --reservation={USER}_1\n#SBATCH -t 1\ntrue\n")
    job = site.submit(script)
    assert site.out("squeue", "-h", "-o", "%i %r %v") == f"{job} Reservation {USER}_1\n"
    site.out("scontrol", "delete", f"ReservationName={USER}_1")
    assert site.out("squeue", "-h", "-o", "%R") == "(ReservationDeleted)\n"
    repair = ("nodes=ALL", "starttime=now+1hour", "duration=60", "users=root", "flags=maint")
    site.out("scontrol", "create", "reservation", "reservationname=repair", *repair)
    long = site.submit("-t", "300", "--wrap", "true")
    assert site.out("squeue", "-h", "-j", long, "-o", "%R") == (
        "(ReqNodeNotAvail, Reserved for maintenance)\n"
    )
    again = site.run("scontrol", "create", "reservation", "reservationname=repair", *repair)
    assert again.stderr == "Error creating the reservation: Duplicate reservation name\n"
    gone = site.run("scontrol", "delete", "reservation", "none")
    why = "Requested reservation is invalid"
    assert gone.stderr == f"delete_reservation ReservationName=none: {why}\n"
    site.out("scancel", job, long)
    assert site.out("sinfo", "-h", "-o", "%t") == "idle\n"
    site.out("scontrol", "update", "ReservationName=repair", "starttime=now")
    wait_until(lambda: site.out("sinfo", "-h", "-o", "%t %T") == "maint maint\n")
    assert "State=IDLE+MAINTENANCE " in site.out("scontrol", "-o", "show", "node", "e1")
    shown = daemon.run("rnode", "show", "e1").stdout
    assert "Reserved:   repair (maintenance)" in shown
    assert site.out("sacct", "-X", "-n", "-P", "-j", job, "-o", "Reservation") == f"{USER}_1\n"
