"""`rmsd backup`, `restore`, `verify` and `tls new` without STATE_DIR: the directory of the daemon
that the other commands find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_cli.errors import CommandError
from rmsd_cli.main import run
from rmsd_client.connection import server as server_module
from rmsd_client.connection import site_file
from rmsd_process import logs
from tests.live import Daemon


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for a machine whose caller has no settings, nor has the site any. `rmsd
    restore` leaves the log of this process as it is."""
    monkeypatch.setattr(logs, "configure", lambda _: None)
    for name in ("RMSD_STATE_DIR", "RMSD_SERVER", "RMSD_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", ())
    monkeypatch.setattr(site_file, "PATH", str(tmp_path / "client.toml"))
    return tmp_path


def refusal(*command: str | Path) -> str:
    """Return why a command fails."""
    with pytest.raises(CommandError) as refused:
        run([str(word) for word in command])
    return str(refused.value)


def configure(machine: Path, state_dir: Path) -> None:
    (machine / "config/rmsd").mkdir(parents=True)
    (machine / "config/rmsd/rmsd.toml").write_text(f'state_dir = "{state_dir}"\n')


@pytest.mark.slow
@pytest.mark.live
def test_the_daemon_that_the_site_has_is_backed_up_and_restored(
    start_daemon: Callable[..., Daemon],
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Root on a head node: the daemon is that of a unit, with a directory of its own. A backup was
    sought in root's home, and restored there."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", (f"{daemon.state}/rmsd.sock",))
    file = machine / "copy.db"
    assert run(["backup", str(file)]) == 0
    assert capsys.readouterr().out.endswith(f"; from {daemon.state}\n")
    assert run(["verify"]) == 0
    assert capsys.readouterr().out.startswith(f"{daemon.state}: all as stored")
    assert f"a daemon runs on {daemon.state}" in refusal("restore", file)
    assert run(["tls", "new"]) == 0
    assert (daemon.state / "tls/cert.pem").exists()
    daemon.stop()
    configure(machine, daemon.state)
    assert run(["restore", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("the next start")
    assert list(daemon.state.glob("rmsd.db.replaced-*"))
    assert not (machine / "home").exists()


@pytest.mark.slow
@pytest.mark.live
def test_a_directory_that_nothing_names_is_not_made_by_a_restore(
    start_daemon: Callable[..., Daemon],
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    file, own = machine / "copy.db", machine / "home/rmsd"
    assert run(["backup", str(file), str(daemon.state)]) == 0
    daemon.stop()
    assert refusal("restore", file) == (
        f"no daemon has left a database in {own}; name the state directory"
    )
    assert run(["restore", str(file), str(own)]) == 0
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", ("", f"{daemon.state}/rmsd.sock"))
    for command in (["restore", file], ["backup", file], ["verify"], ["tls", "new"]):
        assert f"{own} and {daemon.state} have a database" in refusal(*command)


def test_a_daemon_elsewhere_has_no_files_here(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = machine / "copy.db"
    monkeypatch.setenv("RMSD_SERVER", "https://head:7632")
    assert "RMSD_SERVER names https://head:7632, and this command" in refusal("backup", file)
    monkeypatch.delenv("RMSD_SERVER")
    (machine / "client.toml").write_text('server = "https://head:7632"\n')
    assert f"{machine}/home/rmsd/rmsd.db: No such file" in refusal("backup", file)
    configure(machine, machine / "elsewhere")
    assert f"{machine}/elsewhere/rmsd.db: No such file" in refusal("backup", file)


def test_the_folder_of_a_public_socket_is_no_state_directory(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon is stopped, and RMSD_SERVER names the socket that it had for every account. A
    backup was restored into the folder of that socket, and the daemon went on without it."""
    file, folder = machine / "copy.db", machine / "run"
    folder.mkdir()
    monkeypatch.setenv("RMSD_SERVER", f"unix:{folder}/rmsd.sock")
    for command in (["restore", file], ["backup", file], ["verify"], ["tls", "new"]):
        assert refusal(*command) == (
            f"no daemon answers at unix:{folder}/rmsd.sock, which RMSD_SERVER names, and {folder} "
            "has no database: name the state directory"
        )
    assert not list(folder.iterdir())
    (folder / "rmsd.db").touch()
    assert f"{file}: No such file" in refusal("restore", file)
