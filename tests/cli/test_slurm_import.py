"""`rmsd slurm import`: configurations of Slurm sites become ours, and the daemon takes them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from rmsd_cli.main import run
from rmsd_cli.slurm import devices, machines
from rmsd_cli.slurm.machines import hosts
from rmsd_daemon.setup.loading import load
from tests.live import Daemon

SITES = Path(__file__).parent / "slurm_sites"
FILES = sorted(SITES.rglob("*.conf"))
CENTRE = SITES / "centre/slurm.conf"
USABLE = [SITES / "small.conf", SITES / "cloud.conf", CENTRE]


def imported(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str, str]:
    """Return the configuration, its text and what is said beside it."""
    assert run(["slurm", "import", str(path)]) == 0
    said = capsys.readouterr()
    return tomllib.loads(said.out), said.out, said.err


def test_the_configurators_file(capsys: pytest.CaptureFixture[str]) -> None:
    table, text, said = imported(SITES / "small.conf", capsys)
    assert table == {
        "kill_grace": "30s",
        "recipe": "easy",
        "limit_memory": False,
        "local_node": False,
        "partitions": {"debug": {"nodes": "ALL", "default": True, "state": "up"}},
    }
    assert "# linux[1-32]: rmsd-agent --cores 8\n" in text
    [line] = said.splitlines()
    assert line.startswith("rmsd slurm import: left out: of Slurm's own programs and services, or ")
    assert "SlurmdSpoolDir" in line


def test_a_centre_with_included_files_defaults_and_sets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, text, said = imported(CENTRE, capsys)
    partitions = table.pop("partitions")
    assert table == {
        "kill_grace": "1m",
        "recipe": "fair-share,age=1000,size=0,share=100000,half-life=1209600",
        "node_dead": "10m",
        "overrun": "5m",
        "default_mem": "2000M",
        "local_node": False,
        "propagate_limits": "AS,CORE,CPU,DATA,FSIZE,NPROC,RSS,STACK",
    }
    usual = {"state": "up", "max_time": "2d", "default_time": "1h"}
    racks = "r1n[01-04],r2n[01-04]"
    assert partitions == {
        "batch": {**usual, "nodes": racks, "default": True, "tier": 10},
        "debug": {
            **usual,
            "nodes": "r1n01",
            "max_time": "30m",
            "default_time": "10m",
            "max_nodes": 1,
            "tier": 100,
        },
        "big": {
            "nodes": "fat[1,3]",
            "state": "up",
            "default_time": "1h",
            "users": ["@physics", "@chemistry"],
        },
        "all-rome": {**usual, "nodes": f"{racks},fat[1,3],gpu01", "max_time": "7d"},
        "gpu": {**usual, "nodes": "gpu[01-02]", "state": "drain"},
        "root.only": {"nodes": "ALL", "state": "up", "max_time": "2d", "users": ["root"]},
    }
    assert (
        "# r1n[01-04],r2n[01-04]: rmsd-agent --cores 64 --mem 256000M --features rome,ib\n" in text
    )
    assert "# fat[1,3]: rmsd-agent --cores 64 --mem 2040000M --features rome\n" in text
    assert (
        "# gpu[01-02]: rmsd-agent --cores 48 --mem 515000M --gres 'gpu:a100=/dev/nvidia[0-3]' "
        "--features gpu\n" in text
    )
    for part in (
        "AccountingStorageEnforce=associations,limits,qos: accounts and QOS of",
        "slurm.conf:10: SchedulerParameters=bf_max_job_test=1000,bf_window=10080,bf_continue: ",
        "centre.partitions:5: AllowAccounts=staff: a partition does not check accounts: ALL",
        "centre.partitions:5: MinNodes=2: a job may have fewer nodes",
        "centre.partitions:6: OverSubscribe=EXCLUSIVE: a job has whole nodes only if it says",
        "centre.partitions:7: root.only: DefaultTime is longer than MaxTime",
        "centre.partitions:8: PartitionName=empty: the partition has no nodes",
        "nodes.conf:10: DownNodes=r2n04: say `rnode drain",
        "slurm.conf:21: PriorityWeightQOS=10000: QOS are in Slurm's database: give the [qos.NAME] "
        "of the highest Priority there priority = 10000, and the others in proportion",
    ):
        assert part in said, part


@pytest.mark.parametrize(
    ("gres", "files", "option", "every"),
    [
        ("gpu:4(S:0-1),fpga", "", "gpu:4,fpga", True),
        ("gpu:a100:2,gpu:v100:2", "AutoDetect=nvml\n", "gpu:a100:2,gpu:v100:2", True),
        ("gpu:2", "NodeName=n[1-2] Name=gpu File=/dev/nvidia[0-1]\n", "gpu=/dev/nvidia[0-1]", True),
        ("gpu:2", "NodeName=n9 Name=gpu File=/dev/nvidia[0-1]\n", "gpu:2", True),
        ("gpu:2,lustre:no_consume:4G", "", "gpu:2", False),
        ("lustre:4G", "", "", False),
    ],
)
def test_devices_become_options_of_agents(
    gres: str,
    files: str,
    option: str,
    every: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(f"GresTypes=gpu\nNodeName=n1 CPUs=2 Gres={gres}\n")
    if files:
        (tmp_path / "gres.conf").write_text(files)
    _, text, said = imported(path, capsys)
    options = f" --gres '{option}'" if option else ""
    assert f"# n1: rmsd-agent --cores 2{options}\n" in text
    assert ("Gres=" not in said) is every
    assert "GresTypes" not in said


@pytest.mark.parametrize(
    ("weights", "recipe", "points", "told"),
    [
        # a day's waiting has 1000/7 points of Slurm, 1428.57 here: ten for one
        ("Age=1000 Fairshare=100000 Partition=2000", "age=1429,size=0,share=1000000",
         {"a": 10_000, "b": 20_000}, "one of them is 10 here, also of --nice"),
        ("Fairshare=100 Partition=2000", "age=0,size=0,share=100", {"a": 1000, "b": 2000}, ""),
        ("Partition=2000", "age=0,size=0,share=0", {"a": 1000, "b": 2000}, ""),
        ("Fairshare=100 Partition=4000000000", "age=0,size=0,share=25",
         {"a": 500_000_000, "b": 1_000_000_000}, "one of them is 0.25 here"),
        ("Age=7 QOS=300", "age=1,size=0,share=0", {}, "highest Priority there priority = 300,"),
    ],
)  # fmt: skip
def test_points_of_partitions_and_qos_keep_their_proportion(
    weights: str,
    recipe: str,
    points: dict[str, int],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was printed led to points of partitions on another scale than the recipe's."""
    path = tmp_path / "slurm.conf"
    lines = [f"PriorityWeight{weight}" for weight in weights.split()]
    lines += ["PriorityType=priority/multifactor", "NodeName=n1 CPUs=2"]
    lines += ["PartitionName=a Nodes=n1 PriorityJobFactor=5", "PartitionName=zero Nodes=n1 "
              "PriorityJobFactor=0", "PartitionName=b Nodes=n1 PriorityJobFactor=10"]  # fmt: skip
    path.write_text("\n".join(lines))
    table, _, said = imported(path, capsys)
    assert table["recipe"] == f"fair-share,{recipe}"
    parts = table["partitions"].items()
    assert {name: part["priority"] for name, part in parts if "priority" in part} == points
    assert told in said
    assert ("scale of points" in said) is ("one of them" in told)
    assert "PriorityJobFactor" not in said


