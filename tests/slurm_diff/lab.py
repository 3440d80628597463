"""A real Slurm on the loopback interface: munge, MariaDB, slurmdbd, slurmctld and one slurmd for
each node, all in one folder."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.slurm_diff.site import Site
from tests.waiting import wait_until

NODES = 4
PROGRAMS = ("munged", "mariadbd", "mariadb-install-db", "slurmdbd", "slurmctld", "slurmd", "sbatch")
PACKAGES = "slurm-wlm slurmdbd slurm-wlm-mysql-plugin mariadb-server munge"

_DBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={root}/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
LogFile={root}/slurmdbd.log
PidFile={root}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={db}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounting
CommunicationParameters=NoInAddrAny
"""
_SLURM_CONF = """\
ClusterName=rmsd
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={root}/munge.sock
SlurmUser=root
SlurmdUser=root
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool-%n
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd-%n.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=0,bf_interval=2
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={root}/munge.sock
AccountingStoreFlags=job_comment
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
KillWait=5
PropagateResourceLimits=NONE
ReturnToService=2
NodeName=e[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=8 \
Sockets=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=16384 Feature=emulated State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED State=UP
PartitionName=short Nodes=e[1-2] MaxTime=1:00:00 State=UP
"""


def missing() -> list[str]:
    """Return the programs that this machine does not have."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def _free_ports(count: int) -> int:
    """Return the first of so many ports in a row that nothing listens to now."""
    for first in range(26000, 30000, 50):
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    one = held.enter_context(socket.socket())
                    one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise OSError(f"no {count} ports in a row are free")


class Lab:
    """The daemons of one Slurm; each is a child of this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.env = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("RMS", "SLURM", "SBATCH", "SQUEUE", "SACCT"))
        } | {"SLURM_CONF": str(root / "slurm.conf"), "TZ": "UTC"}  # fmt: skip
        self._daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start all daemons, and return once the nodes are idle."""
        port = _free_ports(10 + NODES)
        self._configure(port)
        self._start_munge()
        self._start_database(port)
        self._daemon("slurmdbd", "-D")
        wait_until(lambda: self._does("sacctmgr", "-n", "list", "cluster"), "slurmdbd answers")
        subprocess.run(["sacctmgr", "-i", "-Q", "add", "cluster", "rmsd"], env=self.env, check=True)
        self._daemon("slurmctld", "-D")
        for number in range(1, NODES + 1):
            (self.root / f"spool-e{number}").mkdir()
            self._daemon("slurmd", "-D", "-N", f"e{number}")
        wait_until(lambda: self._output("sinfo", "-h", "-o", "%t %D") == f"idle {NODES}")

    def _configure(self, port: int) -> None:
        (self.root / "state").mkdir()
        values = {
            "root": self.root, "host": socket.gethostname().split(".")[0], "nodes": NODES,
            "db": port, "dbd": port + 1, "ctld": port + 2,
            "first": port + 10, "last": port + 9 + NODES,
        }  # fmt: skip
        (self.root / "slurm.conf").write_text(_SLURM_CONF.format(**values))
        secret = self.root / "slurmdbd.conf"
        secret.touch(0o600)
        secret.write_text(_DBD_CONF.format(**values))

    def _start_munge(self) -> None:
        key = self.root / "munge.key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        places = {"key-file": key, "socket": self.root / "munge.sock"}
        places |= {"pid-file": self.root / "munge.pid", "seed-file": self.root / "munge.seed"}
        places |= {"log-file": self.root / "munge.log"}
        self._daemon(
            "munged", "--foreground", "--force", *(f"--{name}={at}" for name, at in places.items())
        )
        wait_until((self.root / "munge.sock").exists, "munged listens")

    def _start_database(self, port: int) -> None:
        data, where = self.root / "db", self.root / "db.sock"
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={data}",
             "--auth-root-authentication-method=normal"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._daemon(
            *("mariadbd", "--no-defaults", "--user=root", f"--datadir={data}"),
            *("--bind-address=127.0.0.1", f"--port={port}", f"--socket={where}"),
            *(f"--pid-file={self.root}/db.pid", "--innodb-flush-log-at-trx-commit=2"),
            *("--innodb-buffer-pool-size=128M", "--innodb-lock-wait-timeout=900"),
        )
        client = ("mariadb", "--no-defaults", "-uroot", "-S", str(where), "-e")
        wait_until(lambda: self._does(*client, "select 1"), "MariaDB answers")
        grants = "create database accounting;" + "".join(
            f"create user slurm@'{host}' identified by 'slurm';"
            f"grant all on accounting.* to slurm@'{host}';"
            for host in ("localhost", "127.0.0.1")
        )
        subprocess.run([*client, grants], check=True)

    def _daemon(self, *words: str) -> None:
        with (self.root / "out.log").open("ab") as log:
            self._daemons.append(
                subprocess.Popen(
                    words, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True,
                )
            )  # fmt: skip

    def _does(self, *words: str) -> bool:
        done = subprocess.run(words, env=self.env, capture_output=True, check=False)
        return done.returncode == 0

    def _output(self, *words: str) -> str:
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def stop(self) -> None:
        """End the daemons, the last one first, and what jobs have left."""
        for daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


@contextlib.contextmanager
def running() -> Iterator[Site]:
    """Run a real Slurm as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="slurm-diff-", dir="/tmp") as folder:
        root = Path(folder)
        work = root / "work"
        work.mkdir()
        lab = Lab(root)
        try:
            lab.start()
            yield Site(lab.env, work)
        finally:
            lab.stop()
