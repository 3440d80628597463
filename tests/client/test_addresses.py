"""The client finds its daemon: addresses, site files, token files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rmsd_client.connection import server as server_module
from rmsd_client.connection import site_file
from rmsd_client.connection.server import find_ca_file, find_server, parse_address, read_token
from rmsd_client.errors import UsageError


def test_the_machines_own_daemon_is_found_last(
    short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, own = short_dir / "run" / "rmsd.sock", short_dir / "rmsd" / "rmsd.sock"
    unit, site = short_dir / "unit" / "rmsd.sock", short_dir / "client.toml"
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", (str(system), str(unit)))
    monkeypatch.setattr(site_file, "PATH", str(site))
    monkeypatch.setenv("XDG_STATE_HOME", str(short_dir))
    assert find_server().path == str(own)
    for path in (own, system, unit):
        path.parent.mkdir()
    assert find_server().path == str(system), "while it is away"
    (own.parent / "rmsd.db").touch()
    assert find_server().path == str(own), "while it is away"
    site.write_text('server = "https://head:7632"\nca_file = "/etc/rmsd/ca.pem"\n')
    assert str(find_server()) == "https://head:7632"
    unit.touch()
    assert find_server().path == str(unit)
    system.touch()
    assert find_server().path == str(system)
    own.touch()
    assert find_server().path == str(own)


def test_a_file_of_the_site_that_others_can_change_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another account could send all users to a daemon of its own."""
    site = tmp_path / "client.toml"
    monkeypatch.setattr(site_file, "PATH", str(site))
    site.write_text('server = "https://head:7632"\n')
    site.chmod(0o644)
    assert site_file.read() == {"server": "https://head:7632"}
    site.chmod(0o666)
    with pytest.raises(UsageError, match=r"client\.toml can be changed by other accounts"):
        site_file.read()


def test_the_authority_of_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, authority = tmp_path / "client.toml", tmp_path / "ca.pem"
    monkeypatch.setattr(site_file, "PATH", str(site))
    assert find_ca_file() is None
    site.write_text(f'ca_file = "{authority}"\n')
    with pytest.raises(UsageError, match=rf"{site}: {authority}: there is no such file"):
        find_ca_file()
    authority.touch()
    assert find_ca_file() == str(authority)
    monkeypatch.setenv("RMSD_CA_FILE", str(site))
    assert find_ca_file() == str(site)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('servre = "x"', "unknown key 'servre'; there are server, ca_file"),
        ("server = 1", "server: 1 is not a text"),
        ("server", "Expected '='"),
        ('server = "head"', "'head' is not a server"),
        pytest.param("server = " + "[" * 2000, "recursion", id="brackets"),
        pytest.param("server = " + "9" * 5000, "digits", id="digits"),
    ],
)
def test_a_site_file_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", ())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(site_file, "PATH", str(tmp_path / "client.toml"))
    (tmp_path / "client.toml").write_text(text)
    with pytest.raises(UsageError, match=message) as failed:
        find_server()
    assert str(tmp_path / "client.toml") in str(failed.value)


def test_where_the_daemon_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "SYSTEM_SOCKETS", ())
    monkeypatch.setenv("HOME", "/home/anna")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert find_server().path == "/home/anna/.local/state/rmsd/rmsd.sock"
    monkeypatch.setenv("XDG_STATE_HOME", "/var/x")
    assert find_server().path == "/var/x/rmsd/rmsd.sock"
    monkeypatch.setenv("RMSD_STATE_DIR", "/srv/rms")
    assert find_server().path == "/srv/rms/rmsd.sock"
    monkeypatch.setenv("RMSD_SERVER", "https://head:7000")
    assert (find_server().host, find_server().port) == ("head", 7000)
    assert find_server("unix:/run/s").path == "/run/s"


def test_an_ipv6_address() -> None:
    address = parse_address("https://[::1]:80/", "--server")
    assert (address.host, address.port, address.netloc) == ("::1", 80, "[::1]:80")


@pytest.mark.parametrize(
    "url",
    [
        "head:7000",
        "https://head",
        "https://head:0",
        "https://:5",
        "",
        "unix",
        "unix:x",
    ],
)
def test_what_is_no_server(url: str) -> None:
    with pytest.raises(UsageError, match=r"--server: .* is not a server"):
        parse_address(url, "--server")


def test_a_socket_path_has_a_limit() -> None:
    with pytest.raises(UsageError, match="107 bytes"):
        parse_address("unix:/" + "x" * 107, "--server")


def test_tokens_that_cannot_be_read(tmp_path: Path) -> None:
    assert read_token() is None
    with pytest.raises(UsageError, match="No such file"):
        read_token(str(tmp_path / "none"))
    (tmp_path / "t").touch(mode=0o600)
    for content in (b"", b"\nx\n", b"two words\n", b"\xff\n"):
        (tmp_path / "t").write_bytes(content)
        with pytest.raises(UsageError, match="token"):
            read_token(str(tmp_path / "t"))
