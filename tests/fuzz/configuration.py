"""The daemon's configuration file."""

from __future__ import annotations

from contextlib import suppress

from rmsd_daemon.setup.loading import ConfigError, load
from tests.fuzz.harness import Harness, scratch


def configuration(content: bytes) -> None:
    """Expect a usable configuration or a ConfigError."""
    path = scratch() / "rmsd.toml"
    path.write_bytes(content)
    with suppress(ConfigError):
        config = load({}, str(path), {"HOME": str(scratch())})
        assert 0.001 <= config.rate <= 1e6
        assert config.max_jobs_per_user >= 1
        assert config.kill_grace_s > 0


HARNESS = Harness(
    what="the configuration of the daemon",
    check=configuration,
    readers=(
        "rmsd_daemon.setup.loading",
        "rmsd_daemon.setup.values",
        "rmsd_daemon.setup.partitions",
    ),
    seeds=(
        b'listen = "127.0.0.1:7607"\nrate = 2.5\nrecipe = "timed-easy++,trial=60"\n',
        b'kill_grace = "5s"\noverrun = "0"\ndefault_time = "UNLIMITED"\nmax_script_size = "1M"\n',
        b'max_request_rate = 10\nmax_processes = "UNLIMITED"\noperators = ["ann", "@wheel"]\n',
        b'emulate = "2x4"\ncapacity = "counted"\nlocal_node = false\nlog_level = "debug"\n',
        b"rate = " + b"[" * 2000,
        b"max_jobs_per_user = 0x" + b"9" * 5000,
        b"max_connections = " + b"9" * 4000,
        b"rate = 1e400\nmax_request_rate = nan\n",
    ),
)