def test_a_cloud(capsys: pytest.CaptureFixture[str]) -> None:
    table, _, said = imported(SITES / "cloud.conf", capsys)
    # the points of a day's waiting are 1000/7, those of a processor 500/160
    assert table["recipe"] == "fair-share,age=1000000,size=21875,share=0"
    assert "limit_memory" not in table
    assert "max_time" not in table["partitions"]["compute"]
    spot = table["partitions"]["spot"]
    assert spot["max_time"] == "1h"
    assert (spot["preempt"], spot["preempt_grace"], spot["preempt_exempt"]) == (
        "requeue",
        "2m",
        "10m",
    )
    assert "preempt" not in table["partitions"]["compute"]
    for part in (
        "OverTimeLimit=UNLIMITED: ",
        "SlurmdTimeout=0: ",
        "State=CLOUD: no program starts nodes",
        "PreemptMode=SUSPEND,GANG: preempted jobs are requeued or cancelled; none is suspended",
        "SuspendProgram, ResumeProgram",
    ):
        assert part in said, part


def test_preemption_by_qos_is_told_to_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(
        "PreemptType=preempt/qos PreemptMode=REQUEUE\nNodeName=n1\n"
        "PartitionName=a Nodes=n1 PreemptMode=CANCEL\n"
    )
    table, _, said = imported(path, capsys)
    assert "preempt" not in table["partitions"]["a"]
    assert "PreemptType=preempt/qos: QOS are in Slurm's database; write [qos.NAME]" in said
    assert "PreemptMode=CANCEL: nothing is preempted" in said


