"""The configuration: where values come from, and what is said of unusable ones."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path

import pytest

from rmsd_daemon.setup import loading
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.loading import ConfigError, load

EMPTY: dict[str, str] = {"HOME": "/nowhere"}


def from_text(tmp_path: Path, text: str, **arguments: object) -> Config:
    path = tmp_path / "rmsd.toml"
    path.write_text(text)
    return load(arguments, str(path), EMPTY)


def test_every_key(tmp_path: Path) -> None:
    config = from_text(
        tmp_path,
        'state_dir = "/tmp/x"\nlisten = "127.0.0.1:7632"\ntls_cert = "/tmp/c"\n'
        'tls_key = "/tmp/k"\noperators = ["ann", "@wheel"]\nadmins = ["eve"]\n'
        'emulate = "4x2"\nlocal_node = false\nrate = 10\nrecipe = "easy"\n'
        'capacity = "counted"\nkill_grace = "5s"\noverrun = "30s"\ntrial_output = "keep"\n'
        'default_time = "1h"\nnode_dead = "2m"\n'
        'max_script_size = "1M"\nlog_level = "debug"\n'
        'max_processes = 100\nmax_output_size = "2G"\nallow_root_jobs = false\n'
        "as_users = true\nbind_processors = false\nconstrain_devices = false\n",
    )
    sized = from_text(tmp_path, 'cores = 6\nmem = "24G"\n')
    assert (sized.cores, sized.mem_mib) == (6, 24 << 10)
    assert from_text(tmp_path, "cores = 6\n", cores="4").cores == 4
    assert config == Config(
        state_dir=Path("/tmp/x"),
        listen="127.0.0.1:7632",
        tls_cert=Path("/tmp/c"),
        tls_key=Path("/tmp/k"),
        operators=("ann", "@wheel"),
        admins=("eve",),
        emulate="4x2",
        local_node=False,
        rate=10.0,
        recipe="easy",
        capacity="counted",
        kill_grace_s=5.0,
        overrun_s=30.0,
        trial_output="keep",
        default_time_limit_s=3600.0,
        node_dead_s=120.0,
        max_script_bytes=1 << 20,
        log_level="debug",
        max_processes=100,
        max_output_bytes=2 << 30,
        allow_root_jobs=False,
        as_users=True,
        bind_processors=False,
        constrain_devices=False,
    )


def test_limits_that_are_switched_off(tmp_path: Path) -> None:
    text = 'max_processes = "UNLIMITED"\nmax_output_size = "UNLIMITED"\ndefault_mem = "1G"\n'
    config = from_text(tmp_path, text)
    assert (config.max_processes, config.max_output_bytes) == (None, None)
    assert config.default_mem_mib == 1024


def test_the_example_names_every_key(tmp_path: Path) -> None:
    path = Path(__file__).parents[2] / "deploy/rmsd.toml"
    assert load({}, str(path), EMPTY).listen == "0.0.0.0:7632"
    keys = re.findall(r"^(?:# )?([a-z_]+) = ", path.read_text(), re.MULTILINE)
    with pytest.raises(ConfigError, match="there are") as failed:
        from_text(tmp_path, "colour = 1")
    assert sorted(keys) == sorted(str(failed.value).partition("there are ")[2].split(", "))


def test_the_command_line_wins(tmp_path: Path) -> None:
    config = from_text(tmp_path, 'recipe = "fcfs"\nrate = 5\n', recipe="easy", rate=None)
    assert (config.recipe, config.rate) == ("easy", 5.0)


def test_places_of_the_file_and_the_state(tmp_path: Path) -> None:
    (tmp_path / "rmsd").mkdir()
    (tmp_path / "rmsd/rmsd.toml").write_text('recipe = "fcfs"\n')
    (tmp_path / "other.toml").write_text('recipe = "easy"\n')
    home = {"HOME": "/h", "XDG_CONFIG_HOME": str(tmp_path)}
    assert load({}, None, home).recipe == "fcfs"
    assert load({}, None, home | {"RMSD_CONFIG": str(tmp_path / "other.toml")}).recipe == "easy"
    assert load({}, None, EMPTY).state_dir == Path("/nowhere/.local/state/rmsd")
    assert load({}, None, EMPTY | {"XDG_STATE_HOME": "/s"}).state_dir == Path("/s/rmsd")
    assert load({}, None, EMPTY | {"RMSD_STATE_DIR": "/r"}).state_dir == Path("/r")
    assert load({"state_dir": "/a"}, None, EMPTY | {"RMSD_STATE_DIR": "/r"}).state_dir == Path("/a")


@pytest.mark.parametrize(("uid", "first"), [(0, "fcfs"), (1000, "easy")])
def test_the_systems_file_hides_no_account_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int, first: str
) -> None:
    """A package puts a file without settings into /etc, and a user's own was read no more."""
    (tmp_path / "rmsd").mkdir()
    (tmp_path / "system.toml").write_text('recipe = "fcfs"\n')
    (tmp_path / "rmsd/rmsd.toml").write_text('recipe = "easy"\n')
    monkeypatch.setattr(loading, "SYSTEM", tmp_path / "system.toml")
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    found = loading.find_file(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert found is not None
    assert first in found.read_text()
    (tmp_path / "rmsd/rmsd.toml").unlink()
    assert loading.find_file(None, {"XDG_CONFIG_HOME": str(tmp_path)}) == loading.SYSTEM


@pytest.mark.parametrize("of", ["the file", "its directory"])
def test_a_file_that_others_can_change_is_refused(tmp_path: Path, of: str) -> None:
    folder, file = tmp_path / "etc", tmp_path / "etc" / "rmsd.toml"
    folder.mkdir(mode=0o755)
    file.write_text('recipe = "fcfs"\n')
    changed = file if of == "the file" else folder
    for mode in (0o775, 0o757):
        changed.chmod(mode)
        with pytest.raises(ConfigError, match=f"{changed} can be changed by others; `chmod go-w"):
            load({}, str(file), EMPTY)
    changed.chmod(0o755)
    assert load({}, str(file), EMPTY).recipe == "fcfs"


def test_a_file_in_a_sticky_directory_is_taken(tmp_path: Path) -> None:
    """Nobody can replace a file of ours in /tmp."""
    (tmp_path / "rmsd.toml").write_text('recipe = "fcfs"\n')
    tmp_path.chmod(0o1777)
    assert load({}, str(tmp_path / "rmsd.toml"), EMPTY).recipe == "fcfs"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_takes_no_file_of_another_account(tmp_path: Path) -> None:
    """`sudo` may leave HOME as it is, and the account could name itself an administrator."""
    (tmp_path / "rmsd").mkdir()
    file = tmp_path / "rmsd" / "rmsd.toml"
    file.write_text("admins = ['nobody']\n")
    os.chown(file, pwd.getpwnam("nobody").pw_uid, -1)
    with pytest.raises(ConfigError, match="belongs to another account"):
        load({}, None, {"HOME": "/h", "XDG_CONFIG_HOME": str(tmp_path)})


WRONG = [
    ('state_dir = "~no-such-account/x"\n', ":1: state_dir: '~no-such-account/x': Could not "),
    ('recipe = "easy"\n\ncolour = "red"\n', ":3: colour: unknown key; there are state_dir"),
    ("# a comment\n[server]\nport = 1\n", ":2: server: unknown key"),
    ('killgrace = "9s"\n', ":1: killgrace: unknown key; did you mean kill_grace?"),
    ('max_processes = "unlimited"\n', 'is not a whole number from 1, nor "UNLIMITED"'),
    (
        '[qos.a]\n[qos."b"]\naccounts = []\n\n  [ qos . c ]\naccounts = 3\n',
        ":6: qos: c.accounts: 3 is not a list",
    ),
    (
        "[partitions.a]\nnodes = 'n1'\n[partitions.b]\nnode = 'n1'\n",
        ":4: partitions: b.node: unknown key; did you mean nodes?",
    ),
    ("[partitions]\na = {preempt = 'suspend'}\n", ":1: partitions: a.preempt: 'suspend' is not"),
    ("[partitions]\na = {preempt_grace = 7}\n", ":1: partitions: a.preempt_grace: 7 has no unit"),
    ("[qos.a]\npreempt = 'suspend'\n", ":2: qos: a.preempt: 'suspend' is not"),
    ("[qos.a]\npreempts = ['b']\n", "qos: a.preempts: there is no QOS 'b'"),
    ("[qos.a]\npreempts = ['a']\n", "qos: the QOS a preempt each other in a circle"),
    (
        "[qos.a]\npreempts = ['b']\n[qos.b]\npreempts = ['normal', 'a']\n",
        "preempt each other in a circle",
    ),
    (
        "[qos.a]\npreempts = ['normal']\n[partitions.b]\npreempt = 'cancel'\n",
        "qos: QOS preempt others (preempts), and partitions have preempt as well",
    ),
    ("[partitions]\na = {tier = 0}\n", ":1: partitions: a.tier: 0 is not"),
    (
        "[accounts.a]\nmembers = ['x']\n[accounts.b]\nparent = 'c'\n",
        ":4: accounts: b.parent: there is no account 'c'",
    ),
    ("[qos.a]\nmax_time = '1h'\n[qos.b]\npreempts = ['c']\n", ":4: qos: b.preempts: there is no"),
    ("rate = 2\nrate = 3\n", ": the key is there twice (at line 2, "),
    ('rate = "fast"\n', ":1: rate: 'fast' is not a number"),
    ("rate = 0\n", ":1: rate: 0 is not a usable rate"),
    ("rate = true\n", ":1: rate: True is not a number"),
    ("cores = 0\n", ":1: cores: 0 is not a whole number from 1"),
    ("cores = 2\nlocal_node = false\n", "cores and mem are of this machine as a node"),
    ('local_node = "yes"\n', ":1: local_node: 'yes' is not true or false"),
    ('recipe = "esay"\n', ":1: recipe: no recipe 'esay' (did you mean easy?); there are: fcfs"),
    (
        'recipe = "easy,trial=x"\n',
        ":1: recipe: recipe 'easy,trial=x': trial=x: it is whole seconds",
    ),
    ('recipe = "perfect++"\n', ":1: recipe: recipe 'perfect++' runs in simulation alone: predict="),
    (
        'recipe = "selective"\n',
        "its threshold comes from a conservative run of the whole trace; give",
    ),
    ('capacity = "cores"\n', ":1: capacity: 'cores' is neither"),
    ("kill_grace = 10\n", ':1: kill_grace: 10 has no unit; say "10s"'),
    ('kill_grace = "10"\n', ':1: kill_grace: 10 has no unit; say "10s"'),
    ('default_mem = " 1 "\n', ':1: default_mem: 1 has no unit; say "1M"'),
    ('kill_grace = "UNLIMITED"\n', ":1: kill_grace: it cannot be unlimited"),
    ('node_dead = "soon"\n', ":1: node_dead: 'soon' is not a time"),
    ('max_script_size = "big"\n', ":1: max_script_size: 'big' is not a memory size"),
    ('emulate = "4x"\n', ":1: emulate: '4x' is not N or NxCORES"),
    ('listen = "7632"\n', ":1: listen: '7632' is not HOST:PORT"),
    ('log_level = "loud"\n', ":1: log_level: 'loud' is not one of debug"),
    ('tls_key = "/k"\n', "belong together"),
    ('operators = "ann"\n', "is not a list of names"),
    (f'socket = "/{"x" * 101}"\n', "more than the about 100 bytes"),
    (f'state_dir = "/{"x" * 100}"\n', "too long"),
    ('recipe = "easy\n', "line 1"),
    ("max_processes = 0\n", ":1: max_processes: 0 is not a whole number from 1"),
    ("max_output_size = 5\n", ':1: max_output_size: 5 has no unit; say "5M"'),
    ('default_mem = "1G"\ncapacity = "counted"\n', "default_mem: memory is not accounted"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_unusable_values_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as failed:
        from_text(tmp_path, text)
    assert message in str(failed.value)


def test_settings_that_do_not_agree_are_named_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"belong together.* \(the configuration is .*\.toml\)$"):
        from_text(tmp_path, 'tls_key = "/k"\n')


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: No such file"):
        load({}, str(tmp_path / "gone.toml"), EMPTY)


def test_an_unusable_option_is_named() -> None:
    with pytest.raises(ConfigError, match=r"--rate: 'x' is not a number"):
        load({"rate": "x"}, None, EMPTY)


def test_root_runs_nobodys_jobs_as_root_unless_told_so() -> None:
    """This is the default where root alone has root's role."""
    where = Path("/s")
    assert Config(where).allows_root_jobs
    assert not Config(where, admins=("ann",)).allows_root_jobs
    assert not Config(where, listen="127.0.0.1:1").allows_root_jobs
    assert Config(where, admins=("ann",), allow_root_jobs=True).allows_root_jobs


def test_where_jobs_of_users_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The state directory must let users pass to their scripts there."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    where, socket = Path("/s"), Path("/run/x")
    assert not Config(where).has_users_jobs
    assert Config(where, socket=socket).has_users_jobs
    assert Config(where, listen="127.0.0.1:1").has_users_jobs
    assert not Config(where, listen="127.0.0.1:1", as_users=False).has_users_jobs
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert not Config(where, listen="127.0.0.1:1", as_users=True).has_users_jobs