def test_what_the_daemon_would_refuse_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slurm takes the last partition with Default=YES. A set may have no nodes."""
    path = tmp_path / "slurm.conf"
    path.write_text(
        "NodeName=n[1-2]\nNodeSet=none Feature=x\n"
        "PartitionName=p1 Nodes=n1 Default=YES\nPartitionName=p2 Nodes=ALL Default=YES\n"
        "PartitionName=p3 Nodes=n1 Default=NO\nPartitionName=p4 Nodes=none\n"
        'PartitionName="p 5" Nodes=n1 Default=YES\n'
    )
    table, _, said = imported(path, capsys)
    assert table["partitions"] == {
        "p1": {"nodes": "n1"},
        "p2": {"nodes": "ALL", "default": True},
        "p3": {"nodes": "n1"},
    }
    assert said.splitlines() == [
        "rmsd slurm import: left out: slurm.conf:4: p1 is not the default: p2 says Default=YES "
        "after it",
        "rmsd slurm import: left out: slurm.conf:6: PartitionName=p4: the partition has no nodes",
        "rmsd slurm import: left out: slurm.conf:7: PartitionName=p 5: the name of a partition has "
        "letters, digits and _ . + - alone; rename it",
    ]


@pytest.mark.parametrize(
    ("lines", "is_node"),
    [
        ("SlurmctldHost=head.site(10.0.0.1)\nNodeName=n[1-2]\n", False),
        ("SlurmctldHost=n2(10.0.0.1)\nNodeName=n[1-2]\n", True),
        ("ControlMachine=head\nNodeName=n[1-2] NodeHostname=host,head\n", True),
        ("NodeName=n[1-2]\n", True),  # the file does not tell
    ],
)
def test_a_head_that_is_no_node_of_slurm_is_none_here(
    lines: str, is_node: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(lines)
    assert imported(path, capsys)[0].get("local_node", True) is is_node


def test_a_file_that_was_edited_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, made = tmp_path / "slurm.conf", tmp_path / "rmsd.toml"
    path.write_text("NodeName=n1\n")
    made.write_text("# edited\n")
    assert run(["slurm", "import", str(path), "-o", str(made)]) == 1
    assert f"{made} is there already; --force replaces it" in capsys.readouterr().err
    assert made.read_text() == "# edited\n"
    assert run(["slurm", "import", str(path), "-o", str(made), "--force"]) == 0
    assert "rmsd-agent" in made.read_text()


def test_no_link_leads_what_is_written_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert run(["slurm", "import", str(SITES / "small.conf"), "-o", str(tmp_path / "link")]) == 1
    assert "link is there already" in capsys.readouterr().err
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "text",
    [
        "NodeName=n[1-60]\nNodeName=m[1-60]\n",
        "NodeName=n1\nPartitionName=p Nodes=n[1-60],m[1-60]\n",
    ],
)
def test_a_file_has_so_many_nodes_in_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """A few lines could fill the memory, each with as many nodes as one may have."""
    monkeypatch.setattr(machines, "MOST_NODES", 100)
    (tmp_path / "slurm.conf").write_text(text)
    assert run(["slurm", "import", str(tmp_path / "slurm.conf")]) == 1
    assert "slurm.conf:2: more than 100 nodes" in capsys.readouterr().err


def test_a_gres_conf_has_so_many_nodes_in_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "MOST_NODES", 100)
    (tmp_path / "slurm.conf").write_text("NodeName=n1\n")
    line = "NodeName=n[1-60] Name=gpu File=/dev/nvidia0\n"
    (tmp_path / "gres.conf").write_text(2 * line)
    assert run(["slurm", "import", str(tmp_path / "slurm.conf")]) == 1
    assert "gres.conf:2: more than 100 nodes" in capsys.readouterr().err


def test_parts_of_a_host_list() -> None:
    assert hosts(",a,b[1-2],,c[1]x[1-2],", "") == ["a", "b1", "b2", "c1x1", "c1x2"]


def test_words_in_any_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (SITES / "teaching.conf").read_text()
    path = tmp_path / "slurm.conf"
    path.write_text(text.replace("[a,b]", "[1,2]"))
    table, _, said = imported(path, capsys)
    assert table == {
        "kill_grace": "5s",
        "recipe": "fcfs",
        "limit_memory": False,
        "propagate_limits": "CORE,NOFILE",
    }
    assert "selecttype=select/linear: a job has whole nodes only if it says --exclusive" in said


def test_files_that_are_included_again_and_again_are_given_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 12 files each includes the next one twice, and the last one was read 4,096 times."""
    for at in range(12):
        (tmp_path / f"{at}.conf").write_text(f"Include {at + 1}.conf\n" * 2)
    (tmp_path / "12.conf").write_text("ClusterName=a\n")
    assert run(["slurm", "import", str(tmp_path / "0.conf")]) == 1
    assert "more than 1000 files are included" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("NodeName=n[a-b]\n", "slurm.conf:1: 'n[a-b]': 'a-b' is not a number or a range"),
        ("\nstray word\n", "slurm.conf:2: 'stray word' is not NAME=VALUE"),
        ("\nInclude other.conf\n", "slurm.conf:2: {folder}/other.conf: No such file or directory"),
        ("Include slurm.conf\n", "more than 16 files include each other"),
        ("NodeName=n1 CPUs=many\n", "slurm.conf:1: CPUs=many: not a whole number"),
        ("NodeName=n[1-9999999]\n", "slurm.conf:1: 'n[1-9999999]': '1-9999999' is not a usable"),
        ("NodeName=a[1-2000]b[1-2000]\n", "more than 1000000 hosts"),
        ("NodeName=a[0-99999]b[0-99999]c[0-99999]\n", "more than 1000000 hosts"),
        ("NodeName=n[[\n", "slurm.conf:1: 'n[[': brackets do not match"),
        ("A" * 1_000_000 + "\n", "is not NAME=VALUE"),
    ],
)
def test_a_file_that_is_no_slurm_conf(
    text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(text)
    assert run(["slurm", "import", str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert complaint.format(folder=tmp_path) in said.err


@pytest.mark.parametrize("path", USABLE, ids=lambda path: str(path.relative_to(SITES)))
def test_the_daemon_reads_what_is_written(path: Path, tmp_path: Path) -> None:
    made = tmp_path / "rmsd.toml"
    assert run(["slurm", "import", str(path), "-o", str(made)]) == 0
    config = load({}, str(made), {})
    table = tomllib.loads(made.read_text())
    assert [one.name for one in config.partitions] == list(table["partitions"])


@pytest.mark.slow
@pytest.mark.live
def test_a_daemon_starts_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = imported(CENTRE, capsys)
    daemon = Daemon("--no-local-node", "--emulate", "1x2", config=text)
    try:
        daemon.start()
        found = {one["name"]: one for one in daemon.client.partitions()}
        assert list(found) == ["batch", "debug", "big", "all-rome", "gpu", "root.only"]
        assert [name for name, one in found.items() if one["is_default"]] == ["batch"]
        assert (found["debug"]["max_time_s"], found["debug"]["default_time_s"]) == (1800, 600)
        assert (found["gpu"]["state"], found["big"]["users"]) == (
            "drain",
            ["@physics", "@chemistry"],
        )
        assert daemon.client.status()["recipe"].startswith("fair-share,")
        daemon.stop()
    finally:
        daemon.close()


def test_licenses_become_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    conf = tmp_path / "slurm.conf"
    lines = "NodeName=n1 CPUs=8\nPartitionName=main Nodes=n1 Default=YES\n"
    conf.write_text(f"Licenses=matlab:4;ansys,fluent.hpc:30\n{lines}")
    table, text, said = imported(conf, capsys)
    assert table["licenses"] == {"matlab": 4, "ansys": 1, "fluent.hpc": 30}
    assert "Licenses" not in said
    ours = tmp_path / "rmsd.toml"
    ours.write_text(text)
    assert {one.name: one.total for one in load({}, str(ours)).licenses} == table["licenses"]
    conf.write_text(f"Licenses=matlab@server:4\n{lines}")
    table, _, said = imported(conf, capsys)
    assert "licenses" not in table
    assert "Licenses=matlab@server:4: 'matlab@server:4' is not understood" in " ".join(said.split())
